"""What Python's device does, for the browser's to repeat.

``python tests/web_fixtures.py`` writes ``web/test/fixtures/`` anew. Like golden vectors they should
never change: browsers in the field keep what they drew.

``logarithms.json`` is a list of ratios (top, bottom, exponent) and their logarithms, rounded up.
``collections.json`` is a list of collections. Each has its ``document`` as text, its ``key``,
both ε as Python rounds them, and what a device of the secret 00 01 … 1f does:
- ``reports``: an answer, the words that are drawn anew as hexadecimal numbers, the record as bytes;
- ``permanent``: an answer, the device's cohort, and the bits that it keeps of the answer, as words;
- ``cells``: an answer, the device's seed, the answer's cell by it, and what the device keeps of it;
- ``plans``: the rounds of a window in which the device reports, whether it looks at its state in
  each of them, what it adds there, and the ids of the reports.
Over time there is ``truth``, the chance that a state that is looked at is told as it is.
Those with windows have ``moments``: a time, its window, its round over all windows, and when the
round, or else the window, ends.
"""

import math
import tempfile
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from sudare import Collection, Device, KShot, Loloha, Rappor, Scripted, Seeded
from sudare.chance.exact import log_up
from sudare.collection.windows import Windows
from sudare.mechanisms.over_time.continual import ContinualMechanism, RepeatedResponse
from support.commands import succeed

FOLDER = Path(__file__).parent.parent / "web/test/fixtures"
SECRET = bytes(range(32))
WINDOWS = 20
# Everything that JSON escapes, and what it might but doesn't; the order of code points beyond 2^16.
ODD = "".join(map(chr, range(1, 32))) + '"\\/\x7f\u2028\u2029<é\ufb01😀'

TEAS = ["--answer", "green", "--answer", "black", "--answer", "お茶"]
MANY = [part for number in range(70) for part in ("--answer", f"model {number}")]
TEXT = ["--free-text", "--lifetime", 4]
TIMES = ["--rounds", 6, "--answer", "off", "--answer", "on", "--mechanism"]
RANGE = ["--from", "-1.5", "--to", "2.5", "--step", "0.25"]
SEVERAL = ["--questions", "questions.toml", "--epsilon", 2, "--design"]
QUESTIONS = """\
[[questions]]
name = "tea"
question = "Which tea?"
answers = ["green", "black", "お茶"]

[[questions]]
name = "town"
question = "Where do you live?"
answers = ["Tokyo", "Kyoto"]
"""
COMMANDS: dict[str, list[object]] = {
    "grr": [*TEAS, "--mechanism", "grr", "--epsilon", 1, "--minimum-reports", 100],
    "oue": [*MANY, "--mechanism", "oue", "--epsilon", 2],
    "sue": [*TEAS, "--mechanism", "sue", "--epsilon", 0.1],
    "subset": [*TEAS, "--mechanism", "subset", "--epsilon", 0.5],
    "subset of many": [*MANY, "--epsilon", 1],
    "several": [*TEAS, "--most", 2, "--epsilon", 1],
    "several of many": [*MANY, "--most", 3, "--epsilon", 1],
    "free text": [*TEXT, "--epsilon", 2],
    "free text, several bits": [*TEXT, "--epsilon", 2, "--hashes", 4, "--cohorts", 7],
    "one-time": ["--free-text", "--form", "one-time", "--epsilon", 3, "--bits", 64],
    "basic": [*MANY, "--mechanism", "rappor", "--epsilon", 1],
    "glance": [*TIMES, "glance", "--epsilon", 1],
    "harmony": [*TIMES, "harmony", "--epsilon", 1],
    "borappor": [*TIMES, "borappor", "--epsilon", 6],
    "kshot": [*TIMES, "auto", "--epsilon", 3.3],
    "kshot, many": [*TIMES, "kshot", "--epsilon", 4, "--shots", 5, "--flips", 1],
    "projective": [*MANY, "--mechanism", "projective", "--epsilon", 1],
    "window": [*RANGE, "--epsilon", 1],
    "wave": [*RANGE, "--estimate", "distribution", "--epsilon", 1],
    "hadamard": [*TEAS, "--mechanism", "hadamard", "--epsilon", 0.5],
    "olh": [*MANY, "--mechanism", "olh", "--epsilon", 1],
    "loloha": [*MANY, "--mechanism", "loloha", "--epsilon", 0.5],
    "sample": [*SEVERAL, "sample"],
    "split": [*SEVERAL, "split"],
    "joint": [*SEVERAL, "joint"],
    "odd": [*TEAS, "--answer", "odd", "--mechanism", "grr", "--epsilon", 8],
}
# Rules that are in the key only where they are stated.
RULES: list[dict[str, Any]] = [
    {"windows": Windows(1_790_000_000, 86_400)},
    {"keeps_reports": True},
    {"invited": True},
    {"windows": Windows(0, 6), "keeps_reports": True, "invited": True},
]


