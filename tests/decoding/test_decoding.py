"""Free text decoded end to end, and what is refused."""

from itertools import count

import numpy as np
import pytest

from sudare import GRR, Aggregate, Collection, Device, Rappor, Seeded, decode
from sudare.errors import MixedCollections, ParameterError, SudareError, TooFewReports
from sudare.estimation.detection import reports_needed, smallest_detectable
from support.texts import zipf

WORDS = [f"word {number}" for number in range(60)]
SURVEY = Collection("words", "Which word?", (), Rappor.calibrate(3.0, form="instant"))


def survey(people: int, seed: int, texts: int = 20) -> Aggregate:
    return SURVEY.simulate(
        dict(zip(WORDS, zipf(texts, people).tolist(), strict=False)), Seeded(seed)
    )


def test_people_and_simulation_decode_to_the_truth(seed: int) -> None:
    """Each share is within 7 standard errors: by chance, once in 10¹⁰."""
    people = zipf(20, 50_000)
    answers = np.repeat(np.array(WORDS)[:20], people).tolist()
    reports = SURVEY.randomize(answers, Seeded(seed))
    for aggregate in (SURVEY.aggregate(reports), survey(50_000, seed)):
        decoded = decode(SURVEY, aggregate, WORDS)
        findings = decoded.findings
        truth = np.zeros(60)
        truth[:20] = people / people.sum()
        assert (np.abs(findings.shares - truth) < 7 * findings.stderr).all()
        assert {0, 1, 2, 3} <= set(findings.found.tolist())
        held = truth[findings.found].sum()
        assert decoded.unexplained == pytest.approx(1 - held, abs=7 * findings.explained_stderr)


def test_rows_are_those_found_by_falling_share(seed: int) -> None:
    decoded = decode(SURVEY, survey(10**5, seed), iter(WORDS))
    rows = decoded.rows()
    assert rows[0]["candidate"] == "word 0"
    assert [row["share"] for row in rows] == sorted((r["share"] for r in rows), reverse=True)
    assert all(row["p_value"] <= 0.05 for row in rows)
    assert all(row["low"] < row["share"] < row["high"] for row in rows)
    everyone = decoded.rows(everyone=True)
    assert {row["candidate"] for row in everyone} == set(WORDS)
    listed = [row for row in everyone if row.pop("found")]
    assert listed == rows


@pytest.mark.parametrize("people", [3000, 10**6])
def test_if_candidates_are_all_there_are_every_one_has_a_share(people: int, seed: int) -> None:
    """The tests stay as they are; the shares sum to 1, and lie inside their intervals."""
    aggregate = survey(people, seed)
    plain = decode(SURVEY, aggregate, WORDS)
    decoded = decode(SURVEY, aggregate, WORDS, complete=True)
    assert plain.complete is None
    rows, every = decoded.rows(), decoded.rows(everyone=True)
    assert [row["candidate"] for row in rows] == [row["candidate"] for row in every]
    assert {row["candidate"] for row in rows} == set(WORDS)
    shares = [row["share"] for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)
    assert all(0 <= row["low"] <= row["share"] <= row["high"] <= 1 for row in rows)
    assert (decoded.unexplained, decoded.unexplained_stderr) == (0, 0)
    before = {row["candidate"]: row for row in plain.rows(everyone=True)}
    for row in every:
        other = before[row["candidate"]]
        assert row.keys() == other.keys()
        assert all(
            row[name] == other[name] for name in ("stderr", "p_value_alone", "p_value", "found")
        )
        assert row["low"] == min(max(other["low"], 0), row["share"])
        assert row["high"] == max(min(max(other["high"], 0), 1), row["share"])
        del row["found"]
    assert every == rows


def test_what_everybody_leaves_to_each_is_nearer_the_truth(seed: int) -> None:
    """Of 60 shares, of which 40 are 0: the squared errors are 0.56 ± 0.12 times those without.

    Over 10 surveys they are less but once in 10⁹.
    """
    truth = np.zeros(60)
    truth[:20] = zipf(20, 10**5) / 10**5
    errors = np.zeros(2)
    for run in range(10):
        decoded = decode(SURVEY, survey(10**5, seed + run), WORDS, complete=True)
        shares = np.stack([decoded.shares, decoded.findings.shares])
        errors += ((shares - truth) ** 2).sum(axis=1)
    assert errors[0] < errors[1]


