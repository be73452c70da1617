"""Golden vectors: what each mechanism makes of given words, for every language to repeat.

``python tests/vectors.py`` writes ``tests/golden/<mechanism>.json`` anew. Do so only when a
mechanism is added: a vector that changes means that devices in the field no longer do what
their collection says.

A file holds
- ``cases``: a mechanism's document and key, one value per person, the keystream words as
  hexadecimal numbers in the order they are drawn, and the reports as bytes;
- ``bulk``: person i answers i mod k, or "text <i mod 100>" in words of their own, or is in round
  t in the state that is the bit t mod 8 of i, or selects i mod (most + 1) answers in a row, from
  i mod k on, or gives each question the answer i mod its k; of numbers, i mod (steps + 1);
  words are those of a ``Seeded`` stream (AES-256-CTR of zeros, keyed with SHA-256 of
  "sudare seed <seed>");
  the SHA-256 of the reports;
- ``refused_values`` and ``refused_reports``: what must raise, and which error;
- ``hashing``, for free text: a text, its digest under a key, and the bits that it sets in some
  cohorts, in the order of the hashes.
"""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sudare import (
    GRR,
    OUE,
    SUE,
    Borappor,
    Glance,
    HadamardResponse,
    Harmony,
    JointQuestions,
    KShot,
    LocalHashing,
    Loloha,
    Mechanism,
    Numbers,
    ProjectiveGeometry,
    Rappor,
    SampledQuestions,
    Scripted,
    Seeded,
    Selections,
    SetResponse,
    SplitQuestions,
    SquareWave,
    Streams,
    SubsetSelection,
    Window,
)
from sudare.mechanisms.bloom import design_rows
from sudare.mechanisms.domain import Questions
from sudare.mechanisms.strings import Strings
from support.compiled import NEVER, compiled_from

FOLDER = Path(__file__).parent / "golden"
Values = list[int] | list[str] | list[list[int]]


@dataclass(frozen=True)
class Case:
    """A mechanism, its people, and the words put in place of random ones."""

    about: str
    mechanism: Mechanism
    values: Values
    words: dict[int, int]


def _lane(p: float) -> int:
    """The 16-bit lane that leaves a coin of chance ``p`` undecided."""
    return int(p * 2**16)


def _tie(p: float) -> int:
    """The first word that loses the tie of a coin of chance ``p``: one less wins."""
    return (int(p * 2**53) & (1 << 37) - 1) << 27


WARNER, FEW, MANY = GRR(2, 0.75), GRR.calibrate(4, 1.0), GRR.calibrate(5000, 3.0)
TIED = _lane(FEW.keep) * 0x0001_0001_0001_0001
DIGITS, WIDE = ProjectiveGeometry(43, 0.625, 3, 4), ProjectiveGeometry.calibrate(5000, 3.0)
CELLS, FINE = LocalHashing(43, 0.625, 3, 4), LocalHashing.calibrate(5000, 4.0)
LASTING, WIDER = Loloha(43, 3, 4, 0.75, 0.625), Loloha.calibrate(5000, 3.0)
HALVES = HadamardResponse(43, 0.625)
TEXTS = ["tea", "お茶", "caf\u00e9", "cafe\u0301", "🍵", "tea "]
USUAL, BASIC = Rappor(128, 2, 64, 0.5, 0.5, 0.75), Rappor.calibrate(1.0, form="basic", bits=43)

CHECKED = [[0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 1, 0], [0, 0, 1, 0, 1], [0, 0, 0, 0, 1]]
SETS = SetResponse(5, 2, 3, 0.9375)
SUBSETS = SubsetSelection(5, 2, 0.75)

UNEVEN = Window(6, 2, 0.75, (-3, -2, 0, 2, 3))
HALF = (148, 160, 185, 212, 236, 263, 288, 332)
AGES = Window(81, 8, 0.75, (*(-score for score in reversed(HALF)), *HALF))

WAVE, WAVES = SquareWave(9, 5, 2, 0.75), SquareWave.calibrate(100, 1.0)
MOST_BINS = SquareWave.calibrate(1 << 20, 1.0, bins=1024)

THREE = (WARNER, OUE.calibrate(70, 1.0), DIGITS)
ASKED = [[0, 0, 0], [1, 69, 42], [1, 64, 7], [0, 1, 2], [1, 63, 0]]
DRAWN, PARTED = SampledQuestions(THREE), SplitQuestions(THREE)
TABLE = JointQuestions((2, 3, 2), GRR.calibrate(12, 2.0))
TABLED = [[0, 0, 0], [1, 2, 1], [0, 1, 1], [1, 0, 0]]

