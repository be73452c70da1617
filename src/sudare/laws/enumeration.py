"""People, their reports and the exact laws of small batches."""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sudare.chance.channel import Channel
from sudare.chance.exact import exact_law
from sudare.chance.keystream import Keystream, Shape, Words
from sudare.chance.randomness import Randomness
from sudare.errors import NotEnumerable
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.bloom import filters
from sudare.mechanisms.domain import Numbers, Selections, SpreadNumbers, Streams
from sudare.mechanisms.domain import Questions as AnswerRows
from sudare.mechanisms.interface import Mechanism, Records
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.strings import Strings

CountLaw = dict[tuple[int, ...], Fraction]
ENUMERABLE_BITS = 8
_MOST_PATHS = 1_000_000  # of one law: a minute or so
_MOST_ANSWERS = 10_000  # of one question on it: they are listed each time
_MOST_QUESTIONS = 10_000  # on one path: no mechanism asks so many, but a loop without end does

Outcome = TypeVar("Outcome", bound=Hashable)


class Questions:
    """Randomness that notes what it is asked, and hands the question on."""

    def __init__(self, behind: Randomness) -> None:
        self._behind = behind
        self.asked: list[str] = []

    def _note(self, question: str) -> None:
        self.asked.append(question)
        if len(self.asked) > _MOST_QUESTIONS:
            raise NotEnumerable(
                f"more than {_MOST_QUESTIONS:,} questions are asked of chance for one report: a "
                f"loop until something is drawn can't be enumerated"
            )

    def bernoulli(self, p: float, shape: Shape) -> NDArray[np.bool_]:
        """Independent coins."""
        self._note(f"bernoulli({p!r}, {shape!r})")
        return self._behind.bernoulli(p, shape)

    def below(self, bound: int, shape: Shape) -> NDArray[np.int64]:
        """Independent integers."""
        self._note(f"below({bound!r}, {shape!r})")
        return self._behind.below(bound, shape)

    def packed(self, p: float, rows: int, bits: int) -> Words:
        """Packed coins."""
        self._note(f"packed({p!r}, {rows!r}, {bits!r})")
        return self._behind.packed(p, rows, bits)

    def subsets(self, items: int, chosen: NDArray[np.int64]) -> Words:
        """Uniform subsets."""
        self._note(f"subsets({items!r}, {chosen.tolist()!r})")
        return self._behind.subsets(items, chosen)


class _Few(Questions):
    """Questions of which none has more answers than there may be paths: each answer is one."""

    def below(self, bound: int, shape: Shape) -> NDArray[np.int64]:
        _check_few(bound)
        return super().below(bound, shape)

    def subsets(self, items: int, chosen: NDArray[np.int64]) -> Words:
        for size in chosen.tolist():
            _check_few(math.comb(items, size))
        return super().subsets(items, chosen)


def _check_few(answers: int) -> None:
    if answers > _MOST_ANSWERS:
        raise NotEnumerable(
            f"chance is asked a question of {answers:,} answers, each of which is a path: at most "
            f"{_MOST_ANSWERS:,} are walked"
        )


def enumerated(experiment: Callable[[Randomness], Outcome]) -> dict[Outcome, Fraction]:
    """The exact law of an experiment, given up where its paths of chance are too many to walk."""
    paths = 0

    def counted(rng: Randomness) -> Outcome:
        nonlocal paths
        paths += 1
        if paths > _MOST_PATHS:
            raise NotEnumerable(
                f"there are more than {_MOST_PATHS:,} paths of chance, too many to walk: fewer "
                f"answers have fewer"
            )
        return experiment(_Few(rng))

    return exact_law(counted)


@lru_cache
def values(mechanism: Mechanism) -> list[Any]:
    """The whole domain; of texts, enough to set every filter that some text sets."""
    if not isinstance(mechanism.domain, Strings):
        return list(mechanism.domain)
    if not isinstance(mechanism, Rappor) or mechanism.bits > ENUMERABLE_BITS:
        return [f"text {number}" for number in range(100)]
    texts = [f"text {number}" for number in range(1000)]
    hashed, found = mechanism.domain.check(texts), dict[tuple[int, bytes], int]()
    for cohort in range(mechanism.cohorts):
        where = np.full(len(texts), cohort)
        set_by = filters(hashed, where, mechanism.hashes, mechanism.bits)
        for number, words in enumerate(set_by):
            found.setdefault((cohort, words.tobytes()), number)
    return [texts[number] for number in sorted(set(found.values()))]


