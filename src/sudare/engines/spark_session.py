"""A session of Spark for the command line: started, or reached, or refused in one sentence."""

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from sudare.errors import EngineUnavailable, ParameterError

if TYPE_CHECKING:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

_T = TypeVar("_T")

_JAVA = 17
_CONNECT_PORT = 15002
_REMOTE = "SPARK_CONNECT_MODE_ENABLED"
_LOCAL = re.compile(r"local(\[(\d+|\*)(,\d+)?\])?")
_HERE = ("127.0.0.1", "localhost", "::1")
_ASKED = 3  # times in as many spells of patience, before Spark itself gives a master up


@contextmanager
def session(
    master: str | None = None, remote: str | None = None, *, patience: float = 20.0
) -> "Iterator[SparkSession]":
    """A session of Spark until the block ends, of which nothing but our own words are heard.

    Args:
        master: ``local[2]`` for two cores of this machine, ``spark://host:7077`` for a cluster, or
            whatever else Spark takes; all cores of this machine unless ``remote`` is given.
        remote: a Spark Connect server, ``sc://host:15002``.
        patience: the seconds that a master or server has to take a connection.
    """
    if master is not None and remote is not None:
        raise ParameterError("a session has a master or a remote server, not both")
    if find_spec("pyspark") is None:
        raise EngineUnavailable("there is no Spark here: pip install 'sudare[spark]' brings it")
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # they quote whole plans
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*pandas", FutureWarning)
        if remote is not None:
            opened = _reach(remote, patience)
        else:
            opened = _start("local[*]" if master is None else master, patience)
        try:
            yield opened
        finally:
            opened.stop()
            os.environ.pop(
                _REMOTE, None
            )  # else pyspark takes any session after it for a remote one


def _start(master: str, patience: float) -> "SparkSession":
    """A session whose driver is this process."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    _check_java()
    here = _is_here(master, patience)
    if here:  # workers of this machine have this Python, and with it this package
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = list(_settings(here=here).items())
    conf = SparkConf().setMaster(master).setAppName("sudare").setAll(settings)
    silence = f"the master {master} didn't take us: is that its address, and its Spark this one?"
    try:
        if not SparkContext._gateway:  # noqa: SLF001 - else the JVM of before serves again
            SparkContext._ensure_initialized(gateway=_gateway(conf))  # noqa: SLF001
        context = _within((_ASKED + 1) * patience, lambda: SparkContext(conf=conf), silence)
    except EngineUnavailable:
        raise
    except Exception as error:  # py4j's and pyspark's have no parent but this
        if SparkContext._gateway:  # noqa: SLF001
            raise EngineUnavailable(silence) from error
        raise EngineUnavailable(
            "Spark doesn't start here: `spark-submit --version` may say why"
        ) from error
    return SparkSession(context)


def _gateway(conf: "SparkConf") -> Any:  # noqa: ANN401 - py4j is untyped
    """A JVM of Spark's, whose words nobody hears; it ends with this process."""
    from pyspark.java_gateway import launch_gateway

    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return launch_gateway(conf, silent)  # type: ignore[no-untyped-call]


def _settings(*, here: bool) -> dict[str, str]:
    """What a session is told beside its master: no pages, no bars; on this machine, no network."""
    told = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    if here:
        told |= {"spark.driver.host": _HERE[0], "spark.driver.bindAddress": _HERE[0]}
    return told


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(Path(home) / "bin" / "java" if home else "java")
    wanted = (
        f"Spark needs Java {_JAVA} or newer: install it (Debian's package default-jre-headless) "
        f"such that `java` is on the PATH, or let JAVA_HOME say where it is"
    )
    if java is None:
        raise EngineUnavailable(f"there is no Java here; {wanted}")
    told = subprocess.run(  # noqa: S603 - the program that Spark itself would run
        [java, "-version"], capture_output=True, text=True, check=False
    ).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', told)
    if version and int(version[1]) < _JAVA:
        raise EngineUnavailable(f"this is Java {version[1]}; {wanted}")


def _is_here(master: str, patience: float) -> bool:
    """Whether a master is on this machine; one of a cluster must take a connection."""
    if _LOCAL.fullmatch(master):
        return True
    if not master.startswith("spark://"):
        if re.match(r"yarn$|k8s://", master):
            return False  # where these are, only Spark's own settings say
        raise ParameterError(
            f"a master is local[2], spark://host:7077, yarn or k8s://…, got {master!r}"
        )
    hosts = [_host_of(f"spark://{each}", None) for each in master[len("spark://") :].split(",")]
    _one_takes_a_connection(hosts, f"the master {master}", patience)
    return all(host in _HERE for host, _ in hosts)


def _host_of(address: str, usual: int | None) -> tuple[str, int]:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or usual
    except ValueError:  # a port that is no number
        host, port = None, None
    if not host or not port:
        raise ParameterError(
            f"an address is {'sc://host:15002' if usual else 'spark://host:7077'}, got {address!r}"
        )
    return host, port


def _one_takes_a_connection(hosts: list[tuple[str, int]], who: str, patience: float) -> None:
    for host in hosts:
        try:
            socket.create_connection(host, timeout=patience).close()
        except OSError:  # refused, unknown, or silent
            continue
        return
    raise EngineUnavailable(f"{who} doesn't answer: is it running, and reached from here?")


def _reach(remote: str, patience: float) -> "SparkSession":
    """A session of a Spark Connect server."""
    if not remote.startswith("sc://"):
        raise ParameterError(f"a remote server is sc://host:15002, got {remote!r}")
    who = f"the server {remote.partition(';')[0].rstrip('/')}"  # what follows may be a token
    _one_takes_a_connection([_host_of(remote, _CONNECT_PORT)], who, patience)
    for library in ("grpc", "pandas"):
        if find_spec(library) is None:
            raise EngineUnavailable(
                f"Spark Connect needs {library}: pip install 'sudare[spark]' brings it"
            )
    silence = f"{who} doesn't answer as Spark Connect does: is it the right port?"
    return _within(_ASKED * patience, lambda: _connected(remote), silence)


def _connected(remote: str) -> "SparkSession":
    from pyspark.sql import SparkSession

    opened = SparkSession.builder.remote(remote).create()
    opened.range(0).schema  # noqa: B018 - a first question, which only Spark Connect answers
    return opened


def _within(seconds: float, work: Callable[[], _T], silence: str) -> _T:
    """What some work gives, if it does so in time; else it is left alone, and so is its thread."""
    found: list[_T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    if not found:
        raise EngineUnavailable(silence)
    return found[0]
