"""Two questions related: the joint table within its errors, the tests' level and power."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import bdtrc, chdtrc, ndtri

from sudare import GRR, OUE, Collection, Mechanism, Rappor, Seeded
from sudare.decoding.joint import (
    Pairs,
    pairing_moments,
    score_test,
)
from sudare.decoding.likelihoods import ReportLikelihoods, likelihoods
from sudare.decoding.mixture import CERTIFIED, Mixture, most_likely_mixture
from sudare.errors import InvalidReport, ParameterError, TooFewReports
from sudare.formats.report_files import report_file
from sudare.mechanisms.interface import Records
from sudare.questions.association import Association, associate
from support.chance import ALPHA
from support.commands import refused, succeed

Floats = NDArray[np.float64]

ROWS, COLUMNS = ("green", "black", "oolong", "white"), ("east", "west", "north")
FREE = np.outer([0.4, 0.3, 0.2, 0.1], [0.5, 0.3, 0.2])
RELATED = FREE + 0.06 * np.array([[1, -1, 0], [-1, 1, 0], [0, 0, 0], [0, 0, 0]])
TEXT = Rappor(64, 4, 8, 0.0, 0.25, 0.75)


@dataclass(frozen=True, eq=False)
class Asked:
    """Two questions, their reports, and the table of the people who answered."""

    first: Collection
    first_reports: Records
    second: Collection
    second_reports: Records
    table: Floats

    def related(self, **options: object) -> Association:
        names = ("first", "second")
        candidates = {
            f"{name}_candidates": labels
            for name, labels in zip(names, (ROWS, COLUMNS), strict=True)
            if getattr(self, name).free_text
        }
        parts = self.first, self.first_reports, self.second, self.second_reports
        return associate(*parts, **{**candidates, **options})  # type: ignore[arg-type]


def question(name: str, labels: tuple[str, ...], mechanism: Mechanism) -> Collection:
    return Collection(name, f"Which {name}?", labels[: mechanism.domain.size], mechanism)


def asked(
    mechanisms: tuple[Mechanism, Mechanism], shares: Floats, n: int, seed: int, listed: int = 4
) -> Asked:
    """People drawn from a table; of the first question's answers so many are listed."""
    first = question("tea", ROWS[:listed], mechanisms[0])
    second = question("town", COLUMNS, mechanisms[1])
    rng = Seeded(seed)
    drawn = rng.generator().choice(shares.size, n, p=shares.ravel())
    row, column = np.divmod(drawn, shares.shape[1])
    return Asked(
        first,
        first.mechanism.randomize(first.encode(ROWS)[row], rng),
        second,
        second.mechanism.randomize(second.encode(COLUMNS)[column], rng),
        np.bincount(drawn, minlength=shares.size).reshape(shares.shape) / n,
    )


CLOSED = [
    (GRR.calibrate(4, 2.0), GRR.calibrate(3, 2.0)),
    (OUE.calibrate(4, 2.0), GRR.calibrate(3, 1.5)),
    (Rappor.calibrate(2.0, form="basic", bits=4), OUE.calibrate(3, 2.0)),
    (Rappor.calibrate(2.0, form="basic instant", bits=4), Rappor(3, 0, 1, 0.5, 0.25, 0.75)),
]
closed = pytest.mark.parametrize("mechanisms", CLOSED, ids=repr)


def farthest(found: Association, truth: Floats) -> float:
    """The largest error among the cells, in standard errors."""
    height, width = truth.shape
    cells = found.table[:height, :width] - truth, found.stderr[:height, :width]
    return float(np.abs(cells[0] / cells[1]).max())


LIMIT = -float(ndtri(ALPHA / 2 / FREE.size)) * 1.05  # normal tails, and a little for being so


@closed
def test_the_table_is_recovered_within_its_errors(
    mechanisms: tuple[Mechanism, Mechanism], seed: int
) -> None:
    people = asked(mechanisms, RELATED, 40_000, seed)
    found = people.related()
    assert (found.first, found.second) == (ROWS, COLUMNS)
    assert found.gap <= CERTIFIED
    assert found.table.sum() == pytest.approx(1, abs=1e-12)
    assert farthest(found, people.table) < LIMIT
    assert farthest(found, FREE[::-1]) > LIMIT  # the power
    assert found.epsilon == pytest.approx(people.first.epsilon + people.second.epsilon)


