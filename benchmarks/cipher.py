"""A noise under encryption: time of the processor and bytes, for both ciphers.

``python run.py --only cipher`` measures two things. A *noise*: keys, encrypted tables, draws and an
opening, warm and in one process. A *session*: the two parties as ``sudare party one`` and
``party two``, two processes that talk over loopback; what both take from the moment they are
connected, cold, and every byte between them. Where P1 can prove its tables, a session with the
usual number of candidates stands beside the one without a proof.

The document's own scheme is one table of 14,731 entries, three draws (ε = 1, δ = 10⁻¹⁰); ours are
the shipped ones. The total is that of at most 10⁵ people, one bit each.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from report import significant
from sudare.chance.randomness import System
from sudare.twoparty.ciphers.interface import CIPHERS, Cipher, Keys, cipher_named, usual_candidates
from sudare.twoparty.noise.algorithm2 import algorithm2
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.scheme import Scheme
from sudare.twoparty.noise.shipped_tables import shipped
from sudare.twoparty.noise.table_document import TableDocument
from timing import best_cpu

PEOPLE = 100_000
ENTRY = 8  # bytes of an entry in the open
SMALL, TINY = Guarantee(1.0, 1e-6), Guarantee(1.0, 1e-10)
SECONDS, BYTES = 0.25, 64_000  # asked for: a session of our tables with ElGamal
PROOF_SECONDS = 2.0  # asked for: the same with a proof that finds out a cheat with 95 %
TIMES_PLAIN = 3  # asked for: a lattice table beside the same in the open
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Tables and a cipher."""

    tables: str
    document: TableDocument
    cipher: str

    @property
    def name(self) -> str:
        """As in ``result.json``."""
        return f"{self.cipher}, {self.tables}, {self.document.scheme.entries:,} entries"

    @property
    def candidates(self) -> int:
        """As many as are usual; none but one of the document's table, which would take a minute."""
        return usual_candidates(self.cipher) if self.document.scheme.distinct else 1

    @property
    def plain(self) -> int:
        """Bytes of the tables in the open."""
        return ENTRY * self.document.scheme.entries


@dataclass(frozen=True)
class Size:
    """How long each step is repeated, and how many sessions there are."""

    seconds: float
    sessions: int


FULL = Size(seconds=1.0, sessions=5)
QUICK = Size(seconds=0.1, sessions=1)


def cases() -> Iterator[Case]:
    """The document's tables and ours, with either cipher."""
    for cipher in CIPHERS:
        theirs = TableDocument(TINY, algorithm2(TINY, draws=3))
        yield Case(f"document's tables, δ = {TINY.delta:g}", theirs, cipher)
        for guarantee, entries in ((TINY, 1500), (SMALL, 400)):
            proof = shipped(guarantee, entries)
            if proof is None:
                raise SystemExit(f"no tables are shipped for {guarantee}")
            ours = TableDocument(guarantee, proof.scheme)
            yield Case(f"our tables, δ = {guarantee.delta:g}", ours, cipher)


