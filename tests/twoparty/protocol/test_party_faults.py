"""Two parties whose talk goes through the test: killed at each message, or disturbed inside TLS.

The processes are those of the command line, and they are killed with SIGKILL, by their own id.
"""

import re
import signal
import socket
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sudare.chance.randomness import System
from sudare.errors import PartyLost
from sudare.twoparty.protocol.connection import Credentials, Wire, connected
from sudare.twoparty.protocol.messages import Step
from sudare.twoparty.protocol.parties import NoisyTotal
from sudare.twoparty.protocol.peer_listener import listening
from sudare.twoparty.protocol.session import OnceFile, run_one, run_two
from support.certificates import both
from support.commands import process
from support.parties import ONE, TWO, run

if TYPE_CHECKING:
    from subprocess import Popen

TRIAL = ("--epsilon", 1, "--delta", "1e-6", "--candidate-tables", 2, "--insecure")
PATIENCE = 30  # seconds that a party waits for the other, unless it waits in vain
IN_VAIN = 2
SPENT = "P1 may have opened the total, which counts as spent"
MOMENTS = list(product(Step, ("before", "after")))


@dataclass(frozen=True)
class Ended:
    """What is left of a process."""

    code: int
    out: str
    err: str

    @property
    def total(self) -> str | None:
        """The noisy total that it told, if it told one."""
        told = re.search(r"^noisy total +(\S+)$", self.out, re.MULTILINE)
        return told and told[1]

    @property
    def sentence(self) -> str:
        """Its last words, where it failed: one sentence, and no total before it."""
        assert (self.code, self.out) == (2, "")
        *others, last = self.err.splitlines()
        assert all(line.startswith(("Warning: no TLS", "listening on")) for line in others)
        assert last.startswith("Error: ")
        return last.removeprefix("Error: ")


def ended(party: "Popen[bytes]") -> Ended:
    out, err = party.communicate(timeout=PATIENCE + 10)
    return Ended(party.returncode, out.decode(), err.decode())


@dataclass(frozen=True)
class Proxy:
    """Two processes that reach each other only through the test, and what was said."""

    one: "Popen[bytes]"
    two: "Popen[bytes]"
    to_one: Wire
    to_two: Wire
    port: int
    said: dict[Step, bytes] = field(default_factory=dict)

    def relay(self, last: Step, moment: str) -> None:
        """All messages up to the last, which is delivered only if the moment is after it."""
        for step in Step:
            speaks, hears = (self.to_two, self.to_one)[:: 1 if step % 2 == 0 else -1]
            self.said[step] = speaks.receive(step)
            if step < last or moment == "after":
                hears.send(self.said[step])
            if step == last:
                return

    def kill(self, victim: "Popen[bytes]") -> Ended:
        victim.send_signal(signal.SIGKILL)
        gone = ended(victim)
        for wire in (self.to_one, self.to_two):
            wire.close()
        return gone


@contextmanager
def proxy(folder: Path, patience: int = PATIENCE) -> Iterator[Proxy]:
    """Both processes, with nothing said yet; P1 waits for so many seconds."""
    listen = ("party", "one", "--listen", "127.0.0.1:0", *TRIAL, "--timeout", patience)
    with ExitStack() as stack:
        door = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        door.settimeout(PATIENCE)
        connect = ("party", "two", "--connect", f"127.0.0.1:{door.getsockname()[1]}")
        one = stack.enter_context(process(folder, *listen))
        two = stack.enter_context(
            process(folder, *connect, "--total", 9, *TRIAL, "--timeout", PATIENCE)
        )
        try:
            port = port_of(one)
            to_one = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            to_two = stack.enter_context(door.accept()[0])
            yield Proxy(one, two, Wire(to_one, PATIENCE), Wire(to_two, PATIENCE), port)
        finally:
            for party in (one, two):
                party.kill()


