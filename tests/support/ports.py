"""Ports of this machine that nobody has, for whom must be told one before it listens."""

import random
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

_LEAST = 10_000
_GIVEN = Path("/proc/sys/net/ipv4/ip_local_port_range")
_USUAL = 32_768


@contextmanager
def held_ports(number: int, host: str = "127.0.0.1") -> Iterator[list[int]]:
    """So many in a row, which nobody else finds free until the end.

    Only a server that asks for the address of another (``SO_REUSEADDR``, as servers do) may open
    them, since what holds them never listens. They are below those that the system gives to whoever
    asks for any: else a connection of another test may have one of them before its own server does.
    """
    drawn = random.SystemRandom()
    while True:
        first = drawn.randrange(_LEAST, _first_given() - number)
        with ExitStack() as taken:
            try:
                for port in range(first, first + number):
                    _hold(taken.enter_context(socket.socket()), (host, port))
            except OSError:  # somebody's
                continue
            yield list(range(first, first + number))
            return


def free_ports(number: int, host: str = "127.0.0.1") -> list[int]:
    """So many in a row that nobody has now."""
    with held_ports(number, host) as found:
        return found


def _hold(end: socket.socket, address: tuple[str, int]) -> None:
    end.bind(address)  # fails if anybody holds it
    end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # from now on servers may share it


def _first_given() -> int:
    """Where the ports begin that the system gives."""
    given = int(_GIVEN.read_text().split()[0]) if _GIVEN.exists() else _USUAL
    return given if given > 2 * _LEAST else 1 << 16