STREAM = [[0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], [0, 1, 1, 0, 0, 1]]
ONCE, SEVERAL = Glance.calibrate(6, 1.0), KShot.calibrate(6, 3.0, shots=3)

CASES: dict[str, list[Case]] = {
    "grr": [
        Case("Warner's coin: no lie is drawn", WARNER, [0, 1, 0, 1, 1], {}),
        Case("few answers", FEW, [0, 1, 2, 3, 3, 2, 1, 0, 0], {}),
        Case(
            "tied coins: the first loses by one, the second wins by one",
            FEW,
            [0, 1, 2, 3],
            {0: TIED, 1: _tie(FEW.keep), 2: _tie(FEW.keep) - 1},
        ),
        Case("an unfair lane is drawn again, twice", FEW, [0, 1, 2, 3], {0: 2**64 - 1, 1: 0, 2: 0}),
        Case("wide lanes for many answers", MANY, [0, 1, 500, 4998, 4999], {}),
        Case("nobody", FEW, [], {}),
    ],
    "oue": [
        Case("two answers", OUE(2, 0.5, 0.25), [0, 1, 1], {}),
        Case("few answers", OUE.calibrate(3, 1.0), [0, 1, 2], {}),
        Case("all lanes tied for 8 planes", OUE(3, 0.5, 3 / 1024), [2], dict.fromkeys(range(8), 0)),
        Case("two words to a report", OUE.calibrate(70, 2.0), [0, 63, 64, 69], {}),
        Case("nobody", OUE.calibrate(3, 1.0), [], {}),
    ],
    "sue": [
        Case("Warner's coin on each bit", SUE(2, 0.75, 0.25), [0, 1, 1], {}),
        Case("few answers", SUE.calibrate(5, 1.0), [0, 1, 2, 3, 4], {}),
        Case("two words to a report", SUE.calibrate(128, 4.0), [0, 64, 127], {}),
    ],
    "set": [
        Case("a coin to meet, one for more; own items, then others", SETS, CHECKED, {}),
        Case("one person", SETS, CHECKED[2:3], {}),
        Case("one item in a report: no more coins", SetResponse(5, 2, 1, 0.5), CHECKED, {}),
        Case("nearly all items", SetResponse(5, 3, 5, 1 - 2.0**-8), CHECKED[:2], {}),
        Case(
            "two words to a report",
            SetResponse.calibrate(70, 3, 1.0),
            [[int(answer in (0, 63, 69)) for answer in range(70)], [0] * 70],
            {},
        ),
        Case("nobody", SETS, [], {}),
    ],
    "subset": [
        Case("coins, then sets of the others", SUBSETS, [0, 1, 2, 3, 4], {}),
        Case("one person", SUBSETS, [3], {}),
        Case("one answer in a set: none of the others", SubsetSelection(3, 1, 0.5), [0, 1, 2], {}),
        Case("all answers but one", SubsetSelection(4, 3, 0.875), [0, 1, 2, 3], {}),
        Case("one bit more than a word", SubsetSelection.calibrate(65, 1.0), [0, 63, 64], {}),
        Case("three words to a report", SubsetSelection.calibrate(130, 2.0), [0, 64, 129], {}),
        Case("nobody", SUBSETS, [], {}),
    ],
    "window": [
        Case("rounding, coins, outputs inside, outputs outside", UNEVEN, [0, 1, 2, 3, 4, 5, 6], {}),
        Case("one person", UNEVEN, [4], {}),
        Case("wide lanes for rounding", AGES, [0, 1, 40, 41, 80, 81], {}),
        Case("an unfair lane is drawn again", AGES, [40, 41], {0: 0, 1: 2**64 - 1}),
        Case("two numbers: a coin", Window(1, 1, 0.75, (-1, 1)), [0, 1, 1, 0], {}),
        Case(
            "numbers that are nodes: none is rounded",
            Window(4, 2, 0.875, (-5, -3, -1, 1, 3, 5)),
            [0, 1, 2, 3, 4],
            {},
        ),
        Case("as many steps as there may be", replace(AGES, steps=1 << 20), [0, 1, 1 << 20], {}),
        Case("nobody", AGES, [], {}),
    ],
    "wave": [
        Case("coins, outputs inside, outputs outside", WAVE, list(range(10)), {}),
        Case("one person", WAVE, [4], {}),
        Case("bins of 6 and of 7 numbers", WAVES, [0, 6, 7, 12, 50, 94, 99, 100], {}),
        Case("an unfair lane is drawn again", SquareWave(9, 5, 3, 0.75), [4, 9], {1: 0}),
        Case("windows of one output: none is drawn", SquareWave(9, 5, 1, 0.75), [0, 5, 9], {}),
        Case("two bins: one output outside", SquareWave(1, 2, 2, 0.75), [0, 1, 1, 0], {}),
        Case("two bytes to a report", SquareWave.calibrate(999, 1.0, bins=250), [0, 500, 999], {}),
        Case("as many steps and bins as there may be", MOST_BINS, [0, 12_345, 1 << 20], {}),
        Case("nobody", WAVE, [], {}),
    ],
    "sample": [
        Case("everybody's question, then part by part", DRAWN, ASKED, {}),
        Case("one person", DRAWN, ASKED[1:2], {}),
        Case("another person", DRAWN, ASKED[2:3], {}),
        Case("a lane of questions is drawn again", DRAWN, ASKED[1:2], {0: 0}),
        Case("two questions", SampledQuestions((FEW, MANY)), [[3, 4999], [0, 0], [1, 500]], {}),
        Case("nobody", DRAWN, [], {}),
    ],
    "split": [
        Case("everybody's answer to one question, then to the next", PARTED, ASKED, {}),
        Case("one person", PARTED, ASKED[1:2], {}),
        Case("two questions", SplitQuestions((FEW, MANY)), [[3, 4999], [0, 0], [1, 500]], {}),
        Case("nobody", PARTED, [], {}),
    ],
    "joint": [
        Case("combinations, the last question's answer fastest", TABLE, TABLED, {}),
        Case("one person", TABLE, TABLED[1:2], {}),
        Case(
            "two words to a report",
            JointQuestions((7, 10), OUE.calibrate(70, 2.0)),
            [[0, 0], [6, 9], [6, 4]],
            {},
        ),
        Case("nobody", TABLE, [], {}),
    ],
    "projective": [
        Case("coins, solved equations, unsolved ones", DIGITS, [0, 1, 2, 41, 42], {}),
        Case("one person", DIGITS, [42], {}),
        Case(
            "what nobody solves is drawn; then an unfair lane",
            DIGITS,
            [7, 8],
            {0: 2**64 - 1, 2: 0x0000_0000_0000_FFFF, 3: 1 << 8},
        ),
        Case("bits", ProjectiveGeometry(5, 0.75, 2, 3), [0, 1, 2, 3, 4], {}),
        Case("one digit", ProjectiveGeometry(5, 0.5, 7, 1), [0, 1, 2, 3, 4], {}),
        Case("wide lanes for many answers", WIDE, [0, 1, 500, 4998, 4999], {}),
        Case("nobody", DIGITS, [], {}),
    ],
    "hadamard": [
        Case("coins, then rows", HALVES, [0, 1, 2, 41, 42], {}),
        Case("one person", HALVES, [42], {}),
        Case("two answers", HadamardResponse(2, 0.75), [0, 1, 1, 0], {}),
        Case("wide lanes", HadamardResponse.calibrate(70_000, 1.0), [0, 1, 69_999], {}),
        Case("nobody", HALVES, [], {}),
    ],
    "olh": [
        Case("coins, then how far off a lie is, with a seed", CELLS, [0, 1, 2, 41, 42], {}),
        Case("one person", CELLS, [42], {}),
        Case("an unfair lane is drawn again", CELLS, [7, 8], {1: 0}),
        Case("bits: a lie is the other cell", LocalHashing(5, 0.75, 2, 3), [0, 1, 2, 3, 4], {}),
        Case("one digit", LocalHashing(5, 0.5, 7, 1), [0, 1, 2, 3, 4], {}),
        Case("wide lanes for many answers", FINE, [0, 1, 500, 4998, 4999], {}),
        Case("nobody", CELLS, [], {}),
    ],
    "loloha": [
        Case("seeds; coins and lies for good; coins and lies anew", LASTING, [0, 1, 2, 41, 42], {}),
        Case("one person", LASTING, [42], {}),
        Case("an unfair seed is drawn again", LASTING, [7, 8], {0: 0}),
        Case("bits: a lie is the other cell", Loloha(5, 2, 3, 0.75, 0.75), [0, 1, 2, 3, 4], {}),
        Case("one digit", Loloha(5, 7, 1, 0.5, 0.5), [0, 1, 2, 3, 4], {}),
        Case("wide lanes for many answers", WIDER, [0, 1, 500, 4998, 4999], {}),
        Case("nobody", LASTING, [], {}),
    ],
    "rappor": [
        Case("texts: cohorts, permanent flips, then the coins of q and p", USUAL, TEXTS, {}),
        Case("one person", USUAL, ["tea"], {}),
        Case("one cohort: none is drawn", Rappor(16, 3, 1, 0.5, 0.25, 0.75), TEXTS, {}),
        Case("an unfair cohort is drawn again", Rappor(16, 1, 3, 0.5, 0.25, 0.75), ["tea"], {0: 0}),
        Case("no permanent noise", Rappor.calibrate(1.0, form="instant", cohorts=4), TEXTS, {}),
        Case("permanent noise alone", Rappor.calibrate(1.0, form="one-time"), TEXTS, {}),
        Case("no coin of p", Rappor(64, 1, 2, 0.5, 0.0, 0.75), ["tea", "お茶"], {}),
        Case("basic: an answer has its bit", BASIC, [0, 1, 41, 42], {}),
        Case("basic in two words", Rappor(70, 0, 1, 0.5, 0.25, 0.75), [0, 63, 64, 69], {}),
        Case("nobody", USUAL, [], {}),
    ],
    "glance": [
        Case("rounds, then coins", ONCE, STREAM, {}),
        Case("one person", ONCE, STREAM[2:], {}),
        Case("an unfair round is drawn again", ONCE, STREAM[2:], {0: 0}),
        Case("one round: none is drawn", Glance.calibrate(1, 1.0), [[0], [1], [1]], {}),
        Case("two bytes to a round", Glance.calibrate(300, 1.0), [[0] * 300, [1] * 300], {}),
        Case("nobody", ONCE, [], {}),
    ],
    "harmony": [
        Case("rounds, then coins; zeros elsewhere", Harmony.calibrate(6, 1.0), STREAM, {}),
        Case("one person", Harmony.calibrate(6, 1.0), STREAM[2:], {}),
    ],
    "borappor": [
        Case("a coin for each person and round", Borappor.calibrate(6, 3.0), STREAM, {}),
        Case("one person in one round", Borappor.calibrate(1, 1.0), [[1]], {}),
    ],
    "kshot": [
        Case("first rounds, second rounds, third; coins; few lies; many", SEVERAL, STREAM, {}),
        Case("one person", SEVERAL, STREAM[2:], {}),
        Case("every round", KShot.calibrate(6, 3.0, shots=6, flips=1), STREAM, {}),
        Case("one round", KShot.calibrate(6, 3.0, shots=1), STREAM, {}),
        Case("nobody", SEVERAL, [], {}),
    ],
}

