"""``sudare ledger``, and parties that charge one before they open or answer."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sudare.chance.exact import float_up
from sudare.errors import ParameterError
from sudare.privacy.account import Account
from sudare.privacy.ledger import Ledger
from sudare.privacy.payment import Payment
from sudare.twoparty.ciphers.interface import cipher_named
from sudare.twoparty.noise.algorithm2 import algorithm2
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import prove
from sudare.twoparty.noise.shipped_tables import shipped
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.joint_count import JointCount
from sudare.twoparty.protocol.session import OnceFile
from support.commands import PATIENCE, process, refused, succeed, together

TABLES = ("--epsilon", 1, "--delta", "1e-6")
TERMS = (*TABLES, "--candidate-tables", 2)
TRIAL = ("--insecure", "--timeout", 20)
ONE = (*TRIAL, "--ledger", "one.json")
TWO = (*TRIAL, "--ledger", "two.json")


def ledgers(folder: Path, *caps: object) -> None:
    """A ledger for each party."""
    for name in ("one.json", "two.json"):
        succeed(folder, "ledger", "new", name, *caps)


def read(folder: Path, name: str) -> Ledger:
    return Ledger.from_json((folder / name).read_bytes())


def test_a_new_ledger_has_its_caps_and_nothing_spent(tmp_path: Path) -> None:
    made = succeed(tmp_path, "ledger", "new", "l.json", "--cap", 3, "--delta-cap", 1e-5, "--json")
    assert made.json() == {
        "cap": {"epsilon": 3.0, "delta": 1e-5},
        "spent": {"epsilon": 0.0, "delta": 0.0},
        "left": {"epsilon": 3.0, "delta": 1e-5},
    }
    assert read(tmp_path, "l.json") == Ledger(3.0, 1e-5)
    assert succeed(tmp_path, "ledger", "show", "l.json").out == (
        "spent  ε = 0, δ = 0\nleft   ε = 3, δ = 1e-05\n"
    )
    assert "δ without a cap" in succeed(tmp_path, "ledger", "new", "m.json", "--cap", 1).out


def test_a_ledger_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "l.json"
    mask = os.umask(0)
    try:
        Account.create(path, Ledger(3.0))
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o644)
        with Account.held(path) as account:
            account.charge("a count", 1.0, delta=0.0)
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_spent_is_rounded_up_and_what_is_left_down(tmp_path: Path) -> None:
    ledger = Ledger(1.0, 1e-5).charge("a count", 0.1, delta=1e-6).charge("other", 0.2, delta=1e-6)
    (tmp_path / "l.json").write_bytes(ledger.to_json())
    found = succeed(tmp_path, "ledger", "show", "l.json", "--json").json()
    spent, left = ledger.spent(), (ledger.left, ledger.delta_left)
    assert found["spent"] == {"epsilon": float_up(spent[0]), "delta": float_up(spent[1])}
    assert 0 <= left[0] - found["left"]["epsilon"] < 1e-15
    assert 0 <= left[1] - found["left"]["delta"] < 1e-20
    assert [row["collection"] for row in found["charges"]] == ["a count", "other"]
    text = succeed(tmp_path, "ledger", "show", "l.json").out
    assert "spent  ε = 0.300001, δ = 2e-06\nleft   ε = 0.699999, δ = 8e-06\n" in text
    assert "ε = 0.100001, δ = 1e-06 in 1 × a count\n" in text


def test_bad_ledgers_are_a_sentence(tmp_path: Path) -> None:
    new = ("ledger", "new", "l.json")
    assert "a cap must be at least 0 and finite, got nan" in refused(tmp_path, *new, "--cap", "nan")
    assert "at least 0 and finite, got -1.0" in refused(tmp_path, *new, "--cap", -1)
    assert "below 1, got 1.0" in refused(tmp_path, *new, "--delta-cap", 1)
    succeed(tmp_path, *new)
    assert "a ledger is not written over" in refused(tmp_path, *new, "--cap", 9)
    (tmp_path / "empty.json").write_bytes(b"")
    (tmp_path / "cut.json").write_bytes((tmp_path / "l.json").read_bytes()[:-9])
    changed = (tmp_path / "l.json").read_bytes().replace(b'"cap":null', b'"cap":1.0')
    (tmp_path / "changed.json").write_bytes(changed)
    os.mkfifo(tmp_path / "pipe")  # which has no writer, and would be waited for
    party = ("party", "one", "--listen", "127.0.0.1:0", *TERMS, "--timeout", 20)
    for file, sentence in (
        ("none.json", "there is no ledger none.json: make one with `sudare ledger new`"),
        ("empty.json", "empty.json is empty"),
        ("cut.json", "cut.json is a JSON document that was cut or changed"),
        ("changed.json", "changed.json: this is not a ledger as it was written"),
        ("pipe", "pipe: a ledger is a regular file"),
        (".", "./ is a folder"),
    ):
        assert sentence in refused(tmp_path, "ledger", "show", file)
        assert sentence in refused(tmp_path, *party, "--insecure", "--ledger", file)
    nowhere = refused(tmp_path, "ledger", "new", "none/l.json")
    assert nowhere.endswith("none/l.json isn't there, nor is the folder %s" % (tmp_path / "none"))
    assert refused(tmp_path, "ledger", "new", "") == "FILE is empty; the name of a file is expected"


def test_links_in_a_circle_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    new = ("joint-count", "new", "smokers", *TERMS, "--people", 9)
    succeed(tmp_path, *new, "--output", "c.json", "--secret", "s.json")
    (tmp_path / "bits.txt").write_text("1\n")
    for arguments in (
        ("ledger", "new", "loop"),
        ("table", *TABLES, "--output", "loop"),
        (*new, "--output", "loop", "--secret", "t.json"),
        (*new, "--output", "d.json", "--secret", "loop"),
        ("joint-count", "encrypt", "c.json", "bits.txt", "--format", "lines", "--output", "loop"),
        ("party", "two", "--connect", "127.0.0.1:1", "--count", "c.json", "--records", "loop"),
    ):
        assert "loop is a link that leads back to itself" in refused(tmp_path, *arguments)


def test_numbers_of_any_size_are_a_few_digits(tmp_path: Path) -> None:
    """And still rounded down, as all that is left."""
    for cap, left in (("5e-324", "4.94065e-324"), ("1e308", "1e+308"), ("1e-9", "0.000000001")):
        made = succeed(tmp_path, "ledger", "new", f"{cap}.json", "--cap", cap)
        assert made.out == f"left   ε = {left}, δ without a cap\n"
    over = ("party", "one", "--listen", "127.0.0.1:0", *TERMS, "--insecure")
    assert refused(tmp_path, *over, "--ledger", "5e-324.json").startswith(
        "ε = 1 is asked for; 0 of 5e-324 is spent, 4.94065e-324 is left"
    )
    for epsilon, sensitivity, reach in (("1e-300", 1, "1.382e+301"), (1, 10**400, "1.382e+401")):
        asked = ("--epsilon", epsilon, "--delta", "1e-6", "--sensitivity", sensitivity)
        assert f"reach to about ±{reach} (" in refused(tmp_path, "table", *asked)


@pytest.mark.parametrize("blind", [False, True], ids=["P2 sees the result", "P2 is blind"])
def test_both_parties_are_charged_the_delta_of_who_learns_the_most(
    tmp_path: Path, blind: bool
) -> None:
    """P2 knows which of the document's draws coincide, and P1 tells it the result.

    So the people in the total are exposed at P2's δ, whoever's ledger stands for them.
    """
    wide = TableDocument(Guarantee(1.0, 1e-3), algorithm2(Guarantee(1.0, 1e-6), 2))
    (tmp_path / "t.json").write_bytes(wide.to_json())
    proof = prove(wide.scheme, wide.guarantee)
    ledgers(tmp_path, "--cap", 3)
    table = ("--table", "t.json", "--candidate-tables", 2, "--json", *["--p2-blind"] * blind)
    ends = together(tmp_path, (*table, *ONE), (*table, *TWO, "--total", 5))
    assert [end.code for end in ends] == [0, 0]
    assert proof.delta_p2 > 100 * proof.delta_p1
    delta = float_up(proof.delta_p1 if blind else proof.delta_p2)
    for end, name in zip(ends, ("one.json", "two.json"), strict=True):
        told = end.json()
        assert read(tmp_path, name) == Ledger(3.0).charge(told["key"], 1.0, delta=delta)
        assert told["ledger"]["spent"] == {"epsilon": 1.0, "delta": delta}
        assert told["ledger"]["left"] == {"epsilon": 2.0, "delta": None}


@pytest.mark.parametrize(
    ("caps", "sentence"),
    [
        (("--cap", 2.5), "ε = 1 is asked for; 2 of 2.5 is spent, 0.5 is left"),
        (("--delta-cap", "1.1e-6"), "δ = 0.000000525924 is asked for; 0.00000105185 of 1.1e-06"),
    ],
    ids=["epsilon", "delta"],
)
def test_every_session_costs_until_the_cap(
    tmp_path: Path, caps: tuple[object, ...], sentence: str
) -> None:
    ledgers(tmp_path, *caps)
    for _ in range(2):
        one, two = together(tmp_path, (*TERMS, *ONE), (*TERMS, *TWO, "--total", 5))
        assert (one.code, two.code) == (0, 0)
    proof = shipped(Guarantee(1.0, 1e-6))
    assert proof is not None
    assert [(c.times, c.price) for c in read(tmp_path, "one.json").charges] == [
        (2, (1.0, float_up(proof.delta_p1)))
    ]
    assert "ledger        spent ε = 2, δ = 1.06e-06; left ε " in one.out
    for part in (("one", *ONE, "--listen"), ("two", *TWO, "--total", 5, "--connect")):
        assert sentence in refused(tmp_path, "party", *part, "127.0.0.1:1", *TERMS)


def test_nothing_is_charged_where_nothing_is_spent(tmp_path: Path) -> None:
    ledgers(tmp_path)
    other = ("--epsilon", 2, "--delta", "1e-6", *TWO, "--total", 5)
    assert [end.code for end in together(tmp_path, (*TERMS, *ONE), other)] == [2, 2]
    assert read(tmp_path, "one.json") == read(tmp_path, "two.json") == Ledger()


def test_a_count_is_paid_for_once_even_if_its_opening_fails(tmp_path: Path) -> None:
    """One device encrypts a million, so P1 has paid and marked and then opens nothing."""
    ledgers(tmp_path, "--cap", 9)
    new = ("joint-count", "new", "smokers", *TERMS, "--people", 9, "-o", "c.json")
    succeed(tmp_path, *new, "--secret", "s.json")
    count = JointCount.from_json((tmp_path / "c.json").read_bytes())
    record = cipher_named("elgamal").encrypt(count.public, 10**6)
    (tmp_path / "r.bin").write_bytes(record)
    one = ("--count", "c.json", "--secret", "s.json", *ONE)
    two = ("--count", "c.json", "--records", "r.bin", *TWO)
    ends = together(tmp_path, one, two)
    assert [(end.code, end.out) for end in ends] == [(2, ""), (2, "")]
    assert "holds no value from" in ends[0].err
    for name in ("one.json", "two.json"):
        paid = Ledger(9.0).charge(count.key, 1.0, delta=count.bound_agreement.spent_delta)
        assert read(tmp_path, name) == paid
    for mark in [*tmp_path.glob("*.opened"), *tmp_path.glob("*.answered")]:
        mark.unlink()  # as in a folder that was copied without them
    for part, address, options in (("one", "--listen", one), ("two", "--connect", two)):
        sentence = refused(tmp_path, "party", part, *options, address, "127.0.0.1:1")
        assert sentence.startswith(f"this count was paid for once already, as {part}.json says")


@pytest.mark.parametrize(
    ("part", "step", "paid"),
    [
        ("one", "session.OnceFile.make", {"one": 1, "two": 1}),
        ("one", "parties.Sealed.open", {"one": 1, "two": 1}),
        ("two", "session.OnceFile.make", {"one": 0, "two": 1}),
    ],
    ids=["P1 before its mark", "P1 before opening", "P2 before its mark"],
)
def test_a_party_that_is_killed_in_between_has_paid_and_opens_nothing(
    tmp_path: Path, part: str, step: str, paid: dict[str, int]
) -> None:
    ledgers(tmp_path, "--cap", 9)
    new = ("joint-count", "new", "smokers", *TERMS, "--people", 9, "-o", "c.json")
    succeed(tmp_path, *new, "--secret", "s.json")
    (tmp_path / "bits.txt").write_text("1\n1\n")
    bits = ("c.json", "bits.txt", "--format", "lines")
    succeed(tmp_path, "joint-count", "encrypt", *bits, "-o", "r.bin")
    one = ("one", "--listen", "127.0.0.1:0", "--count", "c.json", "--secret", "s.json", *ONE)
    two = ("two", "--count", "c.json", "--records", "r.bin", *TWO, "--connect")
    dies_at = {part: step}
    with killed_at(dies_at.get("one"), tmp_path, "party", *one) as first:
        assert first.stderr is not None
        while not (said := first.stderr.readline().decode()).startswith("listening on "):
            assert said, "P1 ended before it listened"
        with killed_at(dies_at.get("two"), tmp_path, "party", *two, said.split()[-1]) as second:
            outs = [party.communicate(timeout=PATIENCE)[0] for party in (second, first)]
    assert outs == [b"", b""]
    codes = {"one": first.returncode, "two": second.returncode}
    assert codes[part] == -signal.SIGKILL
    count = JointCount.from_json((tmp_path / "c.json").read_bytes())
    for name in codes:
        assert read(tmp_path, f"{name}.json").spent(count.key).epsilon == paid[name]
    for name, options in (("one", one), ("two", (*two, "127.0.0.1:1"))):
        if paid[name]:
            assert "once already" in refused(tmp_path, "party", *options)


def killed_at(step: str | None, folder: Path, *arguments: object) -> "subprocess.Popen[bytes]":
    """A command in a process that is killed when it comes to a step of ``twoparty.protocol``."""
    code = "from sudare.cli import main; main()"
    if step is not None:
        module, name, method = step.split(".")
        code = (
            f"import os, signal; from sudare.twoparty.protocol.{module} import {name}\n"
            f"{name}.{method} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n{code}"
        )
    command = [sys.executable, "-c", code, *(str(argument) for argument in arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe)


def payment(account: Account, mark: OnceFile) -> Payment:
    return Payment(account, "a count", 1.0, 1e-6, mark)


def test_a_crash_between_paying_and_marking_has_paid(tmp_path: Path) -> None:
    """The mark's folder goes in between, so making it fails right after the charge."""
    path, gone = tmp_path / "one.json", tmp_path / "gone"
    gone.mkdir()

    class Going(Account):
        def charge(self, key: str, epsilon: float, *, delta: float) -> None:
            super().charge(key, epsilon, delta=delta)
            gone.rmdir()

    Account.create(path, Ledger(3.0))
    with Going.held(path) as going, pytest.raises(FileNotFoundError):
        payment(going, OnceFile(gone / "a.opened", "this key opened a total")).make()
    assert read(tmp_path, "one.json") == Ledger(3.0).charge("a count", 1.0, delta=1e-6)
    mark = OnceFile(tmp_path / "a.opened", "this key opened a total")
    for act in ("check", "make"):
        with Account.held(path) as account, pytest.raises(ParameterError, match="paid for once"):
            getattr(payment(account, mark), act)()
    assert not mark.path.exists()