def test_the_same_whatever_the_order_of_candidates(seed: int) -> None:
    aggregate = survey(10**5, seed)
    there, back = decode(SURVEY, aggregate, WORDS), decode(SURVEY, aggregate, WORDS[::-1])
    for row, again in zip(there.rows(), back.rows(), strict=True):
        assert row.pop("candidate") == again.pop("candidate")
        assert row == pytest.approx(again)


def test_a_missing_word_is_left_unexplained(seed: int) -> None:
    decoded = decode(SURVEY, survey(10**6, seed), WORDS[1:])
    share = zipf(20, 10**6)[0] / 10**6
    assert decoded.unexplained == pytest.approx(share, abs=0.05)
    assert "word 0" not in {row["candidate"] for row in decoded.rows()}


@pytest.mark.parametrize(
    ("candidates", "sentence"),
    [
        ([], "there are 0 candidates"),
        (["a", ""], "candidate number 2 has 0 bytes; 1 to 10000 are allowed"),
        (["a", "b" * 10_001], "candidate number 2 has 10001 bytes"),
        (["a", "b", "a"], "candidates number 1 and 3 are the same text"),
        (["caf\u00e9", "cafe\u0301"], "candidates number 1 and 2 are the same text"),
        (["a", "\ud800"], "candidate number 2 is not valid Unicode"),
        (["a", b"b"], "candidate number 2 is not a text"),
        ("word", "must be a list of texts, got a single one"),
    ],
)
def test_bad_candidates_are_refused_by_their_number(candidates: list[str], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        decode(SURVEY, survey(1000, 1), candidates)


def test_more_candidates_than_the_memory_allows_are_refused_at_once() -> None:
    endless = (f"candidate {number}" for number in count())
    with pytest.raises(ParameterError, match="more than 39,062 candidates need over 10,000,000"):
        decode(SURVEY, survey(1000, 1), endless, memory=10_000_000)


def test_too_few_reports_say_how_many_are_needed() -> None:
    mechanism = SURVEY.mechanism
    assert isinstance(mechanism, Rappor)
    needed = reports_needed(mechanism, len(WORDS))
    assert smallest_detectable(mechanism, needed, len(WORDS)) <= 1
    assert smallest_detectable(mechanism, needed - 1, len(WORDS)) > 1
    decode(SURVEY, survey(needed, 1, 1), WORDS)
    with pytest.raises(TooFewReports, match=f"at least {needed} are needed"):
        decode(SURVEY, survey(needed - 1, 1, 1), WORDS)
    with pytest.raises(TooFewReports, match="there are 0 reports"):
        decode(SURVEY, SURVEY.zero, WORDS)


def test_what_can_be_shown_is_shown_half_the_time(seed: int) -> None:
    """100 even chances: between 20 and 80 but once in 10⁹."""
    mechanism = SURVEY.mechanism
    assert isinstance(mechanism, Rappor)
    people = 20_000
    share = smallest_detectable(mechanism, people, 1000)
    found = 0
    for run in range(100):
        survey_of = Collection(f"{seed} {run}", "?", (), mechanism)
        held = {"rare": round(share * people), **{f"other {n}": 10 for n in range(1900)}}
        aggregate = survey_of.simulate(held, Seeded(seed + run))
        texts = ["rare", *(f"nobody {n}" for n in range(999))]
        decoded = decode(survey_of, aggregate, texts, correction="bonferroni")
        found += 0 in decoded.findings.found
    assert 20 <= found <= 80


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"false_discoveries": 0.5, "correction": "none"},
            r"0\.5 of false discoveries test nothing: for 1 test they must be below 0\.5",
        ),
        (
            {"false_discoveries": 0.0},
            r"the share of false discoveries must lie between 0 and 1, got 0\.0",
        ),
        ({"level": 1.0}, r"the level is the confidence .* from 0\.5 to below 1, got 1\.0"),
        ({"level": 0.05}, r"the level is the confidence .* got 0\.05; .* false_discoveries"),
        ({"correction": "?"}, "the correction must be one of benjamini-hochberg, bonferroni"),
    ],
)
def test_odd_wishes_are_refused(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        decode(SURVEY, survey(1000, 1), WORDS, **arguments)  # type: ignore[arg-type]


def test_other_collections_are_refused() -> None:
    tea = Collection("tea", "Which?", ("a", "b"), GRR(2, 0.75))
    with pytest.raises(ParameterError, match="has no texts to find"):
        decode(tea, tea.zero, WORDS)
    other = Collection("other words", "Which word?", (), SURVEY.mechanism)
    with pytest.raises(MixedCollections):
        decode(other, survey(1000, 1), WORDS)
    strict = Collection("words", "Which word?", (), SURVEY.mechanism, minimum_reports=2000)
    with pytest.raises(TooFewReports, match="releases nothing below 2000"):
        decode(strict, strict.simulate({"a": 1000}, Seeded(1)), WORDS)


def test_a_damaged_aggregate_is_refused() -> None:
    whole = survey(1000, 1)
    for counts in (whole.counts[:, 1:], whole.counts * 2 + 1):
        if counts.shape == whole.counts.shape:
            counts[:, 0] = 1
        with pytest.raises(SudareError):
            decode(SURVEY, Aggregate(whole.key, whole.n, counts), WORDS)


def test_devices_are_decoded_too(seed: int) -> None:
    """A device's reports have the law of ``randomize``: 2,000 of them decode alike."""
    generator = np.random.default_rng(seed)
    reports = []
    for number in range(2000):
        device = Device(generator.bytes(32))
        reports.append(device.report(SURVEY, WORDS[number % 2]))
    decoded = decode(SURVEY, SURVEY.aggregate(np.concatenate(reports)), WORDS[:10])
    assert {row["candidate"] for row in decoded.rows()} >= {"word 0", "word 1"}


def test_common_texts_keep_their_intervals() -> None:
    """Where there is little noise, the drawing of cohorts is most of a common text's error."""
    mechanism = Rappor.calibrate(8.0, form="one-time")
    covered = []
    for run in range(40):
        survey_of = Collection(f"{run}", "?", (), mechanism)
        aggregate = survey_of.simulate({"a": 60_000, "b": 40_000}, Seeded(run))
        findings = decode(survey_of, aggregate, ["a", "b", *map(str, range(50))]).findings
        error = np.abs(findings.shares[:2] - [0.6, 0.4])
        covered.extend((error < 1.96 * findings.stderr[:2]).tolist())
    assert np.mean(covered) > 0.85  # of 80 at 95 %: below that but once in 10,000


def test_what_is_explained_is_not_biased() -> None:
    """The mean error of 40 surveys is within 6 of its standard errors."""
    mechanism = Rappor.calibrate(4.0, form="instant")
    errors, stated = [], []
    for run in range(40):
        survey_of = Collection(f"{run}", "?", (), mechanism)
        aggregate = survey_of.simulate({"a": 50_000, "b": 50_000}, Seeded(run))
        findings = decode(survey_of, aggregate, ["a", "b"]).findings
        errors.append(findings.explained - 1)
        stated.append(findings.explained_stderr)
    assert abs(np.mean(errors)) < 6 * np.mean(stated) / np.sqrt(40) / 2
    assert np.std(errors) == pytest.approx(np.mean(stated), rel=0.5)


def test_filters_too_few_for_the_candidates_are_refused() -> None:
    survey_of = Collection("x", "?", (), Rappor.calibrate(4.0, form="instant", cohorts=1))
    aggregate = survey_of.simulate({"a": 10**6}, Seeded(1))
    with pytest.raises(ParameterError, match="1 cohorts of 128 bits can't tell 10 candidates"):
        decode(survey_of, aggregate, ["a", *map(str, range(9))])


def test_an_aggregate_must_agree_with_itself() -> None:
    whole = survey(1000, 1)
    with pytest.raises(SudareError, match="says 5,000 reports, its cohorts 1000"):
        decode(SURVEY, Aggregate(whole.key, 5000, whole.counts), WORDS)
    with pytest.raises(ParameterError, match="decode takes an Aggregate, got ndarray"):
        decode(SURVEY, whole.counts, WORDS)  # type: ignore[arg-type]


def test_cohorts_without_reports_tell_nothing_apart(seed: int) -> None:
    """A collector shows one cohort before the other: of 64, here 1 and then 3."""
    whole = survey(10**6, seed)

    def of_first(cohorts: int) -> Aggregate:
        counts = whole.counts.copy()
        counts[cohorts:] = 0
        return Aggregate(whole.key, int(counts[:, 0].sum()), counts)

    with pytest.raises(ParameterError, match=r"64 cohorts .* of which 1 have reports, can't tell"):
        decode(SURVEY, of_first(1), WORDS)
    decoded = decode(SURVEY, of_first(3), WORDS)
    found = decoded.findings.found_p_values
    assert found.size
    assert found.min() >= 128.0**-3 * (1 - 1e-9)
