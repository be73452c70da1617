"""google/rappor's regression tests in papers/rappor-decoding: the cases, the table, the pages."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudare import Rappor, Seeded
from support.scripts import paper_module

FOLDER = Path(__file__).parents[2] / "papers" / "rappor-decoding"
# Run again as they were committed.
AGAIN = ("r-zipf1.5-tiny-typical", "r-gauss-small-sharp")


def module(name: str) -> Any:
    return paper_module(FOLDER.name, name)


@pytest.fixture
def regression() -> Any:
    return module("regression")


@pytest.fixture
def specification() -> Any:
    return module("specification")


def committed() -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in json.loads((FOLDER / "result.json").read_text("utf-8"))}


def named(specification: Any, name: str) -> Any:
    return next(case for case in specification.CASES if case.name == name)


def test_every_case_of_the_specification_is_there(specification: Any) -> None:
    cases = {case.name: case for case in specification.CASES}
    assert len(cases) == len(specification.CASES) == 4 * 5 * 5 + 5
    sizes = {name: len(case.candidates) for name, case in cases.items()}
    assert sizes["r-unif-small-sharp"] == 100
    assert sizes["r-unif-small-typical"] == 90 + 20
    assert sizes["r-exp-medium-over_x2"] == 900 + 2_000
    assert sizes["r-zipf1.5-large-over_x10"] == 9_000 + 100_000
    assert sizes["demo1"] == 90 + 100
    lost = set(range(1, 101)) - set(cases["demo1"].candidates.tolist())
    assert lost == {9, 19, 29, 39, 49, 59, 69, 79, 89, 99}
    for case in cases.values():
        assert case.shares.sum() == pytest.approx(1)
        assert len(case.shares) == case.strings
    assert cases["r-unif-tiny-typical"].mechanism.epsilon == pytest.approx(1, abs=0.03)
    assert cases["r-unif-tiny-loose"].mechanism.epsilon == pytest.approx(5, abs=0.06)
    half_way = cases["r-gauss-small-sharp"].shares
    assert int(half_way.argmax()) == 49
    assert half_way[48] == pytest.approx(half_way[50])
    falling = cases["r-exp-small-sharp"].shares
    assert falling[20] / falling[0] == pytest.approx(math.exp(-1))


def test_a_device_keeps_its_noise_for_what_it_reports_again(specification: Any, seed: int) -> None:
    """One string, reported ten times by each: the variance is that of kept noise.

    The mean of 2048 squared standard scores is 1 with a deviation of √(2/2048) = 0.031, so it
    leaves 0.8 .. 1.2 with a chance below 1e-9; independent noise would make it 0.38.
    """
    mechanism = Rappor(32, 1, 64, 0.5, 0.25, 0.75)
    case = specification.Case("one", "demo", "unif", 1, 64_000, 10, mechanism, 0, missing=False)
    survey = case.draw(Seeded(seed))
    counts = survey.aggregate.counts
    people = counts[:, :1] // 10
    assert counts[:, 0].sum() == survey.aggregate.n == 640_000
    bit = np.zeros((64, 32), np.bool_)
    bit.ravel()[survey.design.rows[0]] = True
    kept = np.where(bit, 0.75, 0.25)  # 1 - f/2, f/2
    mean = 10 * people * (kept * 0.75 + (1 - kept) * 0.25)
    among = 100 * 0.5**2 * people * kept * (1 - kept)
    within = 10 * people * 0.75 * 0.25
    scores = (counts[:, 1:] - mean) ** 2
    assert 0.8 < float((scores / (among + within)).mean()) < 1.2
    independent = mean * (1 - mean / (10 * people))
    assert float((scores / independent).mean()) > 2


@pytest.mark.parametrize("name", ["r-unif-tiny-typical", "r-unif-small-over_x2", "demo4"])
def test_the_documents_decoder_is_the_printed_one(
    regression: Any, specification: Any, seed: int, name: str
) -> None:
    survey = named(specification, name).draw(Seeded(seed))
    answer = regression.document(survey, Seeded(seed))
    mechanism, counts = survey.case.mechanism, survey.aggregate.counts
    sizes, sums = counts[:, :1], counts[:, 1:]
    response = (sums - mechanism.others * sizes) / (mechanism.holder - mechanism.others)
    everyone = np.arange(len(survey.design))
    matrix = regression.google_rappor.dense(survey.design, everyone)
    printed = module("paper_decoder").printed_decoder(matrix, response.ravel())
    assert answer.found.tolist() == printed.found().tolist()
    shares = np.zeros(everyone.size)
    shares[printed.proposed] = printed.fit.coefficients / sizes.mean()
    assert np.abs(answer.shares - shares).max() < 1e-5


def test_the_metrics_of_a_run(regression: Any, specification: Any) -> None:
    survey = named(specification, "r-unif-small-typical").draw(Seeded(1))
    held = np.flatnonzero(survey.truth > 0)
    assert held.size == 90
    shares = survey.truth.copy()
    shares[100] = 0.25  # nobody holds it
    found = np.append(held[:45], 100)
    got = regression.score(survey, regression.Answer(found, shares), 0.0)
    assert got["fdp"] == pytest.approx(1 / 46)
    assert got["recall"] == 0.5
    unseen = 1 - float(survey.truth[held[:45]].sum())  # candidates not found, and no candidates
    assert got["variation"] == pytest.approx((unseen + 0.25) / 2)
    nothing = regression.score(survey, regression.Answer(np.empty(0, int), shares), 0.0)
    assert (nothing["fdp"], nothing["recall"]) == (0, 0)
    assert nothing["variation"] == pytest.approx(0.5)


def test_the_verdict_follows_from_the_numbers(regression: Any) -> None:
    def verdict(mean: float, error: float) -> str:
        result = regression.Result("a", "tiny", "ours", 1, 2, {"fdp": mean}, {"fdp": error})
        rows = {row.id: row for row in regression.rows([result])}
        assert rows["regression.fdp"].verdict == result.verdict
        assert rows["regression.broken"].verdict.startswith(result.verdict)
        return str(result.verdict)

    assert verdict(0.05, 0.0) == "held"
    assert verdict(0.0799, 0.01) == "held"
    assert verdict(0.0801, 0.01) == "broken"
    assert verdict(1.0, 0.0) == "broken"


def test_a_case_comes_out_again_as_it_was_committed(regression: Any, specification: Any) -> None:
    """By itself from the same seed; but for the time, and what machines round otherwise."""
    results = regression.read(FOLDER / "regression.json")
    before = {(result.case, result.decoder): result for result in results}
    cases = [named(specification, name) for name in AGAIN]
    for result in regression.measure(16, 1, lambda: None, cases):
        known = before[result.case, result.decoder]
        assert result.runs == known.runs
        for metric in ("fdp", "recall", "variation", *(["coverage"] * (result.decoder == "ours"))):
            assert result.means[metric] == pytest.approx(known.means[metric], abs=0.01), result
            assert result.errors[metric] == pytest.approx(known.errors[metric], abs=0.01)
    other = regression.measure(16, 2, lambda: None, cases[1:2])
    assert other[0].means["variation"] != before[cases[1].name, "ours"].means["variation"]


def test_the_pages_say_what_was_measured(regression: Any) -> None:
    """regression.md and every table of README.md are those of the results beside them."""
    tables, record = module("readme_tables"), module("record")
    results = regression.read(FOLDER / "regression.json")
    assert len({result.case for result in results}) == 105
    assert regression.page(results) == (FOLDER / "regression.md").read_text("utf-8")
    rows = committed()
    for row in regression.rows(results):
        assert rows[row.id]["verdict"] == row.verdict
        assert rows[row.id]["ours"] == pytest.approx(row.ours, abs=2e-6)
    readme = (FOLDER / "README.md").read_text("utf-8")
    shown = [line[12:-4] for line in readme.splitlines() if line.startswith("<!-- table: ")]
    assert sorted(shown) == sorted(tables.TABLES)
    assert tables.fill(readme, {name: record.Row(**row) for name, row in rows.items()}) == readme


def test_with_the_correction_few_discoveries_are_false() -> None:
    rows = committed()
    names = [name for name in rows if name.startswith("equal.") and name.endswith("fdr.precision")]
    assert len(names) == 18
    for name in names:
        found = rows[name.replace("precision", "recall")]["ours"]
        assert rows[name]["ours"] >= 0.95 or found == 0


def test_real_reports_give_what_binomials_give() -> None:
    """Eighteen means, each within 4 of its own standard errors; an F1 off by .1 would be seen."""
    rows = committed()
    names = [name for name in rows if name.startswith("reports.")]
    assert len(names) == 18
    for name in names:
        assert rows[name]["verdict"].startswith("equal")
        if ".f1." in name:
            assert abs(rows[name]["ours"] - rows[name]["document"]) < 0.1