def made(name: str) -> bytes:
    """The document that ``sudare collection new`` writes; odd texts, which it refuses, put in."""
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "made.json"
        (Path(folder) / "questions.toml").write_text(QUESTIONS, "utf-8")
        options = ["--question", f"Which {name}?", *COMMANDS[name], "-o", where]
        succeed(Path(folder), "collection", "new", name, *options)
        document = where.read_bytes()
    if name != "odd":
        return document
    even = Collection.from_json(document)
    answers = (*even.answers[:-1], ODD)
    return replace(even, name=ODD, question=f"Which {ODD}?", answers=answers).to_json()


def ruled(document: bytes, rules: dict[str, Any]) -> dict[str, Any]:
    """A document with rules, its key, and where moments lie in its windows."""
    collection = replace(Collection.from_json(document), **rules)
    fixture: dict[str, Any] = {"document": collection.to_json().decode(), "key": collection.key}
    if collection.windows is None:
        return fixture
    passed = (0, 0.5, 0.999, 1, 5.75, 6, 100, 86_399.5, 86_400, 1e7)
    moments = [_moment(collection, collection.windows.start + each) for each in passed]
    return fixture | {"moments": moments}


def _moment(collection: Collection, now: float) -> dict[str, Any]:
    windows, mechanism = collection.windows, collection.mechanism
    assert windows is not None
    window = windows.at(now)
    number, ends = None, windows.opens(window + 1)
    if isinstance(mechanism, ContinualMechanism):
        number = windows.round_at(now, mechanism.rounds)
        ends = windows.start + number * windows.seconds // mechanism.rounds
    return {"now": now, "window": window, "number": number, "ends": ends}


def known(document: bytes) -> dict[str, Any]:
    """All that the device does with a collection."""
    collection = Collection.from_json(document)
    lasting = collection.lifetime_epsilon
    fixture: dict[str, Any] = {
        "document": document.decode(),
        "key": collection.key,
        "epsilon": collection.epsilon,
        "lifetime_epsilon": lasting if math.isfinite(lasting) else None,
    }
    if isinstance(collection.mechanism, ContinualMechanism):
        fixture["truth"] = str(_truth(collection.mechanism))
        return fixture | {"plans": [_plan(collection, window) for window in range(WINDOWS)]}
    answers: list[Any] = [*collection.answers[-3:]]
    if collection.free_text:
        answers = ["tea", "お茶", "cafe\u0301"]
    elif collection.kind.body.number:
        answers = ["-2", "0.75", "1e2"]
    elif collection.kind.body.several:
        answers = [[], list(collection.answers[:1]), list(collection.answers[-2:])]
    elif collection.kind.body.questions:
        answers = [["green", "Tokyo"], ["お茶", "Kyoto"], ["black", "Kyoto"]]
    fixture["reports"] = [_report(collection, answer, seed) for seed, answer in enumerate(answers)]
    if isinstance(collection.mechanism, Rappor):
        fixture["permanent"] = [_permanent(collection, str(answer)) for answer in answers]
    if isinstance(collection.mechanism, Loloha):
        fixture["cells"] = [_cell(collection, answer) for answer in collection.answers[:20]]
    return fixture