@pytest.mark.parametrize("mechanisms", [(TEXT, TEXT), (TEXT, GRR.calibrate(3, 2.0))], ids=repr)
def test_free_text_is_related_as_well(mechanisms: tuple[Mechanism, Mechanism], seed: int) -> None:
    people = asked(mechanisms, RELATED, 40_000, seed)
    found = people.related()
    assert found.first == (*ROWS, None)
    assert found.second == (COLUMNS if people.second.answers else (*COLUMNS, None))
    assert farthest(found, people.table) < LIMIT
    assert farthest(found, FREE[::-1]) > LIMIT
    assert found.score.p_value < 1e-9
    assert found.ratio.p_value < 1e-9


def test_texts_that_are_no_candidates_are_other(seed: int) -> None:
    people = asked((TEXT, GRR.calibrate(3, 3.0)), RELATED, 40_000, seed)
    found = people.related(first_candidates=["black", "green", "nobody's"])
    assert found.first == ("black", "green", "nobody's", None)
    expected = np.stack([people.table[1], people.table[0], np.zeros(3), people.table[2:].sum(0)])
    assert np.abs(found.table - expected).max() < 0.1
    assert [row["first"] for row in found.rows()[::3]] == list(found.first)


def too_many(rejected: int, surveys: int) -> bool:
    """Whether a level of 5 % is broken: more than a chance of 7 % allows."""
    return float(bdtrc(rejected - 1, surveys, 0.07)) < ALPHA


def test_independence_is_rejected_as_rarely_as_stated_and_a_relation_surely() -> None:
    """At level 5 % in 200 surveys: at most what a chance of 7 % allows."""
    related, tests = RELATED, {"score": 0, "ratio": 0}
    mechanisms = GRR.calibrate(4, 2.0), GRR.calibrate(3, 2.0)
    for seed in range(200):
        found = asked(mechanisms, FREE, 2000, seed).related()
        tests["score"] += found.score.p_value < 0.05
        tests["ratio"] += found.ratio.p_value < 0.05
        assert found.ratio.freedom <= 6
    assert not any(too_many(count, 200) for count in tests.values())
    found = asked(mechanisms, related, 20_000, 0).related()
    assert max(found.score.p_value, found.ratio.p_value) < 1e-9
    assert found.ratio.freedom == 6
    assert found.score.freedom == pytest.approx(6, rel=0.01)


# A frequent text that is no candidate


@dataclass(frozen=True, eq=False)
class Margins:
    """Two questions fitted, without their joint table: the score test, and what it is made of."""

    pairs: Pairs
    first: Mixture
    second: Mixture

    @classmethod
    def of(cls, people: Asked, candidates: tuple[Sequence[str], Sequence[str]]) -> "Margins":
        sides = [
            likelihoods(collection.mechanism, reports, collection.encode(texts)).kept()
            for collection, reports, texts in zip(
                (people.first, people.second),
                (people.first_reports, people.second_reports),
                candidates,
                strict=True,
            )
        ]
        return cls(Pairs(*sides), *map(most_likely_mixture, sides))

    def score(self, strata: NDArray[np.intp] | None = None) -> float:
        return score_test(self.pairs, self.first, self.second, strata).p_value

    def paired(self, order: NDArray[np.int64]) -> "Margins":
        """The reports of others beside people's first ones."""
        second = self.pairs.second.block(slice(0, self.pairs.n))[order]
        whole = ReportLikelihoods(self.pairs.n, second.shape[1], second.__getitem__)
        return replace(self, pairs=Pairs(self.pairs.first, whole))

    def plain(self) -> float:
        """The p-value of Pillai's trace by the textbook: chi-squared, all degrees of freedom."""
        bases = []
        for side, mixture in ((self.pairs.first, self.first), (self.pairs.second, self.second)):
            block = side.block(slice(0, side.n))
            relative = block[:, mixture.support] / (block @ mixture.shares)[:, np.newaxis] - 1
            bases.append(np.linalg.qr(relative[:, 1:])[0])  # shares times columns sum to 0
        trace = float(((bases[0].T @ bases[1]) ** 2).sum())
        return float(chdtrc(bases[0].shape[1] * bases[1].shape[1], self.pairs.n * trace))


NARROW = Rappor(8, 1, 4, 0.0, 0.0625, 0.9375)


