"""Random lives of collections whose releases somebody collects and compares, all of them.

The law: nothing released rests on fewer than ``minimum_reports`` reports, and no difference of two
releases does. Here it is checked without asking the code under test what a cell is: every report
that was counted is known, and so is what each cell of a release must be the sum of.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import cycle, islice, pairwise
from typing import Any

import numpy as np

from sudare import (
    GRR,
    OUE,
    Collection,
    JointQuestions,
    Loloha,
    Numbers,
    Part,
    Rappor,
    SampledQuestions,
    Seeded,
    SetResponse,
    SplitQuestions,
    SquareWave,
    Window,
)
from sudare.collection.windows import Windows
from sudare.collector.http.releases import Release, Releases
from sudare.collector.stores.contract import HeldCollection, ReportFate, Store
from sudare.errors import TooFewReports
from sudare.mechanisms import CATEGORICAL, CONTINUAL, SEVERAL
from sudare.mechanisms.interface import Mechanism, Records
from support.stores import group

ROUNDS = 5
WINDOWS = 3
_POOL = 300  # reports of a mechanism that histories take theirs from
_STEPS = 24

Cell = tuple[int, int, int]
"""A life of the collection, a window of it, and a cohort, round or question (0 for the only)."""

QUESTIONS = (Part("tea", "?", ("a", "b", "c")), Part("town", "?", ("a", "b")))


def mechanisms() -> dict[str, Mechanism]:
    """Every mechanism that there is, and free text in few cohorts, in one, and in many."""
    found: dict[str, Mechanism] = {
        name: made.calibrate(4, 1.0) for name, made in CATEGORICAL.items()
    }
    found |= {name: made.calibrate(ROUNDS, 2.0) for name, made in CONTINUAL.items()}
    found["set"] = SetResponse.calibrate(4, 2, 2.0)
    found["loloha"] = Loloha.calibrate(4, 1.0)
    found["window"], found["wave"] = Window.calibrate(4, 1.0), SquareWave.calibrate(4, 1.0)
    found["basic rappor"] = Rappor.calibrate(1.0, form="basic", bits=4)
    parts = GRR.calibrate(3, 1.0), OUE.calibrate(2, 1.0)
    found["sample"], found["split"] = SampledQuestions(parts), SplitQuestions(parts)
    found["joint"] = JointQuestions((3, 2), GRR.calibrate(6, 1.0))
    for cohorts in (1, 3, 64):
        found[f"rappor, {cohorts} cohorts"] = Rappor.calibrate(
            2.0, form="instant", bits=16, cohorts=cohorts
        )
    return found


def collections() -> dict[str, tuple[Collection, Records]]:
    """A collection by each mechanism, and reports of it."""
    found = {}
    for name, mechanism in mechanisms().items():
        numbers = isinstance(mechanism.domain, Numbers)
        answers = ("0", "4") if numbers else tuple("abcd"[: mechanism.domain.size])
        several = name in SEVERAL
        made = Collection(name, "?", answers, mechanism, parts=QUESTIONS if several else ())
        given: Any = (
            Seeded(1).bernoulli(0.5, (_POOL, ROUNDS)).astype(int)
            if made.kind.rounds
            else list(islice(cycle(answers or ("tea", "milk", "ale")), _POOL))
        )
        if several:
            given = [("abc"[i % 3], "ab"[i % 2]) for i in range(_POOL)]
        found[name] = made, made.randomize(given, Seeded(2))
    return found


class LawBrokenError(AssertionError):
    """Something was released that rests on too few reports."""


@dataclass
class Seen:
    """How much was done, so that it is known what was there to be found.

    Attributes:
        reports: that were counted.
        releases: that somebody read.
        moves: of a cell, from one release to another.
    """

    reports: int = 0
    releases: int = 0
    moves: int = 0

    def __add__(self, other: "Seen") -> "Seen":
        return Seen(
            self.reports + other.reports,
            self.releases + other.releases,
            self.moves + other.moves,
        )


@dataclass
class History:
    """One life: what was counted, and how many reports of each cell anybody has seen.

    Attributes:
        collection: whose.
        counted: the reports of each cell, in the order in which they counted.
        read: the sizes of each cell in all releases.
    """

    collection: Collection
    counted: dict[Cell, list[Records]] = field(default_factory=lambda: defaultdict(list))
    read: dict[Cell, set[int]] = field(default_factory=lambda: defaultdict(lambda: {0}))
    life: int = 0
    seen: Seen = field(default_factory=Seen)

    def cells(self, reports: Records) -> Iterator[tuple[int, Records]]:
        """Reports by the cohort, round or question that they tell."""
        names = {"cohort", "round", "question"} & set(reports.dtype.names or ())
        if not names:
            yield 0, reports
            return
        (name,) = names
        first = 1 if name == "round" else 0
        for value in np.unique(reports[name]).tolist():
            yield value - first, reports[reports[name] == value]

    def count(self, window: int, reports: Records) -> None:
        """Note reports that counted."""
        for cell, some in self.cells(reports):
            self.counted[self.life, window, cell].append(some)
        self.seen.reports += len(reports)

    def size(self, cell: Cell) -> int:
        """How many reports of a cell have counted."""
        return sum(map(len, self.counted[cell]))

    def sums(self, cell: Cell, size: int) -> np.ndarray:
        """The sum of the first reports of a cell."""
        if not size:
            return np.zeros_like(self.collection.zero.counts)
        found: np.ndarray = self.collection.mechanism.tally(
            np.concatenate(self.counted[cell])[:size]
        )
        return found

    def note(self, release: Release) -> None:
        """Check a release of one window: what it rests on, and what was read before."""
        assert release.window is not None
        counts, least = release.aggregate.counts, self.collection.minimum_reports
        number = len(counts) if self.parted else 1
        rest = counts.copy()
        sizes = []
        for each in range(number):
            cell = (self.life, release.window, each)
            size = self.read_size(release, each)
            if size > self.size(cell):
                raise LawBrokenError(f"{cell} is shown with more reports than have counted")
            rest -= self.sums(cell, size)
            known = self.read[cell]
            self.seen.moves += size not in known
            known.add(size)
            sizes.append(size)
            ordered = sorted(known)
            gaps = [b - a for a, b in pairwise(ordered)]
            if gaps and min(gaps) < least:
                raise LawBrokenError(f"releases of {cell} differ by {min(gaps)} of {least} reports")
        if rest.any() or sum(sizes) != release.aggregate.n:
            raise LawBrokenError("a release is not the sum of the reports that it says")
        self.seen.releases += 1

    @property
    def parted(self) -> bool:
        """Whether there is more than one cell: a row of the counts for each."""
        return self.collection.over_time or self.counts_its_cells

    @property
    def counts_its_cells(self) -> bool:
        """Whether the first of each cell's counts is how many reports it has."""
        return self.collection.free_text or self.collection.mechanism.name == "sample"

    def read_size(self, release: Release, each: int) -> int:
        """How many reports a cell of a release says that it has."""
        if self.collection.over_time:
            return int(release.aggregate.counts[each].sum())
        if self.counts_its_cells:
            return int(release.aggregate.counts[each, 0])
        return release.aggregate.n