BULK: dict[str, list[tuple[Mechanism, int]]] = {
    "grr": [(FEW, 270_000), (MANY, 270_000)],
    "oue": [(OUE.calibrate(43, 1.0), 270_000), (OUE.calibrate(200, 1.0), 5000)],
    "sue": [(SUE.calibrate(43, 1.0), 5000)],
    "set": [(SETS, 2000), (SetResponse.calibrate(80, 4, 1.0), 500)],
    "subset": [
        (SUBSETS, 132_000),  # in two blocks
        (SubsetSelection.calibrate(43, 1.0), 20_000),
        (SubsetSelection.calibrate(200, 0.5), 1000),
    ],
    "window": [(AGES, 270_000), (UNEVEN, 5000)],
    "wave": [(WAVES, 270_000), (WAVE, 5000)],
    "sample": [(DRAWN, 20_000)],
    "split": [(PARTED, 5000)],
    "joint": [(TABLE, 20_000)],
    "projective": [(DIGITS, 270_000), (WIDE, 5000)],
    "hadamard": [(HALVES, 270_000)],
    "olh": [(CELLS, 270_000), (FINE, 5000)],
    "loloha": [(LASTING, 50_000), (WIDER, 5000)],
    "rappor": [(USUAL, 20_000), (BASIC, 5000)],  # the first in two blocks
    "glance": [(ONCE, 270_000), (Glance.calibrate(300, 1.0), 5000)],
    "harmony": [(Harmony.calibrate(6, 1.0), 50_000)],
    "borappor": [(Borappor.calibrate(6, 3.0), 50_000)],
    "kshot": [(SEVERAL, 100_000), (KShot.calibrate(50, 8.0, low=0.5, high=0.5), 20_000)],
}

