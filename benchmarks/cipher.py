"""A noise under encryption: milliseconds of the processor and bytes, for both ciphers.

``python cipher.py [SECONDS]`` prints a table. The document's own scheme is one table of 14,731
entries, three draws (ε = 1, δ = 10⁻¹⁰); ours are the shipped ones. The total that the noise is
added to is that of 10⁵ people, one bit each.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from sudare.randomness import System
from sudare.twoparty.cipher import Cipher, Keys
from sudare.twoparty.cipher_elgamal import ElGamal
from sudare.twoparty.cipher_lattice import Lattice
from sudare.twoparty.digits import shipped
from sudare.twoparty.guarantee import Guarantee
from sudare.twoparty.scheme import Scheme
from sudare.twoparty.table import algorithm2
from timing import best_cpu

PEOPLE = 100_000
ENTRY = 8  # bytes of an entry in the open
GUARANTEES = {Guarantee(1.0, 1e-10): 1500, Guarantee(1.0, 1e-6): 400}  # and at most so many entries


def schemes() -> Iterator[tuple[str, Scheme]]:
    """The document's scheme and ours."""
    yield "document's, δ = 1e-10", algorithm2(Guarantee(1.0, 1e-10), draws=3)
    for guarantee, entries in GUARANTEES.items():
        proof = shipped(guarantee, entries)
        if proof is None:
            raise SystemExit(f"no tables are shipped for {guarantee}")
        yield f"ours, δ = {guarantee.delta:g}", proof.scheme


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


def main(seconds: float) -> None:
    """One row for each scheme and cipher."""
    titles = "tables | entries | cipher | keys, ms | encrypt, ms | draw, ms | open, ms | all, ms"
    print(f"| {titles} | key, B | tables, B | × plain | answer, B |\n|" + " --- |" * 12)
    for name, scheme in schemes():
        for cipher in (ElGamal(), Lattice()):
            noise = Noise(cipher, scheme)
            # The keys last: what was made under others can't be opened any more.
            steps = (noise.encrypt, noise.draw, noise.open, noise.generate)
            encrypt, draw, opening, keys = (1000 * best_cpu(step, seconds) for step in steps)
            times = (keys, encrypt, draw, opening, keys + encrypt + draw + opening)
            size = sum(map(len, noise.tables))
            cells = [name, f"{scheme.entries:,}", cipher.name, *(f"{time:.2f}" for time in times)]
            cells += [f"{len(noise.keys.public):,}", f"{size:,}"]
            cells += [f"{size / (ENTRY * scheme.entries):.2f}", f"{len(noise.answer):,}"]
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