def _report(collection: Collection, answer: str | list[str], seed: int) -> dict[str, Any]:
    words = Seeded(seed).words(500).tolist()
    rng = Scripted(words)
    record = Device(SECRET).report(collection, answer, rng)
    script = [f"{word:016x}" for word in words[: rng.used]]
    return {"answer": answer, "script": script, "record": record.tobytes().hex()}


def _permanent(collection: Collection, answer: str) -> dict[str, Any]:
    mechanism, device = collection.mechanism, Device(SECRET)
    assert isinstance(mechanism, Rappor)
    value = mechanism.domain.check(collection.encode([answer]))
    assigned = mechanism.assign(1, device._derived(collection, b"assign", b""))
    words = device._derived(collection, b"permanent", value.tobytes())
    [kept] = mechanism.permanent(value, assigned, words).tolist()
    bits = [f"{word:016x}" for word in kept]
    return {"answer": answer, "cohort": int(assigned[0]), "bits": bits}


def _cell(collection: Collection, answer: str) -> dict[str, Any]:
    mechanism, device = collection.mechanism, Device(SECRET)
    assert isinstance(mechanism, Loloha)
    value = mechanism.domain.check(collection.encode([answer]))
    seed = mechanism.assign(1, device._derived(collection, b"assign", b""))
    cell = mechanism.remembered(value, seed)
    told = mechanism.permanent(
        value, seed, device._derived(collection, b"permanent", cell.tobytes())
    )
    return {"answer": answer, "seed": int(seed[0]), "cell": int(cell[0]), "told": int(told[0])}


def _plan(collection: Collection, window: int) -> dict[str, Any]:
    device, mechanism = Device(SECRET), collection.mechanism
    assert isinstance(mechanism, ContinualMechanism)
    plan = device.plan(collection, window)
    rounds, heard, noise = (part[0].tolist() for part in plan)
    names = [device.report_id(collection, window * mechanism.rounds + each) for each in rounds]
    ids = [name.hex() for name in names]
    return {"rounds": rounds, "heard": heard, "noise": noise, "ids": ids}


def _truth(mechanism: ContinualMechanism) -> Fraction:
    if isinstance(mechanism, KShot):
        return 1 - mechanism.flip
    assert isinstance(mechanism, RepeatedResponse)
    return Fraction(mechanism.keep)


def collections() -> list[dict[str, Any]]:
    """Every collection, and some with rules."""
    documents = {name: made(name) for name in COMMANDS}
    fixtures = [known(document) for document in documents.values()]
    for name in ("grr", "glance"):
        fixtures += [ruled(documents[name], rules) for rules in RULES]
    return fixtures


def logarithms() -> list[tuple[str, str, int, float]]:
    """Ratios just above 1, huge ones, and whatever lies between."""
    unit = 2**53
    words = [word >> 11 for word in Seeded(1).words(60).tolist()]
    pairs = [(unit + 1, unit), (unit, unit - 1), (2, 1), (3, 2), (3, 1), (2**200, 1), (unit, 1)]
    pairs += [(max(a, b), min(a, b)) for a, b in pairwise(words)]
    pairs += [((unit - b) * (unit - a), a * b) for a, b in pairwise(words) if a + b < unit]
    ratios = [(a, b, power) for a, b in pairs for power in (1, 2, 500)]
    return [(str(a), str(b), n, log_up(Fraction(a, b) ** n)) for a, b, n in ratios]


def texts() -> dict[str, bytes]:
    """The files as they stand in ``web``, by their names."""
    made: dict[str, Any] = {"collections": collections(), "logarithms": logarithms()}
    return {
        f"{name}.json": msgspec.json.format(msgspec.json.encode(fixtures), indent=1) + b"\n"
        for name, fixtures in made.items()
    }


if __name__ == "__main__":
    for file_name, contents in texts().items():
        (FOLDER / file_name).write_bytes(contents)