def twice(mechanism: Rappor, shares: Floats, n: int, seed: int) -> Asked:
    """One collection in two windows: a person's cohort is the same in both."""
    collection, rng = question("tea", (), mechanism), Seeded(seed)
    drawn = rng.generator().choice(shares.size, n, p=shares.ravel())
    held = np.divmod(drawn, shares.shape[1])
    cohorts = mechanism.assign(n, rng)
    reports = []
    for texts, numbers in zip((ROWS, COLUMNS), held, strict=True):
        kept = mechanism.permanent(collection.encode(texts)[numbers], cohorts, rng)
        reports.append(mechanism.instant(kept, cohorts, rng))
    table = np.bincount(drawn, minlength=shares.size).reshape(shares.shape) / n
    return Asked(collection, reports[0], collection, reports[1], table)


def surveyed(shares: Floats, seed: int, *, shared: bool) -> Asked:
    if shared:
        return twice(NARROW, shares, 1000, seed)
    return asked((NARROW, NARROW), shares, 1000, seed)


cohorts = pytest.mark.parametrize("shared", [False, True], ids=["own cohorts", "shared cohorts"])


@cohorts
def test_a_missing_text_makes_no_relation(shared: bool) -> None:
    """Of each question the most frequent text is missing, which 40 and 50 % of people answer.

    At level 5 % in 100 surveys: at most what a chance of 7 % allows. In shared cohorts the errors
    of both models meet: there the plain test and the likelihood ratio break their level.
    """
    candidates = ROWS[1:], COLUMNS[1:]
    rejected = dict.fromkeys(("score", "ratio", "plain"), 0)
    for seed in range(100):
        people = surveyed(FREE, seed, shared=shared)
        found = people.related(first_candidates=candidates[0], second_candidates=candidates[1])
        assert bool(found.caveats) == shared
        rejected["score"] += found.score.p_value < 0.05
        rejected["ratio"] += found.ratio.p_value < 0.05
        rejected["plain"] += Margins.of(people, candidates).plain() < 0.05
    assert not too_many(rejected["score"], 100)
    assert too_many(rejected["plain"], 100) == too_many(rejected["ratio"], 100) == shared


@cohorts
def test_a_relation_is_found_as_often_as_by_the_plain_test(shared: bool) -> None:
    """With every text a candidate both tests hold; they find the same 100 surveys, but for 3."""
    weak = FREE + (RELATED - FREE) / 2
    found = np.zeros(2, np.int64)
    for seed in range(100):
        people = surveyed(weak, seed, shared=shared)
        fitted = Margins.of(people, (ROWS, COLUMNS))
        strata = people.first_reports["cohort"].astype(np.intp) if shared else None
        found += [p_value < 0.05 for p_value in (fitted.score(strata), fitted.plain())]
    assert 50 < found[1] < 95
    assert abs(found[0] - found[1]) <= 3


def test_a_large_table_of_rare_answers_keeps_its_level() -> None:
    """200 pairings at random: a chi-squared law of all degrees of freedom does not fit them.

    A few people carry most of a rare answer's weight; whether two of them meet decides.
    """
    texts = tuple(f"text {number}" for number in range(90))
    mechanism = Rappor(128, 2, 64, 0.0, 0.0625, 0.9375)
    collection, rng = question("tea", (), mechanism), Seeded(1)
    generator, shares = rng.generator(), 1 / np.arange(1, 61)
    held = [generator.choice(60, 500, p=shares / shares.sum()) for _ in range(2)]
    reports = [mechanism.randomize(collection.encode(texts)[one], rng) for one in held]
    people = Asked(collection, reports[0], collection, reports[1], shares)
    fitted = Margins.of(people, (texts[1:], texts[1:]))
    rejected = np.zeros(2, np.int64)
    for _ in range(200):
        again = fitted.paired(generator.permutation(500))
        rejected += [p_value < 0.05 for p_value in (again.score(), again.plain())]
    assert not too_many(rejected[0], 200)
    assert too_many(rejected[1], 200)


def bases_of(strata: NDArray[np.intp], generator: np.random.Generator) -> list[Floats]:
    """Whitened values of two questions, of long tails and centred in each stratum."""
    bases = []
    for rank in (1, 2):
        values = generator.standard_normal((len(strata), rank)) ** 3
        for stratum in np.unique(strata):
            values[strata == stratum] -= values[strata == stratum].mean(axis=0)
        bases.append(np.linalg.qr(values)[0])
    return bases