REFUSED_VALUES: dict[str, list[tuple[Mechanism, Values]]] = {
    "grr": [(FEW, [4]), (FEW, [0, -1]), (WARNER, [2])],
    "oue": [(OUE.calibrate(3, 1.0), [3]), (OUE.calibrate(70, 1.0), [70])],
    "sue": [(SUE.calibrate(5, 1.0), [0, 1, 5])],
    "set": [
        (SETS, [[1, 1, 1, 0, 0]]),
        (SETS, [[0, 0, 0, 0, 0], [0, 2, 0, 0, 0]]),
        (SETS, [[0, 0, 0, 0]]),
        (SETS, [1, 0, 0, 0, 0]),
    ],
    "subset": [(SUBSETS, [5]), (SUBSETS, [0, -1])],
    "window": [(UNEVEN, [7]), (AGES, [0, -1])],
    "wave": [(WAVE, [10]), (WAVES, [0, -1])],
    "sample": [(DRAWN, [[0, 70, 0]]), (DRAWN, [[0, 0, 0], [2, 0, 0]]), (DRAWN, [[0, 0]])],
    "split": [(PARTED, [[0, 0, 43]]), (PARTED, [[0, -1, 0]]), (PARTED, [0, 0, 0])],
    "joint": [(TABLE, [[0, 3, 0]]), (TABLE, [[0, 0, 0, 0]])],
    "projective": [(DIGITS, [43]), (WIDE, [0, -1])],
    "hadamard": [(HALVES, [0, 43])],
    "olh": [(CELLS, [43]), (FINE, [0, -1])],
    "loloha": [(LASTING, [43]), (WIDER, [0, -1])],
    "rappor": [(USUAL, [""]), (USUAL, ["tea", "x" * 10_001]), (USUAL, [0]), (BASIC, [43])],
    "glance": [(ONCE, [[0, 1, 0, 1, 0, 2]]), (ONCE, [[0, 1, 0, 1, 0]]), (ONCE, [0, 1, 0, 1, 0, 1])],
    "harmony": [(Harmony.calibrate(2, 1.0), [[0, -1]])],
    "borappor": [(Borappor.calibrate(2, 1.0), [[0, 1], [2, 1]])],
    "kshot": [(SEVERAL, [[0, 1, 0, 1, 0, 3]])],
}

