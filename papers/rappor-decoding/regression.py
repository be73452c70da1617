"""google/rappor's regression tests: our decoder beside the document's and beside google's own.

For every case of the specification: the share of what was found that nobody holds (the false
discovery proportion), recall, total variation, coverage of our intervals, and time.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from paper_decoder import LEAST, PENALTY, least_squares
from record import Row
from specification import CASES, SIZES, Case, Survey

from sudare import Seeded, decode
from sudare.decoding.bit_sums import BitShares
from sudare.decoding.simplex_fit import simplex_fit
from sudare.errors import TooFewReports

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

from peers import google_rappor

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

LEVEL = 0.05
MARGIN = 3  # standard errors: a mean above the level by more breaks the promise
MOST_DENSE = 1200  # candidates that the document's decoder, a dense matrix, is asked to take

NONE = "none"  # instead of a mean, where there is nothing to take it of

DECODERS = {"ours": "ours", "document": "the document's", "google": "google's"}
METRICS = {
    "fdp": "false discovery proportion",
    "recall": "recall",
    "variation": "total variation",
    "coverage": "coverage of the intervals of those found",
    "complete": "total variation, the list taken for complete",
    "seconds": "seconds",
}


@dataclass(frozen=True, eq=False)
class Answer:
    """What a decoder says: who was found, everyone's share, and how often intervals hold.

    Attributes:
        found: the numbers of those found.
        shares: of all candidates.
        coverage: how often the interval of one found holds its share, if it says intervals.
        complete: the shares if the candidates are taken for all there are, if it can do that.
    """

    found: Indices
    shares: Floats
    coverage: float | None = None
    complete: Floats | None = None


def ours(survey: Survey, _rng: Seeded) -> Answer:
    """``sudare.decode``, as it is; where it refuses to decode so few reports, nothing is found."""
    try:
        decoded = decode(survey.collection, survey.aggregate, survey.texts, false_discoveries=LEVEL)
    except TooFewReports:
        return Answer(np.empty(0, np.intp), np.zeros(len(survey.texts)))
    found, complete = decoded.findings.found, None
    low, high = decoded.interval(found)
    covered = (low <= survey.truth[found]) & (survey.truth[found] <= high)
    if not survey.lost and len(survey.texts) <= MOST_DENSE:
        mechanism, counts = survey.case.mechanism, survey.aggregate.counts
        bits = BitShares(counts[:, 0], counts[:, 1:], mechanism.holder, mechanism.others)
        complete = simplex_fit(survey.design, bits).shares
    coverage = float(covered.mean()) if found.size else None
    return Answer(found, decoded.findings.shares, coverage, complete)


def document(survey: Survey, _rng: Seeded) -> Answer | None:
    """The document's decoder: the LASSO at α = 0.1, least squares, a 5 % test for each.

    The LASSO's minimiser is that of ``paper_decoder``, found by an interior point:
    on a thousand candidates coordinate descent takes many times as long. None if there are many
    minimisers, as happens where the columns proposed depend on each other.
    """
    mechanism, counts = survey.case.mechanism, survey.aggregate.counts
    sizes, sums = counts[:, :1], counts[:, 1:]
    size = float(sizes.mean())  # as shares, so that the solver meets numbers near 1
    response = (sums - mechanism.others * sizes) / (mechanism.holder - mechanism.others) / size
    matrix = google_rappor.dense(survey.design, np.arange(len(survey.design)))
    n = len(matrix)
    gram, linear = matrix.T @ matrix / n, matrix.T @ response.ravel() / n
    point, _ = google_rappor.minimum(
        gram, linear - PENALTY / size, np.ones((1, len(linear))), np.array([_FAR]), _PRECISE
    )
    proposed = np.flatnonzero(point > LEAST / size)
    independent = np.linalg.matrix_rank(gram[np.ix_(proposed, proposed)], hermitian=True)
    if independent < proposed.size:
        return None
    fit = least_squares(matrix[:, proposed], response.ravel())
    shares = np.zeros(len(linear))
    shares[proposed] = fit.coefficients
    return Answer(proposed[fit.p_values < LEVEL], shares)


_FAR = 100.0  # a sum of shares that is never reached
_PRECISE = 1e-16  # of the objective: α = 0.1 is next to nothing among so many people


def google(survey: Survey, rng: Seeded) -> Answer:
    """The port of google/rappor's decoder."""
    mechanism, counts = survey.case.mechanism, survey.aggregate.counts
    bits = BitShares(counts[:, 0], counts[:, 1:], mechanism.holder, mechanism.others)
    decoded = google_rappor.decode(survey.design, bits, rng.generator())
    return Answer(decoded.found, decoded.shares)