def traces(bases: list[Floats], orders: Iterable[NDArray[np.intp]]) -> Floats:
    return np.array([((bases[0].T @ bases[1][order]) ** 2).sum() for order in orders])


def moments_of(bases: list[Floats], strata: NDArray[np.intp]) -> tuple[float, float, float]:
    one, two = ((base**2).sum(axis=1) for base in bases)
    return pairing_moments(one, two, strata)


def test_the_mean_over_all_pairings_is_exact() -> None:
    """Three people in one stratum and four in another: their 144 pairings one by one."""
    strata = np.array([0, 1, 1, 0, 1, 0, 1])
    bases = bases_of(strata, np.random.default_rng(5))
    everyone = np.argsort(strata, kind="stable")
    orders = []
    for pairing in product(permutations(everyone[:3]), permutations(everyone[3:])):
        orders.append(np.empty(7, np.intp))
        orders[-1][everyone] = np.concatenate(pairing)
    assert len(orders) == 144
    assert moments_of(bases, strata)[0] == pytest.approx(traces(bases, orders).mean(), rel=1e-12)


def test_the_tail_of_the_pairings_is_known() -> None:
    """Ten thousand of those of 400 people, of whom some weigh much: always the same ones."""
    generator = np.random.default_rng(5)
    strata = np.repeat([0, 1], 200)
    bases = bases_of(strata, generator)
    drawn = generator.permuted(np.arange(400).reshape(1, 2, 200).repeat(10_000, 0), axis=2)
    found = traces(bases, drawn.reshape(10_000, 400))
    mean, variance, third = moments_of(bases, strata)
    assert variance == pytest.approx(found.var(), rel=0.05)
    assert third == pytest.approx(((found - mean) ** 3).mean(), rel=0.1)
    assert variance > 1.4 * mean**2  # a chi-squared law of 2 degrees of freedom has mean²


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_few_people_are_tested_as_well(n: int, seed: int) -> None:
    for people in (asked((NARROW, TEXT), RELATED, n, seed), twice(NARROW, RELATED, n, seed)):
        found = people.related().score
        assert 0 <= found.statistic < np.inf
        assert 0 < found.p_value <= 1


def test_what_does_not_hold_is_said() -> None:
    kept = replace(NARROW, f=0.5)
    assert not asked((NARROW, NARROW), FREE, 500, 1).related().caveats
    (cohorts,) = twice(NARROW, FREE, 500, 1).related().caveats
    assert "cohorts in the two questions are related" in cohorts
    told = twice(kept, FREE, 500, 1).related().caveats
    assert told[0] == cohorts
    assert "one collection with permanent noise" in told[1]
    assert not asked((kept, kept), FREE, 500, 1).related().caveats
    lonely = replace(NARROW, cohorts=1)
    assert not twice(lonely, FREE, 500, 1).related().caveats


def test_the_two_tests_agree_where_no_share_is_near_zero(seed: int) -> None:
    mechanisms = GRR.calibrate(4, 3.0), GRR.calibrate(3, 3.0)
    weak = FREE + (RELATED - FREE) / 10
    found = asked(mechanisms, weak, 40_000, seed).related()
    assert found.score.statistic == pytest.approx(found.ratio.statistic, rel=0.2, abs=3)


def test_refusals_are_one_sentence() -> None:
    people = asked((TEXT, GRR.calibrate(3, 2.0)), RELATED, 100, 1)
    with pytest.raises(ParameterError, match="“tea” has 100 reports and “town” 99; every person"):
        replace(people, second_reports=people.second_reports[:99]).related()
    with pytest.raises(ParameterError, match="“tea” asks for free text: name its candidates"):
        people.related(first_candidates=None)
    with pytest.raises(ParameterError, match="“town” has a list of 3 answers; it takes no"):
        people.related(second_candidates=["east"])
    with pytest.raises(ParameterError, match="100 reports times 15 cells of the table is over"):
        people.related(pairs=1499)
    strict = replace(people.second, minimum_reports=101)
    with pytest.raises(TooFewReports, match="releases nothing below 101"):
        replace(people, second=strict).related()


# The command line