REFUSED_REPORTS: dict[str, list[tuple[Mechanism, str]]] = {
    "grr": [(FEW, "04"), (FEW, "0003ff"), (MANY, "8813")],
    "oue": [(OUE.calibrate(3, 1.0), "0800000000000000")],
    "sue": [(SUE.calibrate(5, 1.0), "1f00000000000000" + "0000000000000080")],
    "set": [
        (SETS, "0300000000000000"),
        (SETS, "0700000000000000" + "0f00000000000000"),
        (SETS, "8300000000000000"),
    ],
    "subset": [
        (SUBSETS, "0100000000000000"),
        (SUBSETS, "0300000000000000" + "0700000000000000"),
        (SUBSETS, "2100000000000000"),
    ],
    "window": [(UNEVEN, "05"), (AGES, "000fff")],
    "wave": [(WAVE, "06"), (WAVES, "0014ff")],
    "sample": [
        (DRAWN, "03" + "00" * 16),
        (DRAWN, "0002" + "00" * 15),
        (DRAWN, "000001" + "00" * 14),
        (DRAWN, "01" + "00" * 8 + "40" + "00" * 7),
        (DRAWN, "0279" + "00" * 15),
    ],
    "split": [(PARTED, "02" + "00" * 17), (PARTED, "00" * 9 + "40" + "00" * 8)],
    "joint": [(TABLE, "0c")],
    "projective": [(DIGITS, "79"), (DIGITS, "0078ff"), (WIDE, "481c")],
    "hadamard": [(HALVES, "40"), (HALVES, "3fff")],
    "olh": [(CELLS, "f3"), (CELLS, "00f2ff")],
    "loloha": [(LASTING, "f3"), (LASTING, "00f2ff")],
    "rappor": [
        (USUAL, "4000" + "00" * 16),
        (Rappor(16, 3, 1, 0.5, 0.25, 0.75), "0000" + "0000010000000000"),
        (BASIC, "0000000000080000"),
    ],
    "glance": [(ONCE, "0001"), (ONCE, "0700"), (ONCE, "0102")],
    "harmony": [(Harmony.calibrate(2, 1.0), "0301")],
    "borappor": [(Borappor.calibrate(2, 1.0), "01000200" + "0003")],
    "kshot": [(SEVERAL, "06ff")],
}

