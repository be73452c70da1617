"""Ports of this machine that nobody has, for whom must be told one before it listens."""

import random
import socket
from contextlib import ExitStack
from pathlib import Path

_LEAST = 10_000
_GIVEN = Path("/proc/sys/net/ipv4/ip_local_port_range")
_USUAL = 32_768


def free_ports(number: int, host: str = "127.0.0.1") -> list[int]:
    """So many, all different.

    Below those that the system gives to whoever asks for any: else a connection of another test
    may have one of them before its own server does.
    """
    drawn = random.SystemRandom()
    with ExitStack() as taken:
        found: list[int] = []
        while len(found) < number:
            try:
                end = socket.create_server((host, drawn.randrange(_LEAST, _first_given())))
            except OSError:  # somebody's
                continue
            taken.enter_context(end)
            found.append(int(end.getsockname()[1]))
        return found


def _first_given() -> int:
    """Where the ports begin that the system gives."""
    given = int(_GIVEN.read_text().split()[0]) if _GIVEN.exists() else _USUAL
    return given if given > 2 * _LEAST else 1 << 16