@lru_cache
def channel(mechanism: Mechanism) -> Channel:
    """The enumerated law of every value."""

    def law(value: Any) -> dict[Hashable, Fraction]:  # noqa: ANN401 - any domain's value
        return enumerated(lambda rng: mechanism.randomize([value], rng).tobytes())

    return Channel({value: law(value) for value in values(mechanism)})


def simulated(mechanism: Mechanism, truth: Sequence[int], rng: Keystream) -> Aggregate:
    """A simulated aggregate of ``truth[i]`` people with the i-th value, and nobody else."""
    if isinstance(mechanism.domain, Streams | Selections | AnswerRows):
        rows = values(mechanism)[: len(truth)]
        return mechanism.simulate(mechanism.domain.groups(rows, truth), rng)
    held = dict(zip(values(mechanism), [*truth, *[0] * len(values(mechanism))], strict=False))
    texts = isinstance(mechanism.domain, Strings)
    return mechanism.simulate(held if texts else list(held.values()), rng)


def support(mechanism: Mechanism) -> set[bytes]:
    """Every report that some value can cause."""
    laws = channel(mechanism).laws.values()
    return {report for law in laws for report in law if isinstance(report, bytes)}


def records(mechanism: Mechanism, reports: Iterable[bytes]) -> Records:
    """Reports read back from their bytes."""
    return np.frombuffer(b"".join(reports), mechanism.report_dtype)


def population(mechanism: Mechanism, truth: Sequence[int]) -> NDArray[Any]:
    """One value per person, ``truth[i]`` people with the domain's i-th value."""
    return np.repeat(np.array(values(mechanism)[: len(truth)]), truth, axis=0)


def true_shares(mechanism: Mechanism, truth: Sequence[int]) -> NDArray[np.float64]:
    """The truth of an estimate, of ``truth[i]`` people with the domain's i-th value.

    The share of each answer, or of numbers that of each bin, or the mean.
    """
    if isinstance(mechanism.domain, SpreadNumbers):
        bins = mechanism.domain.bin_of[population(mechanism, truth)]
        return np.bincount(bins, minlength=mechanism.domain.bins) / sum(truth)
    if isinstance(mechanism.domain, Numbers):
        return np.atleast_1d(population(mechanism, truth).mean())
    if isinstance(mechanism.domain, Selections):
        return np.asarray(population(mechanism, truth).mean(axis=0))
    if isinstance(mechanism.domain, AnswerRows):
        columns = zip(population(mechanism, truth).T, mechanism.domain.sizes, strict=True)
        shares = [np.bincount(column, minlength=k) / len(column) for column, k in columns]
        return np.concatenate(shares)
    return np.array(truth) / sum(truth)


def random_values(mechanism: Mechanism, count: int, rng: Keystream) -> NDArray[Any]:
    """Values drawn uniformly from the domain."""
    if isinstance(mechanism.domain, Streams):
        return rng.below(2, (count, mechanism.domain.rounds)).astype(np.uint8)
    if isinstance(mechanism.domain, AnswerRows):
        return np.column_stack([rng.below(k, count) for k in mechanism.domain.sizes])
    if isinstance(mechanism.domain, Selections):  # too many to list
        chosen = rng.subsets(mechanism.domain.k, rng.below(mechanism.domain.most + 1, count))
        octets = chosen.view(np.uint8)
        return np.unpackbits(octets, axis=1, count=mechanism.domain.k, bitorder="little")
    return np.array(values(mechanism))[rng.below(len(values(mechanism)), count)]


def aggregate_law(mechanism: Mechanism, people: NDArray[Any]) -> CountLaw:
    """The exact law of the flattened counts of these people: a convolution of their own laws."""
    laws = channel(mechanism).laws
    total: CountLaw = {tuple(mechanism.zero.counts.ravel().tolist()): Fraction(1)}
    for value in people.tolist():
        one: CountLaw = {}
        for report, chance in laws[tuple(value) if isinstance(value, list) else value].items():
            held = np.frombuffer(report, mechanism.report_dtype)  # type: ignore[call-overload]
            counts = tuple(mechanism.tally(held).ravel().tolist())
            one[counts] = one.get(counts, Fraction(0)) + chance
        convolved: CountLaw = {}
        for (a, p), (b, q) in product(total.items(), one.items()):
            key = tuple(x + y for x, y in zip(a, b, strict=True))
            convolved[key] = convolved.get(key, Fraction(0)) + p * q
        total = convolved
    return total
