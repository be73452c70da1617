"""Each law of a mechanism as a function, which raises ``LawBroken`` with the case that shows it.

A law is tried on one instance. Those that enumerate need a small one; cases are tried from small to
large, so that the first that fails is the smallest.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.chance.exact import log_up, text_up
from sudare.chance.randomness import Randomness, Seeded
from sudare.errors import InvalidReport, LawBroken, SudareError
from sudare.formats.documents import canonical
from sudare.formats.wire import from_batch, from_bytes, to_batch, to_bytes
from sudare.kernels import COMPILE_FROM
from sudare.laws.compiled_paths import NEVER, compiled_from
from sudare.laws.draws import ALPHA, least_likely, suspicion
from sudare.laws.enumeration import (
    Questions,
    aggregate_law,
    channel,
    enumerated,
    population,
    random_values,
    records,
    simulated,
    support,
    true_shares,
    values,
)
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.domain import Numbers
from sudare.mechanisms.interface import CategoricalMechanism, Mechanism

EXACT = 1e-12  # what floats may lose on the way from exact fractions
ILL_TYPED: Sequence[Any] = (
    None,
    "x",
    [],
    1.5,
    True,
    -1,
    2**70,
    "1/3",
    "2/4",
    "0.5",
    "1/0",
    " 1/2",
    "2",
)
DRAWS = 10_000
PEOPLE = 500
_BATCHES = (0, 1, 1, 2, 3, 5, 10, 30)  # people: from few to many


def ratio_is_declared(mechanism: Mechanism) -> None:
    """Law 1: the enumerated worst ratio is the declared one, as fractions."""
    stated = mechanism.worst_ratio
    if not isinstance(stated, Fraction | int):
        raise LawBroken(
            f"worst_ratio is a {type(stated).__name__}; it must be an exact Fraction",
            mechanism=mechanism,
        )
    laws = channel(mechanism).laws
    worst, case = Fraction(1), dict[str, object]()
    for report in sorted(support(mechanism)):
        chances = {value: law.get(report, Fraction(0)) for value, law in laws.items()}
        often, seldom = max(chances, key=chances.__getitem__), min(chances, key=chances.__getitem__)
        shown: dict[str, object] = {
            "report": report.hex(),
            "value": often,
            "its_chance": chances[often],
            "other_value": seldom,
            "its_chance_there": chances[seldom],
        }
        if not chances[seldom]:
            raise LawBroken(
                "a report is possible under one value and impossible under another: no ε holds",
                mechanism=mechanism,
                **shown,
            )
        if chances[often] / chances[seldom] > worst:
            worst, case = chances[often] / chances[seldom], shown
    if worst != stated:
        told = "more is told than is stated" if worst > stated else "less is told than is stated"
        raise LawBroken(
            f"the enumerated ε is {text_up(log_up(worst))}, the stated one "
            f"{text_up(log_up(max(Fraction(stated), Fraction(1))))}: {told}",
            mechanism=mechanism,
            stated_ratio=stated,
            enumerated_ratio=worst,
            **case,
        )


def costs_follow_from_the_ratio(mechanism: Mechanism) -> None:
    """Law 7: what is told of the cost is what the ratio says, of one report and of several.

    The ratio is compared with the code. But whoever asks for a cost (a collection, a ledger) asks
    for its logarithm, and for that of several reports: where nothing is kept, each costs anew.
    """
    ratio = log_up(Fraction(mechanism.worst_ratio))
    told = mechanism.epsilon
    if told != ratio:
        raise LawBroken(
            f"epsilon is told to be {told!r}; the logarithm of worst_ratio is {ratio!r}",
            mechanism=mechanism,
            stated_ratio=mechanism.worst_ratio,
        )
    for reports in (1,) if mechanism.memoised else (1, 2, 10):
        cost = mechanism.epsilon_of(reports)
        if cost < reports * told:
            raise LawBroken(
                f"epsilon_of({reports}) is {cost!r}, less than {reports} times {told!r}",
                mechanism=mechanism,
            )
    for_life = mechanism.lifetime_epsilon
    least = told if mechanism.memoised else math.inf
    if for_life < least:
        raise LawBroken(
            f"lifetime_epsilon is {for_life!r}; what is kept says that it is at least {least!r}",
            mechanism=mechanism,
        )


def devices_follow_the_law(mechanism: Mechanism) -> None:
    """Law 1 of a device: its first report has the law that was enumerated.

    A device calls ``report_again``, not ``randomize``. What it keeps is drawn anew here.
    """
    for value, law in channel(mechanism).laws.items():

        def told(rng: Randomness, value: Any = value) -> bytes:  # noqa: ANN401 - any domain's
            checked = mechanism.domain.check([value])
            return mechanism.report_again(checked, lambda _, __: rng, rng).tobytes()

        found: dict[Hashable, Fraction] = dict(enumerated(told))
        report = _first_apart(found, law)
        if report is None:
            continue
        raise LawBroken(
            "a device's report has another law than that of randomize",
            mechanism=mechanism,
            value=value,
            report=report.hex(),
            its_chance=law.get(report, 0),
            its_chance_from_a_device=found.get(report, 0),
        )


def spends_at_most(mechanism: Mechanism, epsilon: float) -> None:
    """Law 1 for a calibrated mechanism: the stated and the enumerated ε are within the budget."""
    stated_at_most(mechanism, epsilon)
    found = log_up(channel(mechanism).worst_ratio)
    if found > epsilon:
        raise LawBroken(
            f"calibrate({epsilon!r}) spends ε = {text_up(found)}, by enumeration",
            mechanism=mechanism,
        )


def stated_at_most(mechanism: Mechanism, epsilon: float) -> None:
    """A calibrated mechanism states no more ε than it was given: for sizes of any number."""
    if mechanism.epsilon > epsilon:
        raise LawBroken(
            f"calibrated for at most ε = {epsilon}, it states ε = {text_up(mechanism.epsilon)}",
            mechanism=mechanism,
        )


def _first_apart(found: Mapping[Any, Fraction], law: Mapping[Any, Fraction]) -> Any:  # noqa: ANN401 - any outcome
    """The smallest outcome that two laws give different chances; None if they are one law."""
    every = found.keys() | law.keys()
    return min((one for one in every if found.get(one) != law.get(one)), default=None)


def laws_sum_to_one(mechanism: Mechanism) -> None:
    """Law 2, first half: for each value, some report leaves, with probability 1."""
    for value, law in channel(mechanism).laws.items():
        total, least = sum(law.values()), min(law.values())
        if total != 1 or least <= 0:
            raise LawBroken(
                "the chances of a value's reports don't add up to 1",
                mechanism=mechanism,
                value=value,
                sum=total,
                smallest=least,
            )


def people_are_independent(mechanism: Mechanism) -> None:
    """Law 2, second half: the joint law of a batch of two is the product of their laws."""
    laws = channel(mechanism).laws
    every = values(mechanism)
    for a, b in ((every[0], every[-1]), (every[-1], every[0]), (every[1], every[1])):

        def batch(rng: Randomness, pair: tuple[Any, Any] = (a, b)) -> tuple[bytes, bytes]:
            reports = mechanism.randomize(pair, rng)
            each = len(reports) // 2
            return reports[:each].tobytes(), reports[each:].tobytes()

        joint: dict[Hashable, Fraction] = dict(enumerated(batch))
        expected: dict[Hashable, Fraction] = {
            (x, y): laws[a][x] * laws[b][y] for x, y in product(laws[a], laws[b])
        }
        pair = _first_apart(joint, expected)
        if pair is None:
            continue
        raise LawBroken(
            "two people's reports depend on each other, or on who else is in their batch",
            mechanism=mechanism,
            values=f"{a} and {b}",
            reports=" and ".join(report.hex() for report in pair),
            chance_together=joint.get(pair, 0),
            product_of_their_chances=expected.get(pair, 0),
        )


def chance_is_asked_alike(mechanism: Mechanism, seed: int) -> None:
    """What is asked of chance doesn't depend on the values, so that the words drawn tell nothing.

    On the same answers of chance, each value asks the same questions.
    """
    asked: dict[int, tuple[Any, list[str]]] = {}
    for value in values(mechanism):
        for attempt in range(8):
            questions = Questions(Seeded(seed + attempt))
            mechanism.randomize([value], questions)
            first, before = asked.setdefault(attempt, (value, questions.asked))
            if before != questions.asked:
                at = _first_difference(before, questions.asked)
                raise LawBroken(
                    "what is asked of chance depends on the value",
                    mechanism=mechanism,
                    value=first,
                    asks=_at(before, at),
                    other_value=value,
                    asks_there=_at(questions.asked, at),
                )


def _first_difference(one: list[str], other: list[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _at(asked: list[str], at: int) -> str:
    return asked[at] if at < len(asked) else "nothing more"


def unbiased_truths(mechanism: Mechanism) -> Iterator[list[int]]:
    """How many people hold each value, in the cases in which a mean is enumerated: few people."""
    rest = [0] * (len(values(mechanism)) - 2)
    yield from ([1, 1, *rest], [2, 0, *rest], [0, *rest, 3], [1, *rest, 2])


def estimate_is_unbiased(mechanism: Mechanism, truth: Sequence[int]) -> None:
    """Law 3: the exact mean of the estimate is the truth, that of stderr² its variance."""
    shares = true_shares(mechanism, truth)
    law = aggregate_law(mechanism, population(mechanism, truth))
    chances = np.array([float(chance) for chance in law.values()])
    shape, n = mechanism.zero.counts.shape, sum(truth)
    estimates = [
        mechanism.estimate(Aggregate(mechanism.key, n, np.reshape(counts, shape))) for counts in law
    ]
    found = np.array([estimate.values for estimate in estimates])
    stated = chances @ np.array([estimate.stderr**2 for estimate in estimates])
    mean, variance = chances @ found, chances @ (found - shares) ** 2
    wrong = ~(np.abs(mean - shares) <= EXACT * np.abs(found).max())
    if wrong.any():
        at = int(np.argmax(wrong))
        raise LawBroken(
            "the estimate is biased: its exact mean isn't the truth",
            mechanism=mechanism,
            people_with_each_value=list(truth),
            answer=at,
            share=f"{shares[at]:.12g}",
            mean_of_its_estimate=f"{mean[at]:.12g}",
        )
    wrong = ~(np.abs(stated - variance) <= EXACT * np.maximum(1.0, np.abs(variance)))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise LawBroken(
            "the stated error is wrong: the exact mean of stderr² isn't the estimate's variance",
            mechanism=mechanism,
            people_with_each_value=list(truth),
            answer=at,
            variance=f"{variance[at]:.12g}",
            mean_of_stderr_squared=f"{stated[at]:.12g}",
        )


def evidence_is_unbiased(mechanism: CategoricalMechanism, truth: Sequence[int]) -> None:
    """Law 3 of the likelihood: the exact mean of each event's counts is what its chances say."""
    shares, n = true_shares(mechanism, truth), sum(truth)
    shape, mean, said = mechanism.zero.counts.shape, np.zeros(1), np.zeros(1)
    for counts, chance in aggregate_law(mechanism, population(mechanism, truth)).items():
        aggregate = Aggregate(mechanism.key, n, np.reshape(counts, shape))
        evidence = mechanism.evidence(aggregate)
        others, lift = evidence.others, evidence.holder - evidence.others
        mean = mean + float(chance) * evidence.counts
        said = n * (others[:, np.newaxis] + lift[:, np.newaxis] * shares)
    if mean.shape != said.shape or not (np.abs(mean - said) <= EXACT * n).all():
        raise LawBroken(
            "the evidence is wrong: the exact mean of its counts isn't what its chances say",
            mechanism=mechanism,
            people_with_each_value=list(truth),
            mean=np.round(mean, 9).tolist(),
            its_chances_say=np.round(said, 9).tolist(),
        )


