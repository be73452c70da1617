"""Where Spark can't be had, one sentence says what is missing; no JVM is needed to say so."""

import socket
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from sudare.engines import spark_session
from sudare.engines.spark_session import session
from sudare.errors import EngineUnavailable, ParameterError
from support.ports import held_ports


def refusal(master: str | None = None, remote: str | None = None, patience: float = 0.5) -> str:
    with (
        pytest.raises((EngineUnavailable, ParameterError)) as raised,
        session(master, remote, patience=patience),
    ):
        pass
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.fixture
def silent() -> Iterator[int]:
    """A port where somebody listens, and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_no_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_session, "find_spec", lambda _name: None)
    assert refusal("local[1]") == "there is no Spark here: pip install 'sudare[spark]' brings it"


def test_no_grpc(monkeypatch: pytest.MonkeyPatch, silent: int) -> None:
    monkeypatch.setattr(
        spark_session, "find_spec", lambda name: None if name == "grpc" else find_spec(name)
    )
    assert refusal(remote=f"sc://127.0.0.1:{silent}") == (
        "Spark Connect needs grpc: pip install 'sudare[spark]' brings it"
    )


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert refusal("local[1]").startswith("there is no Java here; Spark needs Java 17 or newer")
    monkeypatch.undo()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert refusal("local[1]").startswith("there is no Java here; Spark needs Java 17 or newer")


@pytest.mark.parametrize(("told", "version"), [("11.0.2", 11), ("1.8.0_292", 8)])
def test_an_old_java(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, told: str, version: int
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{told}\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert refusal("local[1]").startswith(f"this is Java {version}; Spark needs Java 17 or newer")


def test_two_wishes_at_once() -> None:
    assert refusal("local[1]", "sc://127.0.0.1") == (
        "a session has a master or a remote server, not both"
    )


@pytest.mark.parametrize(
    "master", ["", "local[", "local[two]", "127.0.0.1:7077", "sc://127.0.0.1", "spark://", "mesos"]
)
def test_what_is_no_master(master: str) -> None:
    assert " got " in refusal(master)


@pytest.mark.parametrize("remote", ["", "127.0.0.1:15002", "sc://", "sc://host:port"])
def test_what_is_no_server(remote: str) -> None:
    assert " got " in refusal(remote=remote)


def test_nobody_answers() -> None:
    with held_ports(1) as (port,):
        assert refusal(f"spark://127.0.0.1:{port}") == (
            f"the master spark://127.0.0.1:{port} doesn't answer: is it running, and reached from "
            f"here?"
        )
        assert refusal(remote=f"sc://127.0.0.1:{port}/;token=secret") == (
            f"the server sc://127.0.0.1:{port} doesn't answer: is it running, and reached from "
            f"here?"
        )


def test_somebody_else_answers(silent: int) -> None:
    assert refusal(remote=f"sc://127.0.0.1:{silent}") == (
        f"the server sc://127.0.0.1:{silent} doesn't answer as Spark Connect does: is it the right "
        f"port?"
    )
