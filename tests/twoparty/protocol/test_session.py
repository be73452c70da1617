"""Two parties over real connections: what goes well, what is refused, who is killed when."""

import errno
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from shutil import copy

import pytest
from cryptography.hazmat.primitives import serialization

from sudare.chance.randomness import System
from sudare.errors import InvalidMessage, ParameterError, PartyLost, SudareError
from sudare.twoparty.ciphers.interface import Keys
from sudare.twoparty.protocol.connection import Credentials, Wire, connected
from sudare.twoparty.protocol.messages import LARGEST, Step
from sudare.twoparty.protocol.parties import Listening, NoisyTotal, Starting, TotalOfP2
from sudare.twoparty.protocol.peer_listener import listening
from sudare.twoparty.protocol.session import OnceFile, run_one, run_two
from support.certificates import both, certificate
from support.parties import AGREED, ONE, TWO
from support.plain_cipher import Plain
from support.synced import synced_contents, synced_entries

FRAME = struct.Struct(">I")


Wires = Callable[[float], tuple[Wire, Wire]]


@pytest.fixture
def wires() -> Iterator[Wires]:
    """Both ends of connections, closed after the test."""
    made: list[socket.socket] = []

    def connect(timeout: float) -> tuple[Wire, Wire]:
        left, right = socket.socketpair()
        made.extend((left, right))
        return Wire(left, timeout), Wire(right, timeout)

    yield connect
    for end in made:
        end.close()


def together(
    one: Callable[[], NoisyTotal | None], two: Callable[[], NoisyTotal | None]
) -> tuple["Future[NoisyTotal | None]", "Future[NoisyTotal | None]"]:
    """Both parties at once, until both have ended."""
    with ThreadPoolExecutor(2) as pool:
        return pool.submit(one), pool.submit(two)


def sentence(ended: "Future[NoisyTotal | None]") -> str:
    error = ended.exception()
    assert isinstance(error, SudareError)
    return str(error)


def test_both_ends_come_to_the_same_total_and_count_the_same_bytes(wires: Wires) -> None:
    left, right = wires(5)
    disjoint = replace(AGREED, disjoint=True)
    one, two = together(
        lambda: run_one(left, replace(ONE, agreement=disjoint), System(), own=30),
        lambda: run_two(right, replace(TWO, agreement=disjoint), System()),
    )
    assert one.result() == two.result()
    assert (left.sent, left.received) == (right.received, right.sent)


def test_a_total_that_may_not_be_added_is_refused_before_anything_is_said(wires: Wires) -> None:
    """P2 hears of it at once: it has sent nothing yet that could be opened."""
    left, right = wires(5)
    with pytest.raises(ParameterError, match="agree that nobody is in both"):
        run_one(left, ONE, System(), own=30)
    with pytest.raises(InvalidMessage, match="the other party refused"):
        right.receive(Step.HELLO)


class Late(Plain):
    """Opens only when told to."""

    def __init__(self) -> None:
        self.told = threading.Event()

    def decrypt(self, keys: Keys, ciphertext: bytes, low: int, high: int) -> int:
        assert self.told.wait(5), "P2 was kept waiting"
        return super().decrypt(keys, ciphertext, low, high)


def test_a_blind_p2_hears_all_before_anything_is_opened(wires: Wires) -> None:
    """Else the time of opening would tell it how large the total is."""
    blind, cipher = replace(AGREED, p2_blind=True), Late()
    left, right = wires(10)

    def second() -> NoisyTotal | None:
        ended = run_two(right, replace(TWO, agreement=blind), System())
        assert not right.connection.recv(1), "P1 goes on talking"
        cipher.told.set()
        return ended

    one, two = together(lambda: run_one(left, Listening(blind, cipher), System()), second)
    found = one.result()
    assert two.result() is None
    assert found is not None
    assert abs(found.total - 500) < 10


def test_a_refusal_is_told_to_the_other_side(wires: Wires) -> None:
    left, right = wires(5)
    other = replace(TWO, agreement=replace(AGREED, people=999))
    one, two = together(
        lambda: run_one(left, ONE, System()), lambda: run_two(right, other, System())
    )
    assert sentence(one) == "the parties don't agree: people is 1000 here and 999 there"
    assert sentence(two) == f"the other party refused: {sentence(one)}"


