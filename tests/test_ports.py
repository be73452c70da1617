"""Ports for those who must be told one: nobody's, and never another test's by chance."""

import errno
import socket

import pytest

from support import ports


def test_they_are_free_and_none_that_the_system_gives() -> None:
    found = ports.free_ports(20)
    assert found == list(range(found[0], found[0] + 20))
    for port in found:
        socket.create_server(("127.0.0.1", port)).close()
    with socket.create_server(("127.0.0.1", 0)) as given:
        assert max(found) < ports._first_given() <= given.getsockname()[1]


def test_one_that_somebody_has_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    (free,) = ports.free_ports(1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        drawn = iter([taken.getsockname()[1], free])
        monkeypatch.setattr("random.SystemRandom.randrange", lambda *_: next(drawn))
        assert ports.free_ports(1) == [free]


def test_what_is_held_is_open_to_its_server_and_to_nobody_else() -> None:
    with ports.held_ports(2) as held:
        for port in held:
            with socket.create_server(("127.0.0.1", port)):
                assert _number(port) == errno.EADDRINUSE
            assert _number(port) == errno.EADDRINUSE
    assert [_number(port) for port in held] == [0, 0]


def _number(port: int) -> int:
    """What the system says to somebody who looks for a port that is free."""
    with socket.socket() as end:
        try:
            end.bind(("127.0.0.1", port))
        except OSError as error:
            return error.errno or -1
    return 0