def test_nothing_is_paid_where_no_mark_can_be_made(tmp_path: Path) -> None:
    """A folder that isn't one, and that of a secret which comes through a pipe."""
    path = tmp_path / "one.json"
    Account.create(path, Ledger(3.0))
    for folder in (tmp_path / "none", path, Path("/proc/self/fd")):
        mark = OnceFile(folder / "a.opened", "this key opened a total")
        with Account.held(path) as account, pytest.raises(ParameterError, match="must be a folder"):
            payment(account, mark).make()
    assert read(tmp_path, "one.json") == Ledger(3.0)


def test_a_secret_from_a_pipe_is_refused_before_anything_is_paid(tmp_path: Path) -> None:
    ledgers(tmp_path)
    new = ("joint-count", "new", "smokers", *TERMS, "--people", 9, "-o", "c.json")
    succeed(tmp_path, *new, "--secret", "s.json")
    one = ("--listen", "127.0.0.1:0", "--count", "c.json", "--secret", "/dev/stdin", *ONE)
    with process(tmp_path, "party", "one", *one) as party:
        out, err = party.communicate((tmp_path / "s.json").read_bytes(), timeout=PATIENCE)
    assert (party.returncode, out) == (2, b"")
    assert err == b"Error: /dev/stdin is not a regular file\n"
    assert read(tmp_path, "one.json") == Ledger()


