"""P1's listener: strangers of every kind come first, and the other party is known all the same."""

import logging
import selectors
import socket
import ssl
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from sudare.chance.randomness import System
from sudare.errors import InvalidMessage, PartyLost, SudareError
from sudare.twoparty.protocol.connection import Credentials, connected
from sudare.twoparty.protocol.messages import refusal
from sudare.twoparty.protocol.parties import NoisyTotal, Starting
from sudare.twoparty.protocol.peer_listener import MOST_WAITING, PeerListener, listening
from sudare.twoparty.protocol.session import run_one, run_two
from support.certificates import both, certificate
from support.parties import AGREED, ONE, TWO

PATIENCE = 30.0  # seconds that P1 waits: nobody in here takes as long
CONTENTS = b"Zanzibar rooibos"  # nothing that a stranger says is repeated

Ending = Callable[[], NoisyTotal]
Stranger = Callable[[int, Path], socket.socket | None]


@contextmanager
def p1(credentials: Credentials | None, patience: float = PATIENCE) -> Iterator[tuple[int, Ending]]:
    """P1 behind its listener: its port, and how it ended."""
    port: Future[int] = Future()

    def run() -> NoisyTotal:
        with listening("127.0.0.1", 0, credentials, patience, port.set_result) as wire:
            return run_one(wire, ONE, System())

    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(run)
        yield port.result(5), lambda: ended.result(PATIENCE)


def p2(port: int, credentials: Credentials | None, party: Starting = TWO) -> NoisyTotal | None:
    with connected("127.0.0.1", port, credentials, 5) as wire:
        return run_two(wire, party, System())


def dial(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 5)


def scan(port: int, _: Path) -> None:
    dial(port).close()


def reset(port: int, _: Path) -> None:
    """Hang up so that the other end meets an error, not an end."""
    with dial(port) as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def stay_silent(port: int, _: Path) -> socket.socket:
    return dial(port)


def talk(port: int, _: Path) -> socket.socket:
    end = dial(port)
    end.sendall(b"GET / HTTP/1.1\r\n\r\n" + CONTENTS)
    return end


def send_zeros(port: int, _: Path) -> socket.socket:
    end = dial(port)
    end.sendall(bytes(100))
    return end


def begin_a_greeting(port: int, _: Path) -> socket.socket:
    end = dial(port)
    end.sendall(struct.pack(">I", 300) + b"sudare2p" + CONTENTS)
    return end