class Relay:
    """A connection between both parties that forwards so many frames, then does something else."""

    def __init__(self, wires: Wires, frames: int, then: Callable[[bytes], bytes]) -> None:
        self.frames, self.then = frames, then
        (self.left, far_left), (self.right, far_right) = wires(5), wires(5)
        self.ends = [far_right, far_left]  # P2 speaks first

    def run(self) -> None:
        speakers = [(self.ends[0], self.ends[1]), (self.ends[1], self.ends[0])]
        for step in Step:
            source, target = speakers[step % 2]
            try:
                frame = source.receive(step)
            except SudareError:
                break
            raw = FRAME.pack(len(frame)) + frame
            if step == self.frames:
                target.connection.sendall(self.then(raw))
                break
            target.connection.sendall(raw)
        for end in self.ends:
            end.connection.close()


@pytest.mark.parametrize("frames", Step)
@pytest.mark.parametrize("cut", [0, 3, 60])
def test_a_message_that_breaks_off_ends_both_sides(
    frames: int, cut: int, tmp_path: Path, wires: Wires
) -> None:
    relay = Relay(wires, frames, lambda raw: raw[:cut])
    mark = OnceFile(tmp_path / "opened", "this key opened")
    threading.Thread(target=relay.run).start()
    one, two = together(
        lambda: run_one(relay.left, ONE, System(), mark=mark),
        lambda: run_two(relay.right, TWO, System()),
    )
    assert isinstance(two.exception(), PartyLost)
    if frames < Step.RESULT:  # else P1 had opened before, and only P2 doesn't hear of it
        assert isinstance(one.exception(), PartyLost)
        assert not mark.path.exists()
    else:
        assert "counts as spent" in sentence(two)


@pytest.mark.parametrize("frames", Step)
def test_a_message_changed_on_its_way_ends_both_sides(
    frames: int, tmp_path: Path, wires: Wires
) -> None:
    def flip(raw: bytes) -> bytes:
        changed = bytearray(raw)
        changed[-40] ^= 1
        return bytes(changed)

    relay = Relay(wires, frames, flip)
    mark = OnceFile(tmp_path / "opened", "this key opened")
    threading.Thread(target=relay.run).start()
    one, two = together(
        lambda: run_one(relay.left, ONE, System(), mark=mark),
        lambda: run_two(relay.right, TWO, System()),
    )
    refused = one if frames % 2 == 0 else two
    assert "changed on its way" in sentence(refused)
    if frames < Step.RESULT:
        assert one.exception() is not None
        assert two.exception() is not None
        assert not mark.path.exists()


def test_a_frame_that_is_too_long_is_refused_before_it_is_read(wires: Wires) -> None:
    left, right = wires(5)
    right.connection.sendall(FRAME.pack(LARGEST[Step.HELLO] + 1))
    with pytest.raises(InvalidMessage, match="at most 4096 bytes, 4097 are announced"):
        run_one(left, ONE, System())


def test_silence_and_dripping_end_in_time(wires: Wires) -> None:
    left, right = wires(0.3)
    with pytest.raises(PartyLost, match="kept silent for too long when message 0"):
        run_one(left, ONE, System())
    right.connection.sendall(FRAME.pack(1000))
    done = threading.Event()

    def drip() -> None:
        while not done.wait(0.05):
            right.connection.sendall(b"\0")

    slow = threading.Thread(target=drip)
    slow.start()
    start = time.monotonic()
    with pytest.raises(PartyLost, match="kept silent for too long when message 3"):
        left.receive(Step.TABLES)
    assert time.monotonic() - start < 10  # a thousand drops would take fifty seconds
    done.set()
    slow.join()