def score(survey: Survey, answer: Answer, seconds: float) -> dict[str, float]:
    """The metrics of one run, by the definitions of google/rappor's own comparison.

    Found and held by nobody is false; the shares of those not found count as 0, and a string that
    is no candidate is not found; recall is of the candidates that somebody holds.
    """
    held = survey.truth > 0
    hits = int(held[answer.found].sum())
    shown = np.zeros(len(held))
    shown[answer.found] = answer.shares[answer.found]
    metrics = {
        "found": float(len(answer.found)),
        "fdp": 1 - hits / len(answer.found) if len(answer.found) else 0.0,
        "recall": hits / int(held.sum()),
        "variation": (float(np.abs(shown - survey.truth).sum()) + survey.lost) / 2,
        "seconds": seconds,
    }
    if answer.coverage is not None:
        metrics["coverage"] = answer.coverage
    if answer.complete is not None:
        metrics["complete"] = float(np.abs(answer.complete - survey.truth).sum()) / 2
    return metrics


@dataclass(frozen=True, eq=False)
class Result:
    """What a decoder made of a case: the mean and its standard error, by metric."""

    case: str
    size: str
    decoder: str
    candidates: int
    runs: int
    means: Mapping[str, float]
    errors: Mapping[str, float]

    @classmethod
    def of(cls, case: Case, decoder: str, runs: Sequence[Mapping[str, float]]) -> "Result":
        """From the metrics of each run; one that a run lacks is of those that have it."""
        means, errors = {}, {}
        for name in set().union(*runs):
            values = np.array([run[name] for run in runs if name in run])
            means[name] = float(values.mean())
            spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
            errors[name] = spread / float(np.sqrt(len(values)))
        return cls(case.name, case.size, decoder, len(case.candidates), len(runs), means, errors)

    @property
    def verdict(self) -> str:
        """Whether at most 5 % of the discoveries are false, as far as the runs can tell."""
        return _verdict(self.means["fdp"], self.errors["fdp"])


def _verdict(mean: float, error: float) -> str:
    return "held" if mean <= LEVEL + MARGIN * error else "broken"


