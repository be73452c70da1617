"""Documents, messages and files that somebody hostile would send: valid ones, a little changed.

``documents``, ``messages`` and ``commands`` take a seed, try so many things that follow from it,
and count what became of them. They raise where anything else happens than what is promised: a
value, or a ``SudareError``.
"""

import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rbcl

from sudare import Aggregate, Collection, Discovery, Seeded
from sudare.errors import SudareError
from sudare.formats.seals import seal
from sudare.formats.strangers import visible, visible_lines
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Ledger
from sudare.twoparty.ciphers.bit_proof import encrypt_bit, is_bit
from sudare.twoparty.ciphers.elgamal import ElGamal
from sudare.twoparty.ciphers.interface import Keys
from sudare.twoparty.noise.table_document import TableDocument
from sudare.twoparty.protocol.agreement import Agreement
from sudare.twoparty.protocol.joint_count import JointCount
from sudare.twoparty.protocol.messages import Step, Transcript
from sudare.twoparty.protocol.parties import Listening, TotalOfP2
from support import parties
from support.analysts import DAYS, ONLINE, STUDY, TEA, WORDS
from support.commands import UNTOLD, run, succeed
from support.fault_fuzz import changed
from support.parties import SMALL

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 2**31, 2**53, 2**53 + 1, 2**63, 2**64, -(2**63), 10**40),
    *(0.0, -0.0, 0.5, 1e-320, 1e308, 1e400, float("nan"), 1.0000000000000002),
    *("", "0", " ", "\x00", "\x1b[2J", "\u202e", "é", "e\u0301", "=1+1", "a" * 5000, "\ud7ff"),
    *([], {}, [[]], [None], {"": None}, [0] * 2000),
)