@pytest.fixture
def files(tmp_path: Path, seed: int) -> Asked:
    """tea.json and town.json, their reports, and teas.txt."""
    people = asked((TEXT, GRR.calibrate(3, 2.0)), RELATED, 5000, seed)
    for collection, reports in (
        (people.first, people.first_reports),
        (people.second, people.second_reports),
    ):
        (tmp_path / f"{collection.name}.json").write_bytes(collection.to_json())
        path = tmp_path / f"{collection.name}.arrow"
        with report_file(path, collection.report_dtype, collection.key) as sink:
            sink.write(reports)
    (tmp_path / "teas.txt").write_text("\n".join(ROWS) + "\n", "utf-8")
    return people


COMMAND = ("associate", "tea.json", "tea.arrow", "town.json", "town.arrow")
OPTIONS = ("--first-candidates", "teas.txt")


def test_the_command_says_what_the_library_does(files: Asked, tmp_path: Path) -> None:
    found = files.related()
    told = succeed(tmp_path, *COMMAND, *OPTIONS, "--json").json()
    assert told["pairs"] == msgspec.json.decode(msgspec.json.encode(found.rows()))
    assert told["score_test"] == vars(found.score)
    assert told["likelihood_ratio_test"] == vars(found.ratio)
    assert (told["n"], told["epsilon"], told["gap"]) == (5000, found.epsilon, found.gap)
    lines = succeed(tmp_path, *COMMAND, *OPTIONS, "--csv").out.splitlines()
    assert lines[0] == "first,second,share,stderr,independent"
    assert len(lines) == 1 + 5 * 3
    assert told["caveats"] == []
    table = succeed(tmp_path, *COMMAND, *OPTIONS).out
    assert "\nbut " not in table
    assert all(label in table for label in (*ROWS, *COLUMNS, "other", "independent?", "5,000"))


def test_the_command_says_where_its_promise_ends(tmp_path: Path, seed: int) -> None:
    people = twice(replace(NARROW, f=0.5), FREE, 500, seed)
    (tmp_path / "tea.json").write_bytes(people.first.to_json())
    for name, reports in (("may", people.first_reports), ("june", people.second_reports)):
        path = tmp_path / f"{name}.arrow"
        with report_file(path, people.first.report_dtype, people.first.key) as sink:
            sink.write(reports)
    for name, texts in (("first", ROWS), ("second", COLUMNS)):
        (tmp_path / f"{name}.txt").write_text("\n".join(texts), "utf-8")
    command = ("associate", "tea.json", "may.arrow", "tea.json", "june.arrow")
    options = ("--first-candidates", "first.txt", "--second-candidates", "second.txt")
    caveats = succeed(tmp_path, *command, *options, "--json").json()["caveats"]
    assert tuple(caveats) == people.related().caveats
    told = succeed(tmp_path, *command, *options).out.splitlines()
    assert told[-3:-1] == [f"but {caveat}" for caveat in caveats]


@pytest.mark.usefixtures("files")
def test_a_wide_table_is_listed(tmp_path: Path) -> None:
    many = "\n".join([*ROWS, *(f"nobody's {number}" for number in range(20))])
    (tmp_path / "many.txt").write_text(many, "utf-8")
    turned = ("associate", "town.json", "town.arrow", "tea.json", "tea.arrow")
    table = succeed(tmp_path, *turned, "--second-candidates", "many.txt").out
    assert "The 30 largest of 75 shares." in table
    assert "if independent" in table


@pytest.mark.usefixtures("files")
def test_the_command_refuses_in_one_sentence(tmp_path: Path) -> None:
    assert "name its candidates" in refused(tmp_path, *COMMAND)
    (tmp_path / "empty.txt").touch()
    sentence = refused(tmp_path, *COMMAND, "--first-candidates", "empty.txt")
    assert sentence == "there are 0 candidates; decoding needs at least 1"
    swapped = ("associate", "tea.json", "town.arrow", "town.json", "tea.arrow")
    assert "belong to the collection" in refused(tmp_path, *swapped, *OPTIONS)
    assert "nothing.arrow" in refused(
        tmp_path, *COMMAND[:2], "nothing.arrow", *COMMAND[3:], *OPTIONS
    )


def test_reports_of_another_collection_are_refused(files: Asked) -> None:
    with pytest.raises(InvalidReport, match="“tea” are records of"):
        replace(files, first_reports=files.second_reports).related()