@dataclass
class Noise:
    """One noise from key to opened total, step by step; each step can be repeated."""

    cipher: Cipher
    scheme: Scheme
    keys: Keys = field(init=False)
    tables: list[bytes] = field(init=False)
    answer: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.plain = [table.tolist() for table in self.scheme.shuffled(System())]
        self.generate()
        self.encrypt()
        self.total = self.cipher.encrypt(self.keys.public, PEOPLE // 2)
        self.draw()

    def generate(self) -> None:
        """P1's keys."""
        self.keys = self.cipher.keys()

    def encrypt(self) -> None:
        """P1's tables."""
        self.tables = [self.cipher.encrypt_table(self.keys, table) for table in self.plain]

    def check(self) -> None:
        """P2's look at every entry, before it draws."""
        for table, size in zip(self.tables, self.scheme.sizes, strict=True):
            self.cipher.check_table(self.keys.public, table, size)

    def draw(self) -> None:
        """P2's part: entries added to the total, and all re-randomised."""
        public, total = self.keys.public, self.total
        indices = self.scheme.indices(System())
        for table, size, chosen in zip(self.tables, self.scheme.sizes, indices, strict=True):
            for sign, index in zip(self.scheme.signs, chosen, strict=True):
                entry = self.cipher.entry(public, table, index, size)
                change = self.cipher.add if sign > 0 else self.cipher.subtract
                total = change(total, entry)
        self.answer = self.cipher.rerandomise(public, total)

    def open(self) -> None:
        """P1's last step."""
        self.cipher.decrypt(self.keys, self.answer, -PEOPLE // 2, PEOPLE + PEOPLE // 2)


def noise_rows(case: Case, seconds: float) -> list[Row]:
    """The steps of a noise in one process, and the bytes of key, tables and answer."""
    noise = Noise(cipher_named(case.cipher), case.document.scheme)
    # The keys last: what was made under others can't be opened any more.
    steps = {
        "encrypt": noise.encrypt,
        "check": noise.check,
        "draw": noise.draw,
        "open": noise.open,
        "keys": noise.generate,
    }
    times = {name: 1000 * best_cpu(step, seconds) for name, step in steps.items()}
    job = f"cipher {case.name}"
    rows = [row(f"{job}, noise", sum(times.values()), "ms")]
    rows += [row(f"{job}, {name}", time, "ms") for name, time in times.items()]
    size, plain = sum(map(len, noise.tables)), {"name": "plaintext tables", "B": case.plain}
    limit = {"name": f"{TIMES_PLAIN} × plaintext", "B": TIMES_PLAIN * case.plain}
    rows.append(
        row(f"{job}, tables", size, "B", plain, limit if case.cipher == "lattice" else None)
    )
    rows.append(row(f"{job}, public key", len(noise.keys.public), "B"))
    rows.append(row(f"{job}, answer", len(noise.answer), "B"))
    return rows


def session(case: Case, table: Path, candidates: int) -> tuple[float, float, int]:
    """Two real processes over loopback: seconds of the processor of P1 and of P2, and all bytes."""
    terms = ["--table", str(table), "--people", str(PEOPLE), "--cipher", case.cipher]
    terms += ["--candidate-tables", str(candidates)]
    terms += ["--p2-blind"] * (not case.document.scheme.distinct) + ["--insecure", "--json"]
    command = [sys.executable, "-m", "sudare", "party"]
    with subprocess.Popen(
        [*command, "one", "--listen", "127.0.0.1:0", *terms],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as one:
        said = ""
        while one.stderr and "listening on " not in said:
            said = one.stderr.readline()
            if not said:
                raise SystemExit("P1 stopped before it listened")
        address = said.split()[-1]
        two = subprocess.run(
            [*command, "two", "--connect", address, "--total", str(PEOPLE // 2), *terms],
            capture_output=True,
            text=True,
            check=True,
        )
        told = [json.loads(text) for text in (one.communicate()[0], two.stdout)]
    if told[0]["bytes"] != told[1]["bytes"]:
        raise SystemExit("the two parties didn't count the same bytes")
    one, two = (party["cpu_seconds"] for party in told)
    return one, two, told[0]["bytes"]


def session_rows(case: Case, number: int, candidates: int) -> list[Row]:
    """The best of several sessions; what was asked for stands beside our tables with ElGamal."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.json"
        table.write_bytes(case.document.to_json())
        found = [session(case, table, candidates) for _ in range(number)]
    job = f"cipher {case.name}, session of two processes"
    job += f", {candidates} candidates" * (candidates > 1)
    asked = case.cipher == CIPHERS[0] and case.document.guarantee == SMALL
    most = SECONDS if candidates == 1 else PROOF_SECONDS
    seconds = {"name": "asked for", "s": most} if asked else None
    limit = {"name": "asked for", "B": BYTES} if asked else None
    plain = {"name": "plaintext tables", "B": case.plain}
    rows = [
        row(job, min(one + two for one, two, _ in found), "s", None, seconds),
        row(f"{job}, bytes", max(size for *_, size in found), "B", plain, limit),
    ]
    if candidates > 1:  # whose parts differ
        rows.append(row(f"{job}, P1", min(one for one, *_ in found), "s"))
        rows.append(row(f"{job}, P2", min(two for _, two, _ in found), "s"))
    return rows


def row(job: str, ours: float, unit: str, peer: Row | None = None, limit: Row | None = None) -> Row:
    """As in ``result.json``: bytes in all digits, times rounded."""
    (theirs,) = (peer[key] for key in peer if key != "name") if peer else (None,)
    return {
        "job": job,
        "ours": ours if unit == "B" else significant(ours),
        "peer": peer,
        "limit": limit,
        "ratio": None if theirs is None else significant(theirs / ours),
        "unit": unit,
    }


NAMES = tuple(f"cipher {case.name}" for case in cases())


def measured(wanted: Callable[[str], bool], size: Size) -> Iterator[tuple[str, list[Row]]]:
    """Every case, with its name, as it is done."""
    for case in cases():
        name = f"cipher {case.name}"
        if wanted(name):
            rows = noise_rows(case, size.seconds)
            for candidates in sorted({1, case.candidates}):
                rows += session_rows(case, size.sessions, candidates)
            yield name, rows