def test_a_mark_is_made_once_and_outlasts_its_maker(tmp_path: Path, wires: Wires) -> None:
    """The second run is refused, by P1 and by P2, and opens and sends nothing."""
    opened, answered = tmp_path / "opened", tmp_path / "answered"

    def both() -> tuple["Future[NoisyTotal | None]", "Future[NoisyTotal | None]"]:
        left, right = wires(1.0)
        return together(
            lambda: run_one(left, ONE, System(), mark=OnceFile(opened, "this key opened")),
            lambda: run_two(
                right, TWO, System(), mark=OnceFile(answered, "these were answered for")
            ),
        )

    for ended in both():
        assert ended.exception() is None
    one, two = both()
    assert "this key opened once already, as opened says" in sentence(one)
    assert "these were answered for once already" in sentence(two)
    answered.unlink()
    one, two = both()
    assert "this key opened once already" in sentence(one)
    assert "the other party refused: this key opened once already" in sentence(two)
    assert not answered.exists()
    with pytest.raises(ParameterError, match="once already"):
        OnceFile(opened, "this key opened").make()


def test_a_mark_outlasts_a_power_failure_with_its_name(tmp_path: Path) -> None:
    mark = OnceFile(tmp_path / "opened", "this key opened")
    with synced_entries() as synced, synced_contents() as contents:
        mark.make()
    assert synced == {mark.path.resolve()}
    assert contents == [(mark.path.resolve(), b"")]
    assert (mark.path.read_bytes(), mark.path.stat().st_mode & 0o777) == (b"", 0o600)


class Full(OnceFile):
    """On a disk that fills up between the check and the mark."""

    def make(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(self.path))


@pytest.mark.parametrize("full", ["P1", "P2"])
def test_a_mark_that_fails_is_told_to_the_other_side(
    tmp_path: Path, wires: Wires, full: str
) -> None:
    """But neither the path nor the reason."""
    left, right = wires(5)
    marks = {full: Full(tmp_path / "a.opened", "this key opened a total")}
    one, two = together(
        lambda: run_one(left, ONE, System(), mark=marks.get("P1")),
        lambda: run_two(right, TWO, System(), mark=marks.get("P2")),
    )
    failed, told = (one, two) if full == "P1" else (two, one)
    assert isinstance(failed.exception(), OSError)
    assert sentence(told).startswith("the other party refused: a file can't be written there")
    assert str(tmp_path) not in sentence(told)


def test_a_key_whose_total_could_not_be_opened_is_used_up_all_the_same(
    tmp_path: Path, wires: Wires
) -> None:
    """P1 fails between its mark and the end of its opening; started again, it refuses."""
    mark = OnceFile(tmp_path / "opened", "this key opened")
    keys = Plain().keys()
    party = Listening(AGREED, Plain(), keys)
    far_out = TotalOfP2(ciphertext=(10**6).to_bytes(8), public=keys.public)
    left, right = wires(5)
    one, two = together(
        lambda: run_one(left, party, System(), mark=mark),
        lambda: run_two(right, Starting(AGREED, Plain(), far_out), System()),
    )
    assert "does not lie from" in sentence(one)
    assert "the other party refused" in sentence(two)
    assert mark.path.exists()
    with pytest.raises(ParameterError, match="this key opened once already"):
        run_one(wires(5)[0], party, System(), mark=mark)


# TLS


def over_tls(
    one: Credentials | None, two: Credentials | None, patience: float = 5
) -> tuple["Future[NoisyTotal | None]", "Future[NoisyTotal | None]"]:
    """Both over a connection; P1 waits for so many seconds."""
    port: Future[int] = Future()

    def run_first() -> NoisyTotal | None:
        with listening("127.0.0.1", 0, one, patience, port.set_result) as wire:
            return run_one(wire, ONE, System())

    def run_second() -> NoisyTotal | None:
        with connected("127.0.0.1", port.result(5), two, 5) as wire:
            return run_two(wire, TWO, System())

    return together(run_first, run_second)


def test_tls_with_the_right_certificates(tmp_path: Path) -> None:
    first, second = over_tls(*both(tmp_path))
    assert first.result() == second.result()
    assert first.result() is not None