class Life:
    """A collection in a store, and two who read it, each as a collector of its own."""

    def __init__(self, store: Store, collection: Collection, pool: Records, seed: int) -> None:
        self.store = store
        self.chance = random.Random(seed)  # noqa: S311 - a history, not a secret
        self.pool = pool
        self.history = History(collection)
        self.closed: dict[int, int] = dict.fromkeys(range(WINDOWS), 0)
        self.readers = [Releases(store), Releases(store)]
        store.add(HeldCollection(collection))

    @property
    def collection(self) -> Collection:
        return self.history.collection

    def live(self) -> Seen:
        """Take some steps of any kind, and look at everything in the end."""
        steps: list[tuple[Callable[[], None], int]] = [
            (self.count, 12),
            (self.look, 8),
            (self.look_at_all, 3),
            (self.close, 6 if self.collection.over_time else 1),
            (self.forget, 1),
            (self.begin_again, 1),
        ]
        every, weights = zip(*steps, strict=True)
        for _ in range(_STEPS):
            self.chance.choices(every, weights)[0]()
        for window in range(WINDOWS):
            self.look(window)
        self.look_at_all()
        return self.history.seen

    def count(self) -> None:
        """Some reports, of one cell as a rule: so that others fall behind."""
        window = self.chance.randrange(WINDOWS) if self.collection.windows else 0
        share = 5 if self.collection.over_time else 1  # of a round
        size = self.chance.randint(1, 2 * share * self.collection.minimum_reports)
        places = [self.chance.randrange(len(self.pool)) for _ in range(size)]
        reports = self.pool[places].copy()
        if "cohort" in (reports.dtype.names or ()) and self.chance.random() < 0.7:
            reports["cohort"] = reports["cohort"][0]
        (fates,) = self.store.commit([group(self.collection, reports, window=window)])
        new = reports[fates == ReportFate.NEW]
        if len(new):
            self.history.count(window, new)

    def look(self, window: int | None = None) -> None:
        """Read one window, and see that it shows all that it may."""
        chosen: int | str = self.chance.randrange(WINDOWS) if window is None else window
        if window is None and self.chance.random() < 0.3:
            chosen = "latest"
        try:
            (release,) = self.chance.choice(self.readers).of(self.collection, chosen)
        except TooFewReports:
            if chosen != "latest":
                self._must_show(int(chosen), None)
            return
        self.history.note(release)
        assert release.window is not None
        self._must_show(release.window, release)

    def _must_show(self, window: int, release: Release | None) -> None:
        """Nothing that may be shown is kept back: else a collector that shows nothing is lawful."""
        history, least = self.history, self.collection.minimum_reports
        for each in range(len(self.collection.zero.counts) if history.parted else 1):
            held = history.size((history.life, window, each))
            shown = 0 if release is None else history.read_size(release, each)
            if self.collection.over_time:
                due = each < self.closed[window] and held >= least
                assert shown == (held if due else 0)
            else:
                assert held - shown < least

    def look_at_all(self) -> None:
        """Read all windows together: the sum of what each of them shows."""
        reader = self.chance.choice(self.readers)
        try:
            releases = reader.of(self.collection, "all")
        except TooFewReports:
            releases = []
        if self.collection.over_time:
            for release in releases:
                self.history.note(release)
            return
        apart = self.collection.zero
        for window in range(WINDOWS):
            released = self.store.release(self.collection.key, window)
            if released is not None:
                self.history.note(Release(window, released.aggregate))
                apart += released.aggregate
        found = releases[0].aggregate if releases else self.collection.zero
        if found != apart:
            raise LawBrokenError("all windows together aren't the sum of each")
        self.history.seen.releases += len(releases)

    def close(self) -> None:
        """Close a window, or some rounds of it."""
        window, rounds = self.chance.randrange(WINDOWS), self.collection.kind.rounds
        if rounds and self.chance.random() < 0.9:
            last = self.closed[window] + 1
            if last < rounds:
                self.store.close(self.collection.key, window, last)
                self.closed[window] = last
        elif self.collection.windows:
            self.store.close(self.collection.key, window)
            for each in range(window + 1):
                self.closed[each] = rounds

    def forget(self) -> None:
        """Another process takes the place of a reader."""
        self.readers[self.chance.randrange(2)] = Releases(self.store)

    def begin_again(self) -> None:
        """The collection is removed and added again, as its administrator may."""
        if self.chance.random() < 0.2:
            self.store.remove(self.collection.key)
            self.store.add(HeldCollection(self.collection))
            self.history.life += 1
            self.closed = dict.fromkeys(range(WINDOWS), 0)


def lived(store: Store, name: str, pool: tuple[Collection, Records], seed: int) -> Seen:
    """One history of a collection by a mechanism, in which no release may break the law."""
    chance = random.Random(seed)  # noqa: S311 - a history, not a secret
    collection, reports = pool
    minimum = chance.choice((1, 2, 5, 20))
    windows = Windows(0, 3600) if collection.kind.rounds or chance.random() < 0.7 else None
    made = replace(collection, name=f"{name} {seed}", minimum_reports=minimum, windows=windows)
    return Life(store, made, reports, seed).live()