def test_a_charge_that_can_not_be_written_is_no_charge_and_no_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.json"
    Account.create(path, Ledger(3.0))
    mark = OnceFile(tmp_path / "a.opened", "this key opened a total")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with Account.held(path) as account:
        monkeypatch.setattr("sudare.formats.files.os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            payment(account, mark).make()
        assert account.ledger == Ledger(3.0)
    assert read(tmp_path, "one.json") == Ledger(3.0)
    assert not mark.path.exists()


def test_a_ledger_has_one_holder(tmp_path: Path) -> None:
    """So two parties can't share one, and no charge of a session is lost to another's."""
    succeed(tmp_path, "ledger", "new", "one.json")
    listen = ("party", "one", "--listen", "127.0.0.1:0", *TERMS, *ONE)
    with process(tmp_path, *listen, stdin=None) as first:
        assert first.stderr is not None
        while not (said := first.stderr.readline().decode()).startswith("listening on "):
            assert said, "P1 ended before it listened"
        two = ("party", "two", "--connect", said.split()[-1], *TERMS, *ONE, "--total", 5)
        assert "the ledger one.json is open already" in refused(tmp_path, *two)
        first.terminate()
    assert msgspec.json.decode((tmp_path / "one.json").read_bytes())["sudare"] == "ledger"