def say_hello_in_tls(port: int, _: Path) -> socket.socket:
    """The beginning of a handshake, and not its end."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    half = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="one.example")
    with suppress(ssl.SSLWantReadError):
        half.do_handshake()
    end = dial(port)
    end.sendall(outgoing.read())
    return end


def show_another_certificate(port: int, folder: Path) -> None:
    mine = Credentials(folder / "stranger.pem", folder / "stranger.key", folder / "one.pem")
    with pytest.raises(SudareError):
        p2(port, mine)


def show_no_certificate(port: int, folder: Path) -> None:
    context = ssl.create_default_context(cafile=str(folder / "one.pem"))
    context.check_hostname = False
    with suppress(ssl.SSLError, ConnectionError), context.wrap_socket(dial(port)) as end:
        words = refusal("let me in")
        end.sendall(struct.pack(">I", len(words)) + words)
        assert not end.recv(1)


STRANGERS: list[Stranger] = [scan, reset, stay_silent, talk, send_zeros, begin_a_greeting]
OVER_TLS: list[Stranger] = [say_hello_in_tls, show_another_certificate, show_no_certificate]


def crowd(strangers: list[Stranger], port: int, folder: Path) -> list[socket.socket]:
    """All strangers after each other; those that stay."""
    stayed = [stranger(port, folder) for stranger in strangers]
    return [end for end in stayed if end is not None]


@pytest.mark.parametrize("secure", [True, False], ids=["TLS", "trial"])
def test_strangers_first_and_the_other_party_all_the_same(
    secure: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    one, two = both(tmp_path) if secure else (None, None)
    certificate(tmp_path, "stranger")  # before P1 waits: it takes a while
    strangers = STRANGERS + OVER_TLS if secure else STRANGERS
    with caplog.at_level(logging.WARNING), p1(one) as (port, ended):
        stayed = crowd(strangers, port, tmp_path)
        found = p2(port, two)
        assert ended() == found
        assert found is not None
        for end in stayed:
            end.close()
    (line,) = caplog.messages  # one line, with a count and nothing of what was said
    assert line.startswith(f"{len(strangers)} strangers were refused (")
    assert CONTENTS.decode() not in line


def test_strangers_alone_are_counted_when_time_is_over(tmp_path: Path) -> None:
    one, _ = both(tmp_path)
    certificate(tmp_path, "stranger")
    with p1(one, 5.0) as (port, ended):
        stayed = crowd([scan, stay_silent, talk, show_another_certificate], port, tmp_path)
        with pytest.raises(PartyLost) as lost:
            ended()
        for end in stayed:
            end.close()
    assert str(lost.value) == (
        "nobody connected within 5 seconds; 4 strangers were refused "
        "(1 silent, 3 without the certificate)"
    )


@pytest.mark.parametrize("secure", [True, False], ids=["TLS", "trial"])
def test_more_silent_strangers_than_there_is_room_for(secure: bool, tmp_path: Path) -> None:
    """The oldest are sent away."""
    one, two = both(tmp_path) if secure else (None, None)
    with p1(one) as (port, ended):
        stayed = [dial(port) for _ in range(MOST_WAITING + 10)]
        assert p2(port, two) == ended()
        assert not stayed[0].recv(1)
        for end in stayed:
            end.close()


def test_strangers_that_use_up_all_descriptors_are_sent_away() -> None:
    """In a process that may have few: they go, the oldest first, until there is room again."""
    with subprocess.Popen(
        [sys.executable, "-m", "support.narrow_listener"],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        stayed = [dial(port) for _ in range(MOST_WAITING)]
        found = p2(port, None)
        out, err = process.communicate(timeout=200)
        for end in stayed:
            end.close()
    assert process.returncode == 0, err
    assert err == f"{MOST_WAITING} strangers were refused ({MOST_WAITING} silent)\n"
    assert found is not None
    assert int(out) == found.total


def test_a_stranger_that_drips_keeps_nobody_waiting(tmp_path: Path) -> None:
    one, two = both(tmp_path)
    done = threading.Event()
    with p1(one) as (port, ended), dial(port) as end:

        def drip() -> None:
            with suppress(OSError):
                while not done.wait(0.01):
                    end.sendall(b"\x16")

        slow = threading.Thread(target=drip)
        slow.start()
        assert p2(port, two) == ended()
        done.set()
        slow.join()


def test_the_other_party_may_come_again_after_it_went_before_it_greeted(tmp_path: Path) -> None:
    """It showed its certificate and no more: that has cost nobody anything."""
    one, two = both(tmp_path)
    with p1(one) as (port, ended):
        with connected("127.0.0.1", port, two, 5) as wire:
            wire.connection.sendall(b"\0\0\x01")
        assert p2(port, two) == ended()


def test_a_known_party_that_agreed_to_something_else_is_refused_and_told(tmp_path: Path) -> None:
    one, two = both(tmp_path)
    other = replace(TWO, agreement=replace(AGREED, people=999))
    with p1(one) as (port, ended):
        with pytest.raises(InvalidMessage, match="refused: the parties don't agree: people is"):
            p2(port, two, other)
        with pytest.raises(InvalidMessage, match="the parties don't agree: people is"):
            ended()
        with pytest.raises(ConnectionError):
            dial(port)


def test_who_was_sent_away_a_moment_ago_is_passed_over() -> None:
    """Its event may come in the same turn as that for which it made room."""
    with socket.create_server(("127.0.0.1", 0)) as server, selectors.DefaultSelector() as selector:
        listener = PeerListener(server, None, None, 1.0)
        assert listener._advance(None, selector) is None
        assert listener._advance(server.fileno(), selector) is None