def aggregates_add_up(
    mechanism: Mechanism, batches: tuple[ArrayLike, ArrayLike, ArrayLike], seed: int
) -> None:
    """``aggregate(a ++ b) == aggregate(a) + aggregate(b)`` for these people; zero is neutral."""
    rng = Seeded(seed)
    a, b, c = (mechanism.randomize(batch, rng) for batch in batches)
    x, y, z = mechanism.aggregate(a), mechanism.aggregate(b), mechanism.aggregate(c)
    both = mechanism.aggregate(np.concatenate([a, b]))
    case = {"mechanism": mechanism, "reports": a.tobytes().hex(), "others": b.tobytes().hex()}
    if both != x + y:
        raise LawBroken("two batches counted together aren't the sum of both", **case)
    if (x + y) + z != x + (y + z) or x + y != y + x:
        raise LawBroken("the sum of aggregates depends on the order", **case)
    if x + mechanism.zero != x:
        raise LawBroken("the aggregate of nobody, added, changes an aggregate", **case)


def aggregates_are_a_monoid(mechanism: Mechanism, seed: int) -> None:
    """Law 4: aggregates add like their reports, in any order; that of nobody is neutral."""
    rng = Seeded(seed)
    for number, people in enumerate(_BATCHES):
        first, second, third = (random_values(mechanism, people, rng) for _ in range(3))
        aggregates_add_up(mechanism, (first, second, third), seed + number)


