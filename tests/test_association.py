"""Two questions related: the joint table within its errors, the tests' level and power."""

from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import bdtrc, ndtri

from chance import ALPHA
from commands import refused, succeed
from sudare import GRR, OUE, Collection, Mechanism, Rappor, Seeded
from sudare.association import Association, associate
from sudare.errors import InvalidReport, ParameterError, TooFewReports
from sudare.estimation.mixture import CERTIFIED
from sudare.mechanism import Records
from sudare.wire import report_file

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


def test_independence_is_rejected_as_rarely_as_stated_and_a_relation_surely() -> None:
    """At level 5 % in 200 surveys: at most what a chance of 7 % allows."""
    related, tests = RELATED, {"score": 0, "ratio": 0}
    mechanisms = GRR.calibrate(4, 2.0), GRR.calibrate(3, 2.0)
    for seed in range(200):
        found = asked(mechanisms, FREE, 2000, seed).related()
        tests["score"] += found.score.p_value < 0.05
        tests["ratio"] += found.ratio.p_value < 0.05
        assert found.score.freedom <= 6
    for count in tests.values():
        assert bdtrc(count - 1, 200, 0.07) > ALPHA
    found = asked(mechanisms, related, 20_000, 0).related()
    assert max(found.score.p_value, found.ratio.p_value) < 1e-9
    assert found.score.freedom == found.ratio.freedom == 6


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
    table = succeed(tmp_path, *COMMAND, *OPTIONS).out
    assert all(label in table for label in (*ROWS, *COLUMNS, "other", "independent?", "5,000"))


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