def test_tls_with_a_stranger_opens_nothing(tmp_path: Path) -> None:
    one, two = both(tmp_path)
    stranger, stranger_key = certificate(tmp_path, "stranger")
    signed, signed_key = certificate(tmp_path, "signed", by=(two.certificate, two.private_key))
    unknown, speechless = "the certificate", "a greeting"
    cases = (
        (one, Credentials(stranger, stranger_key, one.certificate), unknown),
        # The expected certificate signed this one, and yet it is another.
        (one, Credentials(signed, signed_key, one.certificate), unknown),
        (Credentials(stranger, stranger_key, two.certificate), two, unknown),
        (one, None, unknown),
        (None, two, speechless),
    )
    with ThreadPoolExecutor(len(cases)) as pool:  # each waits in vain, so all at once
        ends = list(pool.map(lambda case: over_tls(case[0], case[1], 2), cases))
    for (first, second), (*_, lacking) in zip(ends, cases, strict=True):
        assert sentence(first) == (
            f"nobody connected within 2 seconds; 1 stranger was refused (1 without {lacking})"
        )
        assert isinstance(second.exception(), SudareError)


def test_the_certificate_is_read_once(tmp_path: Path) -> None:
    """Whatever its file becomes while P1 listens, the one that was there is trusted."""
    one, two = both(tmp_path)
    one = replace(one, peer=Path(copy(one.peer, tmp_path / "peer.pem")))
    listens: Future[int] = Future()

    def be_one() -> NoisyTotal:
        with listening("127.0.0.1", 0, one, 5, listens.set_result) as wire:
            return run_one(wire, ONE, System())

    def be_two() -> NoisyTotal | None:
        port = listens.result(5)
        one.peer.write_text("no certificate any more")
        with connected("127.0.0.1", port, two, 5) as wire:
            return run_two(wire, TWO, System())

    first, second = together(be_one, be_two)
    assert first.result() == second.result()


@pytest.mark.parametrize("server", [True, False], ids=["P1", "P2"])
def test_an_encrypted_key_is_refused_and_nobody_asked(tmp_path: Path, server: bool) -> None:
    one, _ = both(tmp_path)
    key = serialization.load_pem_private_key(one.private_key.read_bytes(), None)
    locked = serialization.BestAvailableEncryption(b"Zanzibar")
    form = serialization.PrivateFormat.PKCS8
    one.private_key.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, locked))
    with pytest.raises(ParameterError, match=r"one\.key is encrypted: give a key without"):
        one.context(server=server)


def test_files_that_are_no_certificates_are_a_sentence(tmp_path: Path) -> None:
    one, one_key = certificate(tmp_path, "one")
    credentials = Credentials(one, one_key, tmp_path / "one.key")
    with pytest.raises(ParameterError, match="must be PEM files"):
        credentials.context(server=True)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Credentials(one, one_key, tmp_path / "nowhere.pem").context(server=True)


def test_without_certificates_only_this_machine_is_talked_to() -> None:
    for host in ("0.0.0.0", "192.0.2.1", "example.org"):  # noqa: S104 - it is refused
        with (
            pytest.raises(ParameterError, match="on this machine only"),
            connected(host, 7001, None, 0.1),
        ):
            pass


@pytest.mark.parametrize(
    "host",
    ["a" * 70 + ".example", "..", "\udc00", "a\0b", "a" * 5000],
    ids=["a long label", "no labels", "half a letter", "zero", "long"],
)
def test_a_name_that_no_host_can_have_is_a_sentence(host: str, tmp_path: Path) -> None:
    one, two = both(tmp_path)
    for end in (
        listening(host, 7001, one, 0.1),
        connected(host, 7001, two, 0.1),
    ):
        with pytest.raises(ParameterError) as refused, end:
            pass
        said = str(refused.value)
        assert said == f"there is no host {host[:80]!r}"
        assert said.isprintable()
    with (
        pytest.raises(ParameterError, match="on this machine only"),
        connected(host, 1, None),
    ):
        pass


def test_nobody_there_is_a_sentence() -> None:
    with (
        pytest.raises(PartyLost, match=r"nobody connected within 0\.1 seconds"),
        listening("127.0.0.1", 0, None, 0.1),
    ):
        pass
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(ParameterError, match=f"can't listen on 127.0.0.1:{port}"),
            listening("127.0.0.1", port, None, 0.1),
        ):
            pass
    with (
        pytest.raises(PartyLost, match=r"nobody answered at 127\.0\.0\.1"),
        connected("127.0.0.1", port, None, 0.1),
    ):
        pass