def runs_of(decoder: str, case: Case, runs: int) -> int:
    """How often a decoder is run on a case: what is slow, less often, but twice."""
    candidates, rows = len(case.candidates), case.mechanism.cohorts * case.mechanism.bits
    if decoder == "ours":
        return max(2, runs // 2) if case.size == "large" else runs
    if decoder == "document" and candidates > MOST_DENSE:
        return 0
    return max(2, runs // (2 if candidates <= google_rappor.FULL * rows else 8))


def steps(runs: int, cases: Iterable[Case] = CASES) -> int:
    """How often ``measure`` says that it is further."""
    return sum(runs_of(decoder, case, runs) for case in cases for decoder in DECODERS)


def measure(
    runs: int, seed: int, progress: Callable[[], object], cases: Iterable[Case] = CASES
) -> list[Result]:
    """Every decoder on every case, all on the same surveys; each case has its own luck."""
    calls: dict[str, Callable[[Survey, Seeded], Answer | None]]
    calls = {"ours": ours, "document": document, "google": google}
    results = []
    for case in cases:
        rng = Seeded(int.from_bytes(sha256(f"{seed} {case.name}".encode()).digest()[:6]))
        scores: dict[str, list[dict[str, float]]] = {name: [] for name in DECODERS}
        for run in range(max(runs_of(name, case, runs) for name in DECODERS)):
            survey = case.draw(rng)
            survey.design  # noqa: B018 - hashed outside of the clock
            for name, call in calls.items():
                if run < runs_of(name, case, runs):
                    start = process_time()
                    answer = call(survey, rng)
                    if answer is not None:
                        scores[name].append(score(survey, answer, process_time() - start))
                    progress()
        results += [Result.of(case, name, found) for name, found in scores.items() if found]
    return results


def write(results: Sequence[Result], path: Path) -> None:
    """The results as a JSON list, an object for each case and decoder."""
    lines = [
        json.dumps(
            {
                "case": result.case,
                "size": result.size,
                "decoder": result.decoder,
                "candidates": result.candidates,
                "runs": result.runs,
                "means": {name: round(result.means[name], 6) for name in sorted(result.means)},
                "errors": {name: round(result.errors[name], 6) for name in sorted(result.errors)},
            }
        )
        for result in results
    ]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def read(path: Path) -> list[Result]:
    """What was written."""
    return [Result(**fields) for fields in json.loads(path.read_text("utf-8"))]


@dataclass(frozen=True)
class Pooled:
    """Several cases together: the mean of their means."""

    cases: int
    mean: float
    error: float


def pooled(results: Sequence[Result], metric: str) -> Pooled | None:
    """A metric over those cases that have it."""
    known = [result for result in results if metric in result.means]
    if not known:
        return None
    mean = float(np.mean([result.means[metric] for result in known]))
    error = float(np.sqrt(sum(result.errors[metric] ** 2 for result in known))) / len(known)
    return Pooled(len(known), mean, error)


def rows(results: Sequence[Result]) -> list[Row]:
    """By size, what each decoder reaches; and whether ours keeps to 5 % false discoveries."""
    found = []
    for size in ("demo", *SIZES):
        for decoder, said in DECODERS.items():
            these = [r for r in results if (r.size, r.decoder) == (size, decoder)]
            for metric, name in list(METRICS.items())[:-1]:
                total = pooled(these, metric)
                identifier = f"regression.{size}.{decoder}.{metric}"
                what = f"regression tests, {size}, {said}: {name}"
                if total is None:
                    if decoder == "ours":
                        names = (identifier, f"{identifier}.stderr")
                        found += [Row(each, what, None, NONE, "measured") for each in names]
                    continue
                verdict = "measured"
                if metric == "fdp" and decoder == "ours":
                    verdict = _verdict(total.mean, total.error)
                found += [
                    Row(identifier, f"{what}, mean of the cases", None, total.mean, verdict),
                    Row(
                        f"{identifier}.stderr",
                        f"{what}, its standard error",
                        None,
                        total.error,
                        "measured",
                    ),
                ]
    return [*found, *_promise(results)]


def _promise(results: Sequence[Result]) -> list[Row]:
    mine = [result for result in results if result.decoder == "ours"]
    broken = [result.case for result in mine if result.verdict == "broken"]
    total = pooled(mine, "fdp")
    if total is None:
        raise ValueError("no case was run")
    return [
        Row(
            "regression.fdp",
            "regression tests, ours: false discovery proportion, mean of all cases",
            LEVEL,
            total.mean,
            _verdict(total.mean, total.error),
        ),
        Row(
            "regression.broken",
            f"regression tests, ours: cases with more than {LEVEL:.0%} false discoveries by "
            f"{MARGIN} standard errors",
            0,
            float(len(broken)),
            f"broken: {', '.join(broken)}" if broken else "held",
        ),
    ]


def page(results: Sequence[Result]) -> str:
    """Every case as a table, the means with their standard errors."""
    lines = [PAGE_HEAD]
    heads = ["case", "candidates", "runs"]
    shown = {"ours": list(METRICS)}
    for decoder in ("document", "google"):
        shown[decoder] = [name for name in METRICS if name not in {"coverage", "complete"}]
    names = {"fdp": "FDP", "variation": "TV", "complete": "TV if complete", "seconds": "s"}
    heads += [
        f"{DECODERS[decoder]}: {names.get(metric, metric)}"
        for decoder, metrics in shown.items()
        for metric in metrics
    ]
    lines += [f"| {' | '.join(heads)} | ours |", "| --- " * (len(heads) + 1) + "|"]
    by_case: dict[str, dict[str, Result]] = {}
    for result in results:
        by_case.setdefault(result.case, {})[result.decoder] = result
    for case, found in by_case.items():
        counts = "/".join(str(found[name].runs) if name in found else "–" for name in DECODERS)
        cells = [case, f"{found['ours'].candidates:,}", counts]
        cells += [
            cell(found.get(decoder), metric)
            for decoder, metrics in shown.items()
            for metric in metrics
        ]
        lines.append(f"| {' | '.join(cells)} | {found['ours'].verdict} |")
    return "\n".join(lines) + "\n"


def cell(result: Result | None, metric: str) -> str:
    """A mean with its standard error, or that there is none."""
    if result is None or metric not in result.means:
        return "–"
    if metric == "seconds":
        return f"{result.means[metric]:.2f}"
    return f"{result.means[metric]:.3f} ± {result.errors[metric]:.3f}"


PAGE_HEAD = """# Every case of the regression tests

Made by `python papers/rappor-decoding/run.py` from [regression.json](regression.json), which it
writes, too; [what it says](README.md#the-regression-tests-of-googlerappor).

- FDP: the false discovery proportion, those found that nobody holds among those found.
- recall: of the candidates that somebody holds.
- TV: total variation, half the summed error of the shares; a string that isn't found has the
  share 0.
- coverage: of our 95 % intervals of those found.
- TV if complete: the same as TV, if everybody's share is fitted because the list is said to be
  complete (`--complete`); where it is, and has at most 1,200 candidates.
- s: seconds of the processor for one decoding; ours hashes the candidates, too, the others don't.
- runs: of ours, the document's and google's decoder.
- last: whether ours has at most 5 % false discoveries, within three standard errors.
"""
