"""Ports for those who must be told one: nobody's, and never another test's by chance."""

import socket

import pytest

from support import ports


def test_they_differ_are_free_and_are_none_that_the_system_gives() -> None:
    found = ports.free_ports(20)
    assert len(set(found)) == 20
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