def bent(rng: random.Random, value: Any) -> Any:
    """A JSON value with one part changed, taken out, doubled, or put where it doesn't belong."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        return _bent_object(rng, value)
    if isinstance(value, list) and value and rng.random() < 0.85:
        return _bent_array(rng, value)
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.4:
        return rng.choice([value + 1, value - 1, -value, value * 2, value / 2, str(value)])
    return rng.choice(VALUES)


def _bent_object(rng: random.Random, value: dict[str, Any]) -> dict[str, Any]:
    name = rng.choice(list(value))
    how = rng.random()
    if how < 0.08:
        return {other: part for other, part in value.items() if other != name}
    if how < 0.14:
        return {**value, rng.choice(["", "more", name + " ", name.upper()]): value[name]}
    if how < 0.2:
        return {**value, name: value[rng.choice(list(value))]}
    return {**value, name: bent(rng, value[name])}


def _bent_array(rng: random.Random, value: list[Any]) -> list[Any]:
    at = rng.randrange(len(value))
    how = rng.random()
    if how < 0.1:
        return value[:at] + value[at + 1 :]
    if how < 0.2:
        return [*value[:at], value[at], *value[at:]]
    if how < 0.3:
        return rng.sample(value, len(value))
    return [*value[:at], bent(rng, value[at]), *value[at + 1 :]]


def hostile(rng: random.Random, document: bytes) -> bytes:
    """A document with its values or its bytes changed, a few times."""
    if rng.random() < 0.75:
        value = json.loads(document)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            value = bent(rng, value)
        document = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")
    if rng.random() < 0.3:
        document = changed(rng, document)
    return document


@dataclass(frozen=True)
class Kind:
    """A kind of document: valid ones, its reader, and how a body is sealed if it is."""

    samples: tuple[bytes, ...]
    read: Callable[[bytes], Any]
    sealed: str | None = None

    def drawn(self, rng: random.Random) -> bytes:
        """A hostile one; what is sealed is mostly sealed again, else nothing behind it is read."""
        sample = rng.choice(self.samples)
        if self.sealed is None or rng.random() < 0.1:
            return hostile(rng, sample)
        body = json.loads(sample)["body"]
        for _ in range(rng.choice([1, 1, 2, 3])):
            body = bent(rng, body)
        try:
            return seal(self.sealed, body)
        except (OverflowError, UnicodeEncodeError, ValueError):  # no JSON of ours holds it
            return hostile(rng, sample)


def _kinds() -> dict[str, Kind]:
    secret = bytes([7, *bytes(31)])  # always the same: a seed says all
    keys = Keys(rbcl.crypto_scalarmult_ristretto255_base(secret), secret)
    agreement = Agreement(SMALL, ElGamal.name, people=1000)
    count = JointCount("smokers", agreement, keys.public, proofs=True)
    totals = [one.simulate({"green": 300, "black": 200}, Seeded(1)) for one in (TEA,)]
    ledger = Ledger(5.0, 1e-5, collection_cap=2.0).charge("a", 0.5, window=2, times=3)
    ledger = ledger.charge("b", 0.25, delta=1e-6).keep("c", "x", 2, 0.75)
    plan = Discovery.calibrate("words", "Which word?", epsilon=4.0, bits=64, cohorts=4)
    return {
        "collection": Kind(
            tuple(one.to_json() for one in (TEA, DAYS, ONLINE, STUDY, WORDS)), Collection.from_json
        ),
        "aggregate": Kind(tuple(total.to_json() for total in totals), Aggregate.from_json),
        "table": Kind((SMALL.to_json(),), TableDocument.from_json),
        "count": Kind((count.to_json(),), JointCount.from_json),
        "secret": Kind((count.secret_json(keys),), count.keys),
        "terms": Kind((agreement.terms,), agreement.check_terms),
        "ledger": Kind((Ledger().to_json(), ledger.to_json()), Ledger.from_json, "ledger"),
        "diary": Kind((Diary(ledger, {"a": 3}).to_json(),), Diary.from_json, "diary"),
        "discovery": Kind((plan.to_json(),), Discovery.from_json),
    }


def _check_sentence(error: SudareError, data: bytes) -> None:
    """A refusal is a line that does nothing to a terminal."""
    assert visible(str(error)) == str(error), (data, str(error))


def documents(seed: int, number: int = 2000) -> Counter[str]:
    """Documents of every kind: refused with a sentence, or read, then written and read alike."""
    rng = random.Random(seed)  # noqa: S311 - a test's, no secret
    kinds, fates = _kinds(), Counter[str]()
    for _ in range(number):
        kind = kinds[rng.choice(list(kinds))]
        data = kind.drawn(rng)
        try:
            found = kind.read(data)
        except SudareError as error:
            _check_sentence(error, data)
            fates["refused"] += 1
            continue
        fates["taken"] += 1
        if hasattr(found, "to_json"):
            written = found.to_json()
            assert kind.read(written).to_json() == written, data
    return fates


def messages(seed: int, number: int = 400) -> Counter[str]:
    """Messages of a party that can seal what it likes: refused, or of a value; no wrong bit proved.

    Ciphertexts are drawn afresh each time: the same seed changes them in the same places.
    """
    rng = random.Random(seed)  # noqa: S311 - a test's, no secret
    cipher, chance = ElGamal(), Seeded(seed)
    agreement = Agreement(SMALL, cipher.name, people=1000, candidates=2)
    session = parties.run(agreement, cipher, TotalOfP2(total=500), rng=chance)
    tables = 1 + len(SMALL.scheme.tables)
    parts_of = dict(zip(Step, (1, 2, 1, tables, 1, 2), strict=True))
    sent = dict(zip(Step, session.said, strict=True))
    before = {
        Step.HELLO: Transcript(agreement.key),
        Step.COMMITMENTS: session.greeting.transcript,
        Step.CHOICE: session.bound.transcript,
        Step.TABLES: session.choosing.transcript,
        Step.SUM: session.offering.transcript,
        Step.RESULT: session.answering.transcript,
    }
    take: dict[Step, Callable[[bytes], object]] = {
        Step.HELLO: lambda data: Listening(agreement, cipher).receive(data, chance),
        Step.COMMITMENTS: lambda data: session.greeting.receive(data, chance),
        Step.CHOICE: session.bound.receive,
        Step.TABLES: lambda data: session.choosing.receive(data, chance),
        Step.SUM: lambda data: session.offering.receive(data).open(),
        Step.RESULT: session.answering.receive,
    }
    fates = Counter[str]()
    public = session.offering.keys.public
    record = encrypt_bit(public, 1, b"a count")
    for _ in range(number):
        wrong = changed(rng, record)
        assert not is_bit(public, wrong, b"a count") or wrong == record
        step = rng.choice(list(sent))
        message, parts = sent[step], parts_of[step]
        if rng.random() < 0.7:
            transcript, held = before[step].receive(step, message, parts)
            bent_parts = list(held)
            for _ in range(rng.choice([1, 1, 2])):
                at = rng.randrange(len(bent_parts))
                bent_parts[at] = changed(rng, bent_parts[at])
            named = Transcript(transcript.agreement, transcript.session, before[step].digest)
            message = named.send(step, *bent_parts)[1]
        else:
            message = changed(rng, message)
        try:
            take[step](message)
        except SudareError as error:
            _check_sentence(error, message)
            fates["refused"] += 1
        else:
            fates["taken"] += 1
    return fates


COMMANDS: tuple[tuple[str, tuple[object, ...]], ...] = (
    ("tea.json", ("collection", "show", "tea.json")),
    ("tea.json", ("epsilon", "tea.json")),
    ("tea.json", ("estimate", "tea.json", "total.json")),
    ("answers.csv", ("randomize", "tea.json", "answers.csv", "-o", "out.arrow")),
    ("answers.parquet", ("randomize", "tea.json", "answers.parquet", "-o", "out.arrow")),
    ("reports.arrow", ("aggregate", "tea.json", "reports.arrow", "-o", "out.json")),
    ("reports.parquet", ("aggregate", "tea.json", "reports.parquet", "-o", "out.json")),
    ("total.json", ("estimate", "tea.json", "total.json", "--json")),
    ("words.json", ("decode", "words.json", "sum.json", "--candidates", "candidates.txt")),
    ("sum.json", ("decode", "words.json", "sum.json", "--candidates", "candidates.txt")),
    ("candidates.txt", ("decode", "words.json", "sum.json", "--candidates", "candidates.txt")),
    ("ledger.json", ("ledger", "show", "ledger.json")),
    ("table.json", ("table", "check", "table.json")),
    ("states.csv", ("randomize", "online.json", "states.csv", "-o", "out.arrow")),
)


def _survey(folder: Path) -> None:
    """Every file that the commands above read, valid."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, collection in (("tea", TEA), ("words", WORDS), ("online", ONLINE)):
        (folder / f"{name}.json").write_bytes(collection.to_json())
    answers = ["green", "black", "oolong"] * 50
    (folder / "answers.csv").write_text("\n".join(["answer", *answers]) + "\n")
    pq.write_table(pa.table({"answer": answers}), folder / "answers.parquet")
    seeded = ("--insecure-seed", 1)
    for suffix in ("arrow", "parquet"):
        succeed(folder, "randomize", "tea.json", "answers.csv", "-o", f"reports.{suffix}", *seeded)
    succeed(folder, "aggregate", "tea.json", "reports.arrow", "-o", "total.json")
    words = WORDS.simulate({"tea": 300, "coffee": 100}, Seeded(1))
    (folder / "sum.json").write_bytes(words.to_json())
    (folder / "candidates.txt").write_text("tea\ncoffee\ncocoa\n")
    (folder / "ledger.json").write_bytes(Ledger(3.0).charge("a", 0.5).to_json())
    (folder / "table.json").write_bytes(SMALL.to_json())
    states = "\n".join(",".join("01"[row >> at & 1] for at in range(6)) for row in range(64))
    (folder / "states.csv").write_text("1,2,3,4,5,6\n" + states + "\n")


def commands(seed: int, number: int = 40) -> Counter[str]:
    """Commands on hostile files: they work, or say one sentence that repeats no answer."""
    rng = random.Random(seed)  # noqa: S311 - a test's, no secret
    fates = Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _survey(folder)
        for _ in range(number):
            file, command = rng.choice(COMMANDS)
            path = folder / file
            genuine = path.read_bytes()
            data = genuine
            if file.endswith(".csv"):
                data = data.replace(b"black", UNTOLD.encode(), rng.choice([0, 1, 7]))
            if file.endswith(".json"):
                data = hostile(rng, data)
            else:
                for _ in range(rng.choice([1, 1, 2, 4])):
                    data = changed(rng, data)
            path.write_bytes(data)
            result = run(folder, *command)
            what = (command, data, result)
            assert result.code in {0, 2}, what
            assert UNTOLD not in result.err, what
            assert visible_lines(result.err) == result.err, what
            if result.code:
                assert result.err.startswith("Error: "), what
                assert "Traceback" not in result.err, what
            fates["refused" if result.code else "taken"] += 1
            path.write_bytes(genuine)
    return fates