def check_accepts_only_possible_reports(mechanism: Mechanism) -> None:
    """Law 5: with any one bit of a possible report turned, it is possible again or refused."""
    possible = support(mechanism)
    each = mechanism.report_dtype.itemsize
    singles = {report[at : at + each] for report in possible for at in range(0, len(report), each)}
    for report in sorted(possible):
        try:
            mechanism.aggregate(records(mechanism, [report]))
        except InvalidReport as error:
            raise LawBroken(
                "check refuses a report that perturb makes",
                mechanism=mechanism,
                report=report.hex(),
                because=error,
            ) from None
    for report in sorted(singles):
        for bit in range(8 * len(report)):
            turned = (int.from_bytes(report) ^ 1 << bit).to_bytes(len(report))
            if turned not in singles and not _refused(mechanism, [report, turned]):
                raise LawBroken(
                    "check accepts a report that no value can cause",
                    mechanism=mechanism,
                    report=turned.hex(),
                )


def _refused(mechanism: Mechanism, reports: list[bytes]) -> bool:
    try:
        mechanism.aggregate(records(mechanism, reports))
    except InvalidReport:
        return True
    return False


def simulate_follows_the_law(mechanism: Mechanism, wrong: Mechanism | None, seed: int) -> None:
    """Law 6, second half: ``simulate`` draws from the enumerated law of the aggregate.

    Fails by chance with probability at most 1e-9; the same draws must reject the law of a
    slightly ``wrong`` mechanism, where one is given.
    """
    truth = [2, 1]
    rng = Seeded(seed)
    drawn = Counter(
        tuple(simulated(mechanism, truth, rng).counts.ravel().tolist()) for _ in range(DRAWS)
    )
    law = aggregate_law(mechanism, population(mechanism, truth))
    counts, chance = least_likely(drawn, law, DRAWS)
    if chance <= ALPHA:
        raise LawBroken(
            f"simulate doesn't draw from the law of perturb: such draws have a chance of at most "
            f"{max(chance, 1e-99):.1g}",
            mechanism=mechanism,
            people_with_each_value=truth,
            counts=list(counts),
            drawn=f"{drawn[counts]} of {DRAWS}",
            their_chance=law.get(counts, Fraction(0)),
        )
    if wrong is not None:
        other = aggregate_law(wrong, population(wrong, truth))
        if suspicion(drawn, other, DRAWS) > ALPHA:
            raise LawBroken("the draws could be those of a wrong mechanism, too", mechanism=wrong)