# Keys, filters and cohorts under which every text is hashed.
HASHING = [
    ("00" * 32, 2, 128, [0, 1, 63]),
    ("0123456789abcdef" * 4, 1, 1024, [0, 7]),
    ("ff" * 32, 3, 4, [0]),
    ("ff" * 32, 4, 65536, [65535]),
]


def replay(mechanism: Mechanism, values: Values, script: list[int]) -> tuple[str, int]:
    """The reports' bytes as hexadecimal, and how many words they took."""
    rng = Scripted(script)
    return mechanism.randomize(values, rng).tobytes().hex(), rng.used


def bulk_digest(mechanism: Mechanism, people: int, seed: int) -> str:
    """SHA-256 of the reports of ``people`` who answer 0, 1, 2 … in turn."""
    if isinstance(mechanism.domain, Streams):
        values: Any = (
            np.arange(people)[:, np.newaxis] >> np.arange(1, mechanism.domain.rounds + 1) % 8 & 1
        )
    elif isinstance(mechanism.domain, Numbers):
        values = np.arange(people) % (mechanism.domain.steps + 1)
    elif isinstance(mechanism.domain, Selections):
        k, most = mechanism.domain.k, mechanism.domain.most
        person = np.arange(people)[:, np.newaxis]
        values = ((np.arange(k) - person) % k < person % (most + 1)).astype(np.uint8)
    elif isinstance(mechanism.domain, Questions):
        values = np.arange(people)[:, np.newaxis] % mechanism.domain.sizes
    else:
        size = mechanism.domain.size
        values = np.arange(people) % size if size else bulk_texts(people)
    return hashlib.sha256(mechanism.randomize(values, Seeded(seed)).tobytes()).hexdigest()


def bulk_texts(people: int) -> list[str]:
    """What people say in bulk, where they answer in words of their own."""
    return [f"text {person % 100}" for person in range(people)]


def hashed(key: str, text: str, hashes: int, bits: int, cohorts: list[int]) -> dict[str, Any]:
    """A text's digest, and its bits in some cohorts."""
    digests = Strings(key).check([text])
    rows = design_rows(digests, max(cohorts) + 1, hashes, bits).reshape(-1, hashes) % bits
    return {
        "key": key,
        "text": text,
        **{name: f"{int(digests[name][0]):016x}" for name in ("seed", "step")},
        "hashes": hashes,
        "bits": bits,
        "cohorts": cohorts,
        "positions": rows[cohorts].tolist(),
    }


def document(name: str) -> dict[str, Any]:
    """The whole file of one mechanism."""
    with compiled_from(NEVER):  # the plain path is the one whose law is enumerated
        hashing = [
            hashed(key, text, hashes, bits, cohorts)
            for key, hashes, bits, cohorts in HASHING
            for text in TEXTS
        ]
        return {
            "mechanism": name,
            "cases": [_case(number, case) for number, case in enumerate(CASES[name])],
            "bulk": [
                {
                    "document": mechanism.document(),
                    "people": people,
                    "seed": 17,
                    "sha256": bulk_digest(mechanism, people, 17),
                }
                for mechanism, people in BULK[name]
            ],
            "refused_values": [
                {"document": mechanism.document(), "values": values, "error": "InvalidAnswer"}
                for mechanism, values in REFUSED_VALUES[name]
            ],
            "refused_reports": [
                {"document": mechanism.document(), "reports": reports, "error": "InvalidReport"}
                for mechanism, reports in REFUSED_REPORTS[name]
            ],
            **({"hashing": hashing} if name == "rappor" else {}),
        }


def _case(number: int, case: Case) -> dict[str, Any]:
    script = Seeded(number).words(500).tolist()
    for place, word in case.words.items():
        script[place] = word
    reports, used = replay(case.mechanism, case.values, script)
    return {
        "about": case.about,
        "document": case.mechanism.document(),
        "key": case.mechanism.key,
        "values": case.values,
        "script": [f"{word:016x}" for word in script[:used]],
        "reports": reports,
    }


def text(name: str) -> bytes:
    """The file as it stands in ``golden``."""
    return msgspec.json.format(msgspec.json.encode(document(name)), indent=1) + b"\n"


if __name__ == "__main__":
    for mechanism_name in CASES:
        (FOLDER / f"{mechanism_name}.json").write_bytes(text(mechanism_name))