def port_of(one: "Popen[bytes]") -> int:
    assert one.stderr is not None
    for line in one.stderr:
        if line.startswith(b"listening on "):
            return int(line.rpartition(b":")[2])
    raise AssertionError("P1 ended before it listened")


def expected(victim: str, last: Step, moment: str) -> str | None:
    """How the survivor's sentence begins or ends; None where it has its total."""
    delivered = last if moment == "after" else last - 1
    if victim == "one":
        if delivered == Step.RESULT:
            return None
        if delivered >= Step.TABLES:
            return SPENT
        awaited = Step.TABLES if delivered >= Step.COMMITMENTS else Step.COMMITMENTS
        return f"went away when message {awaited:d} was expected"
    if delivered >= Step.SUM:
        return None
    return "the other party went away when " if delivered >= Step.HELLO else "nobody connected"


def parts(message: bytes) -> list[bytes]:
    """The parts of a message, as its layout says."""
    found, at = [], 78
    while at < len(message) - 32:
        (length,) = struct.unpack_from(">I", message, at)
        found.append(message[at + 4 : at + 4 + length])
        at += 4 + length
    return found


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def secrets_of(said: dict[Step, bytes]) -> set[bytes]:
    """Everything in a session that must never come again: names, key, ciphertexts, seeds."""
    found = {said[Step.HELLO][42:58]}
    if Step.COMMITMENTS in said:
        public, digests = parts(said[Step.COMMITMENTS])
        found |= {said[Step.COMMITMENTS][58:74], public, *pieces(digests, 32)}
    if Step.TABLES in said:
        seeds, *tables = parts(said[Step.TABLES])
        pairs = [pair for table in tables for pair in pieces(table, 64)]
        assert len(set(pairs)) == len(pairs) > 300
        found |= {*pairs, *pieces(seeds, 32)}
    if Step.SUM in said:
        found |= set(parts(said[Step.SUM]))
    return found


def survive(folder: Path, victim: str, last: Step, moment: str) -> dict[Step, bytes]:
    """One run: who is killed, when, and how the other ends. What was said is given back."""
    sentence = expected(victim, last, moment)
    vain = sentence == "nobody connected"
    with proxy(folder, IN_VAIN if vain else PATIENCE) as parties:
        parties.relay(last, moment)
        killed, survivor = parties.one, parties.two
        if victim == "two":
            killed, survivor = survivor, killed
        gone, left = parties.kill(killed), ended(survivor)
    all_heard = Step.SUM if victim == "one" else Step.RESULT  # it may end before the signal comes
    if not (last > all_heard or (last, moment) == (all_heard, "after")):
        assert (gone.code, gone.out) == (-signal.SIGKILL, "")
    if sentence is None:
        assert left.code == 0
        assert left.total is not None
        assert gone.total in {None, left.total}
    else:
        assert sentence in left.sentence
        assert (SPENT in left.sentence) == (sentence == SPENT)
        assert vain == ("; 1 stranger was refused (1 " in left.sentence)
    return parties.said


@pytest.mark.parametrize("victim", ["one", "two"])
def test_a_party_killed_before_and_after_each_message(victim: str, tmp_path: Path) -> None:
    """The survivor ends with a sentence, or with the total if all was said that it needed.

    And whatever was said in one run is never said again in another.
    """
    runs = []
    for last, moment in MOMENTS:
        try:
            runs.append(secrets_of(survive(tmp_path, victim, last, moment)))
        except BaseException as error:
            error.add_note(f"party {victim} was killed {moment} message {last:d}")
            raise
    for one, another in combinations(runs, 2):
        assert not one & another
    assert list(tmp_path.iterdir()) == []


