"""Something on the network that isn't what was meant: it answers everybody alike."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def answering(data: bytes, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """The port at which every connection gets these bytes and is closed, perhaps under TLS."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            while True:
                try:
                    plain, _ = listening.accept()
                except OSError:
                    return
                with plain, suppress(OSError):
                    wire = context.wrap_socket(plain, server_side=True) if context else plain
                    with wire:
                        wire.recv(1000)
                        wire.sendall(data)

        threading.Thread(target=answer, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
