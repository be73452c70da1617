"""Spark as companies run it, on this machine's loopback: a cluster of its own, a Connect server."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from sudare.engines.spark_session import session
from support.ports import free_ports

_HOME = Path(pyspark.__file__).parent
_PATIENCE = 120  # seconds, on a machine that has much else to do
_HERE = "127.0.0.1"
# Short lives: what a JVM spends on getting fast never comes back.
BRISK = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"}


@dataclass
class Cluster:
    """A master and its workers, each a process.

    Attributes:
        master: its address, ``spark://…``.
        folder: of the logs.
        workers: the processes, of which a test may end one.
    """

    master: str
    folder: Path
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def kill_a_worker(self) -> None:
        """End a worker and its executors as a power cut would."""
        worker = self.workers.pop()
        # Whoever it started first, so that none of them has the time to say farewell.
        for pid in [*reversed(_descendants(worker.pid)), worker.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        worker.wait()


@contextmanager
def spark_session(master: str | None = None, remote: str | None = None) -> Iterator[SparkSession]:
    """A session such as the command line has, of a JVM that isn't meant to live long."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in BRISK.items():
            patch.setenv(name, value)
        with session(master, remote) as opened:
            yield opened


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A standalone cluster of workers with a core each."""
    port, *others = free_ports(2 + 2 * workers)
    with ExitStack() as stack:
        master = ["org.apache.spark.deploy.master.Master", "--host", _HERE, "--port", str(port)]
        stack.enter_context(
            _running([*master, "--webui-port", str(others.pop())], folder / "master")
        )
        running = Cluster(f"spark://{_HERE}:{port}", folder)
        _until_listening(port, folder / "master")
        for number in range(workers):
            log = folder / f"worker {number}"
            worker = [
                "org.apache.spark.deploy.worker.Worker",
                *("--host", _HERE, "--port", str(others.pop()), "--webui-port", str(others.pop())),
                *("--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work {number}")),
                running.master,
            ]
            running.workers.append(stack.enter_context(_running(worker, log)))
        for number in range(workers):
            _until_said("Successfully registered with master", folder / f"worker {number}")
        yield running


@contextmanager
def connect_server(folder: Path, master: str = "local[2]") -> Iterator[str]:
    """The address of a Spark Connect server, ``sc://…``."""
    (port,) = free_ports(1)
    settings = {
        "spark.connect.grpc.binding.address": _HERE,
        "spark.connect.grpc.binding.port": str(port),
        "spark.ui.enabled": "false",
        "spark.driver.host": _HERE,
        "spark.driver.bindAddress": _HERE,
    }
    command = [
        *("org.apache.spark.deploy.SparkSubmit", "--master", master),
        *(part for name, value in settings.items() for part in ("--conf", f"{name}={value}")),
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"),
    ]
    with _running(command, folder / "connect"):
        _until_listening(port, folder / "connect")
        yield f"sc://{_HERE}:{port}"


@contextmanager
def _running(command: list[str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    environment = {
        **os.environ,
        "SPARK_HOME": str(_HOME),
        "SPARK_LOCAL_IP": _HERE,
        "PYSPARK_PYTHON": sys.executable,
        **BRISK,
    }
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [str(_HOME / "bin" / "spark-class"), *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process
    finally:
        for pid in [*reversed(_descendants(process.pid)), process.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def _descendants(pid: int) -> list[int]:
    """The processes that a process started, those that they did, and so on."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = [pid]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found[1:]


def _until_listening(port: int, log: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        with suppress(OSError), socket.create_connection((_HERE, port), timeout=1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens: {log.read_text()[-2000:]}")


def _until_said(words: str, log: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        if re.search(words, log.read_text(errors="replace")):
            return
        time.sleep(0.05)
    raise RuntimeError(f"“{words}” was not said: {log.read_text()[-2000:]}")