def test_another_p2_is_served_after_one_was_killed_in_its_greeting(tmp_path: Path) -> None:
    with proxy(tmp_path) as parties:
        hello = parties.to_two.receive(Step.HELLO)
        parties.to_one.connection.sendall(struct.pack(">I", len(hello)) + hello[:50])
        parties.kill(parties.two)
        connect = ("party", "two", "--connect", f"127.0.0.1:{parties.port}", "--total", 9)
        with process(tmp_path, *connect, *TRIAL, "--timeout", PATIENCE) as another:
            told = ended(another)
        served = ended(parties.one)
    assert (served.code, told.code) == (0, 0)
    assert served.total == told.total is not None
    assert "1 stranger was refused (1 without a greeting)" in served.err.splitlines()


def test_processes_over_tls_after_strangers(tmp_path: Path) -> None:
    both(tmp_path)
    terms = ("--epsilon", 1, "--delta", "1e-6", "--candidate-tables", 2, "--timeout", PATIENCE)

    def party(name: str, peer: str, *options: object) -> "Popen[bytes]":
        own = ("--certificate", f"{name}.pem", "--private-key", f"{name}.key")
        return process(tmp_path, "party", name, *options, *terms, *own, "--peer", f"{peer}.pem")

    with party("one", "two", "--listen", "127.0.0.1:0") as one:
        port = port_of(one)
        for words in (b"", b"GET / HTTP/1.1\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port)) as stranger:
                stranger.sendall(words)
        with party("two", "one", "--connect", f"127.0.0.1:{port}", "--total", 9) as two:
            told, served = ended(two), ended(one)
    assert (served.code, told.code) == (0, 0)
    assert served.total == told.total is not None
    assert served.err.splitlines() == ["2 strangers were refused (2 without the certificate)"]


# TLS: what is between the parties sees records, and can do nothing with them but harm.

SHORT = 5.0
RECORD = struct.Struct(">BHH")  # kind, version, length
OVERHEAD = RECORD.size + 1 + 16  # of TLS 1.3, with the true kind and a tag

Change = Callable[[bytes, bytes], bytes]  # a record, and the one before it on the same way


def flipped(record: bytes, at: int) -> bytes:
    return record[:at] + bytes([record[at] ^ 1]) + record[at + 1 :]


CHANGES: dict[str, Change] = {
    "cut": lambda record, _: record[:-1],
    "flipped kind": lambda record, _: flipped(record, 0),
    "flipped text": lambda record, _: flipped(record, RECORD.size),
    "flipped tag": lambda record, _: flipped(record, len(record) - 1),
    "halves swapped": lambda record, _: record[len(record) // 2 :] + record[: len(record) // 2],
    "an older one first": lambda record, older: older + record,
    "left out": lambda _, older: older,
}


def record_sizes() -> dict[tuple[bool, int], Step]:
    """Which message a record of this length is, from P2 (or not): each fits in one record."""
    said = dict(zip(Step, run().said, strict=True))
    return {(step % 2 == 0, 4 + len(text) + OVERHEAD): step for step, text in said.items()}


@dataclass
class Meddler:
    """Somebody between the parties, who changes one message's record and passes on the others."""

    step: Step
    change: Change
    door: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    sizes: dict[tuple[bool, int], Step] = field(default_factory=record_sizes)
    seen: list[Step] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.door.getsockname()[1])

    def run(self, target: int) -> None:
        """One connection, until both sides have hung up."""
        self.door.settimeout(SHORT)
        with (
            self.door,
            self.door.accept()[0] as two,
            socket.create_connection(("127.0.0.1", target)) as one,
            ThreadPoolExecutor(2) as pool,
        ):
            pool.submit(self._pass_on, two, one, from_two=True)
            pool.submit(self._pass_on, one, two, from_two=False)

    def _pass_on(self, source: socket.socket, target: socket.socket, *, from_two: bool) -> None:
        older = b""
        with suppress(OSError):
            for record in records(source):
                step = self.sizes.get((from_two, len(record)))
                passed = record
                if step is not None:
                    self.seen.append(step)
                    if step == self.step:
                        passed = self.change(record, older)
                target.sendall(passed)
                if record != passed and record.startswith(passed):  # cut: nothing follows
                    source.shutdown(socket.SHUT_RDWR)
                    break
                older = record
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


def records(source: socket.socket) -> Iterator[bytes]:
    """What comes, record by record, until the other side hangs up."""
    with source.makefile("rb") as stream:
        while len(head := stream.read(RECORD.size)) == RECORD.size:
            yield head + stream.read(RECORD.unpack(head)[2])


@dataclass(frozen=True)
class Disturbed:
    """Both parties over TLS with a meddler between them, and how they ended."""

    meddler: Meddler
    one: "Future[NoisyTotal | None]"
    two: "Future[NoisyTotal | None]"
    mark: Path


def disturb(folder: Path, step: Step, change: Change, *, again: bool = False) -> Disturbed:
    """A run; with ``again``, P2 comes once more when it has failed, past the meddler."""
    (first, second), port = both(folder), Future[int]()
    meddler, mark = Meddler(step, change), folder / "opened"

    def run_p1() -> NoisyTotal | None:
        with listening("127.0.0.1", 0, first, SHORT, port.set_result) as wire:
            return run_one(wire, ONE, System(), mark=OnceFile(mark, "this key opened"))

    def run_p2(at: int, credentials: Credentials) -> NoisyTotal | None:
        with connected("127.0.0.1", at, credentials, SHORT) as wire:
            return run_two(wire, TWO, System())

    with ThreadPoolExecutor(3) as pool:
        one = pool.submit(run_p1)
        between = pool.submit(meddler.run, port.result(SHORT))
        two = pool.submit(run_p2, meddler.port, second)
        if again:
            assert isinstance(two.exception(), PartyLost)
            two = pool.submit(run_p2, port.result(), second)
    between.result()
    return Disturbed(meddler, one, two, mark)


def test_an_idle_meddler_sees_every_record_and_both_have_their_total(tmp_path: Path) -> None:
    """So that a record's length is enough to tell which message is in it."""
    found = disturb(tmp_path, Step.HELLO, lambda record, _: record)
    assert found.meddler.seen == list(Step)
    assert found.one.result() == found.two.result() is not None


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("step", Step, ids=lambda step: step.name)
def test_what_is_changed_inside_tls_ends_the_session(step: Step, name: str, tmp_path: Path) -> None:
    """A greeting is then a stranger's, and P2 may come again; later, both are told and stop."""
    found = disturb(tmp_path, step, CHANGES[name], again=step is Step.HELLO)
    assert found.meddler.seen.count(step) == 1
    if step is Step.HELLO:
        assert found.one.result() == found.two.result() is not None
        return
    lost = str(found.two.exception())
    assert isinstance(found.two.exception(), PartyLost)
    assert (SPENT in lost) == (step > Step.TABLES)
    assert (found.one.exception() is None) == (step is Step.RESULT) == found.mark.exists()
    if step is not Step.RESULT:
        assert isinstance(found.one.exception(), PartyLost)


@pytest.mark.parametrize("step", Step, ids=lambda step: step.name)
def test_a_record_sent_twice_is_never_taken_twice(step: Step, tmp_path: Path) -> None:
    """It is refused where something else is awaited; who awaits nothing any more has its total."""
    found = disturb(tmp_path, step, lambda record, _: record + record)
    assert found.meddler.seen.count(step) == 1
    totals = {end.result() for end in (found.one, found.two) if end.exception() is None}
    assert len(totals) <= 1
    for end in (found.one, found.two):
        assert end.exception() is None or isinstance(end.exception(), PartyLost)
    assert found.mark.exists() == (found.one.exception() is None)
    if step is Step.HELLO:  # where P1 awaits the sum
        assert not totals
    if step is Step.TABLES:  # where P2 awaits the result
        assert SPENT in str(found.two.exception())
    if step >= Step.SUM:
        assert found.one.exception() is None