def kernels_repeat_the_plain_path(mechanism: Mechanism, people: NDArray[Any], seed: int) -> None:
    """Law 6, first half: on one keystream, compiled and plain code give the same reports, counts.

    Both must also leave the stream at the same word.
    """
    outcomes = set()
    for size in (0, COMPILE_FROM, NEVER):
        rng = Seeded(seed)
        with compiled_from(size):
            reports = mechanism.randomize(people, rng)
            counts = mechanism.tally(reports)
        outcomes.add((reports.tobytes(), counts.tobytes(), rng.words(1).tobytes()))
    if len(outcomes) != 1:
        raise LawBroken(
            "on the same chance the reports are others: compiled and plain code differ, or chance "
            "comes from elsewhere than rng",
            mechanism=mechanism,
            people=len(people),
        )


def weights_add_up(mechanism: Mechanism, seed: int) -> None:
    """The sum of an answer's weights is the estimate of its people, Σ w(w - 1) its variance.

    Of numbers, the sum of the weights is that of the numbers.
    """
    reports = mechanism.randomize(random_values(mechanism, PEOPLE, Seeded(seed)), Seeded(seed + 1))
    estimate = mechanism.estimate(mechanism.aggregate(reports))
    every, counts_people = len(estimate.values), not isinstance(mechanism.domain, Numbers)
    for answer in {0, min(1, every - 1), every // 2, every - 1}:
        weights = mechanism.weights(reports, answer)
        people, stderr = PEOPLE * estimate.values[answer], PEOPLE * estimate.stderr[answer]
        sums = (weights.sum(), (weights * (weights - 1)).sum())
        largest = float(np.abs(weights).max())
        for what, terms, total, size in (
            ("its people", weights, people, largest),
            ("the variance of its people", weights * (weights - 1), stderr**2, largest**2),
        )[: 1 + counts_people]:
            # But for rounding, which is relative to what is added and taken away.
            if not abs(terms.sum() - total) <= 1e-9 * max(abs(total), size):
                raise LawBroken(
                    f"the weights of an answer don't add up to {what}",
                    mechanism=mechanism,
                    answer=answer,
                    sums=", ".join(f"{each:.9g}" for each in sums),
                    estimate=f"{total:.9g}",
                )


def document_reads_back(mechanism: Mechanism) -> None:
    """The document reads back to the same mechanism, of the same key."""
    document = mechanism.document()
    key = hashlib.sha256(canonical(document)).hexdigest()
    if mechanism.key != key:  # or reports of several mechanisms would be added up
        raise LawBroken(
            "the key isn't that of the document",
            mechanism=mechanism,
            document=document,
            key=mechanism.key,
            key_of_the_document=key,
        )
    again = type(mechanism).from_document(document)
    if again != mechanism or again.key != mechanism.key:
        raise LawBroken(
            "the document reads back to another mechanism",
            mechanism=mechanism,
            document=document,
            read_back=again,
        )


def wrong_parameters_are_refused(mechanism: Mechanism) -> None:
    """A document with a parameter missing, added or outside what is allowed is no mechanism."""
    document = mechanism.document()
    named = [name for name in document if name != "name"]
    changed = [{key: document[key] for key in document if key != name} for name in named]
    changed += [document | {name: value} for name in named for value in ILL_TYPED]
    for wrong in [*changed, document | {"extra": 1}]:
        try:
            made = type(mechanism).from_document(wrong)
        except SudareError:
            continue
        raise LawBroken(
            "a document with a wrong parameter is taken for a mechanism",
            mechanism=mechanism,
            document=wrong,
            read_as=made,
        )


def reports_travel(mechanism: Mechanism, seed: int) -> None:
    """Reports are the same after they were bytes, and after they were columns of a file."""
    reports = mechanism.randomize(random_values(mechanism, 20, Seeded(seed)), Seeded(seed + 1))
    if reports.dtype != mechanism.report_dtype:
        raise LawBroken(
            "perturb makes records of another type than report_dtype",
            mechanism=mechanism,
            report_dtype=mechanism.report_dtype,
            made=reports.dtype,
        )
    ways: dict[str, Callable[[], NDArray[np.void]]] = {
        "bytes": lambda: from_bytes(reports.dtype, to_bytes(reports)),
        "columns": lambda: from_batch(reports.dtype, to_batch(reports)),
    }
    for name, there_and_back in ways.items():
        if there_and_back().tobytes() != reports.tobytes():
            raise LawBroken(
                f"reports are others after they were {name}",
                mechanism=mechanism,
                report_dtype=mechanism.report_dtype,
            )
