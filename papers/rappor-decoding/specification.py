"""The cases of google/rappor's regression tests (its ``regtest_spec.py``), and their surveys.

Five populations of four sizes, each asked with five settings of candidates and privacy, and five
of a demonstration in which every device reports ten values. Strings are v1, v2, …; candidates are
those that people hold, every tenth missing or not, and so many more that nobody holds.

Reports are Sudare's: a string has exactly as many bits as there are hashes, by its hash family, and
people are divided among cohorts at random (there: a device's number modulo their count).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sudare import Aggregate, Collection, Rappor, Seeded
from sudare.decoding.design import Design
from sudare.decoding.from_sums import hash_candidates
from sudare.mechanisms.bloom import design_rows

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

DISTRIBUTIONS = ("unif", "exp", "gauss", "zipf1", "zipf1.5")
SIZES = {  # different strings, devices
    "tiny": (100, 10**3),
    "small": (100, 10**6),
    "medium": (1_000, 10**7),
    "large": (10_000, 10**8),
}
PRIVACY = {"ε₁ = 1": (0.45, 0.39, 0.61), "ε₁ = 5": (0.0, 0.225, 0.775)}  # f, p, q
SETTINGS = {  # privacy, more candidates as a multiple of the strings, every tenth string missing
    "typical": ("ε₁ = 1", 0.2, True),
    "sharp": ("ε₁ = 1", 0.0, False),
    "loose": ("ε₁ = 5", 0.2, True),
    "over_x2": ("ε₁ = 1", 2.0, True),
    "over_x10": ("ε₁ = 1", 10.0, True),
}


def dyadic(chance: float) -> float:
    """The nearest multiple of 2⁻⁵², which coins can have."""
    return round(chance * 2**52) / 2**52


@dataclass(frozen=True)
class Case:
    """One line of the specification.

    Attributes:
        name: as there.
        size: one of ``SIZES``, or ``demo``.
        distribution: of the strings.
        strings: how many different ones.
        devices: how many report.
        values: how many reports each makes, with the permanent noise of a string kept.
        mechanism: bits, hashes, cohorts and noise.
        more: how many candidates nobody holds.
        missing: whether every tenth string is missing from the candidates.
    """

    name: str
    size: str
    distribution: str
    strings: int
    devices: int
    values: int
    mechanism: Rappor
    more: int
    missing: bool

    @property
    def shares(self) -> Floats:
        """How likely each string is."""
        n, ranks = self.strings, np.arange(1, self.strings + 1)
        weights = {
            "unif": np.ones(n),
            "exp": np.exp(-5 * ranks / n),
            "gauss": np.exp(-0.5 * ((ranks - n / 2) / (n / 6)) ** 2),
            "zipf1": 1 / ranks,
            "zipf1.5": ranks**-1.5,
        }[self.distribution]
        return np.asarray(weights / weights.sum(), np.float64)

    @cached_property
    def candidates(self) -> NDArray[np.int64]:
        """The numbers of the strings that are candidates, from 1."""
        numbers = np.arange(1, self.strings + self.more + 1)
        lost = (numbers % 10 == 9) & (numbers <= self.strings)
        return numbers[~lost] if self.missing else numbers

    def draw(self, rng: Seeded) -> "Survey":
        """People, noise and a hash family of its own."""
        generator = rng.generator()
        name = f"{self.name} {generator.integers(1 << 62)}"
        collection = Collection(name, "Which string?", (), self.mechanism)
        held = generator.multinomial(self.devices * self.values, self.shares)
        if self.values == 1:
            truth = {f"v{i + 1}": int(held[i]) for i in np.flatnonzero(held)}
            aggregate = collection.simulate(truth, rng)
        else:
            aggregate = self._repeated(collection, held, generator)
        return Survey(self, collection, aggregate, held)

    def _repeated(
        self, collection: Collection, held: Counts, generator: np.random.Generator
    ) -> Aggregate:
        """Of devices that report several values: what they report twice keeps its noise.

        The same bit of all strings that the devices of a cohort report r times each is drawn at
        once: it is kept as 1 by a binomial number of them, and each then reports it r times.
        """
        mechanism, strings = self.mechanism, [f"v{i + 1}" for i in range(self.strings)]
        _, hashed = hash_candidates(collection.key, strings)
        rows = design_rows(hashed, mechanism.cohorts, mechanism.hashes, mechanism.bits)
        shape = mechanism.cohorts, mechanism.bits
        reported = generator.permutation(np.repeat(np.arange(self.strings), held))
        device = np.repeat(np.arange(self.devices), self.values)
        cohort = generator.integers(mechanism.cohorts, size=self.devices)
        pairs, times = np.unique(device * self.strings + reported, return_counts=True)
        string, place = pairs % self.strings, cohort[pairs // self.strings]
        counts = np.zeros((mechanism.cohorts, mechanism.bits + 1), np.int64)
        for repeats in np.unique(times).tolist():
            these = times == repeats
            people = np.zeros((self.strings, mechanism.cohorts), np.int64)
            np.add.at(people, (string[these], place[these]), 1)
            holders = np.repeat(people, mechanism.hashes, axis=1)
            ones = np.bincount(rows.ravel(), holders.ravel(), shape[0] * shape[1])
            ones = ones.astype(np.int64).reshape(shape)
            sizes = people.sum(axis=0)[:, np.newaxis]
            kept = generator.binomial(ones, 1 - mechanism.f / 2)
            kept += generator.binomial(sizes - ones, mechanism.f / 2)
            counts[:, :1] += repeats * sizes
            counts[:, 1:] += generator.binomial(repeats * kept, mechanism.q)
            counts[:, 1:] += generator.binomial(repeats * (sizes - kept), mechanism.p)
        return Aggregate(collection.key, int(held.sum()), counts)


@dataclass(frozen=True, eq=False)
class Survey:
    """The reports of a case, counted, and who reported them.

    Attributes:
        case: of the specification.
        collection: whose reports they are.
        aggregate: their sums.
        held: how many reports are of each string.
    """

    case: Case
    collection: Collection
    aggregate: Aggregate
    held: Counts

    @property
    def texts(self) -> list[str]:
        """The candidates."""
        return [f"v{number}" for number in self.case.candidates]

    @cached_property
    def truth(self) -> Floats:
        """The share of each candidate."""
        shares = np.zeros(self.case.strings + self.case.more)
        shares[: self.case.strings] = self.held / self.held.sum()
        return np.asarray(shares[self.case.candidates - 1])

    @cached_property
    def lost(self) -> float:
        """The share of those whose string is no candidate."""
        return 1 - float(self.truth.sum())

    @cached_property
    def design(self) -> Design:
        """The candidates' bits."""
        mechanism = self.case.mechanism
        _, hashed = hash_candidates(self.collection.key, self.texts)
        return Design.of_texts(hashed, mechanism)


def _cases() -> list[Case]:
    cases = []
    for size, (strings, devices) in SIZES.items():
        for distribution in DISTRIBUTIONS:
            for setting, (privacy, more, missing) in SETTINGS.items():
                mechanism = Rappor(8, 2, 128, *map(dyadic, PRIVACY[privacy]))
                cases.append(
                    Case(
                        f"r-{distribution}-{size}-{setting}",
                        size,
                        distribution,
                        strings,
                        devices,
                        1,
                        mechanism,
                        int(strings * more),
                        missing,
                    )
                )
    demo = Rappor(32, 1, 64, 0.5, 0.25, 0.75)
    order = ("unif", "gauss", "exp", "zipf1", "zipf1.5")
    return cases + [
        Case(f"demo{i}", "demo", distribution, 100, 10**5, 10, demo, 100, missing=True)
        for i, distribution in enumerate(order, 1)
    ]


CASES = tuple(_cases())
