"""Free text back from its reports: which candidates people hold, and how many do."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.decoding.bit_sums import BitShares
from sudare.decoding.candidates import Findings, find
from sudare.decoding.design import Design
from sudare.decoding.simplex_fit import SimplexFit, simplex_fit
from sudare.errors import InvalidDocument, ParameterError, TooFewReports
from sudare.estimation.detection import rare_variance, reports_needed, smallest_detectable
from sudare.estimation.estimate import Interval
from sudare.estimation.significance import ADJUSTMENTS, Correction
from sudare.formats.numbers import counted
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.strings import Digests, digests, hashable_text

_LEAST_LEVEL = 1e-300  # of one test: below, the law of large deviations has no number
MEMORY = 4 << 30  # bytes that candidates may take
_EACH = 256  # bytes that one takes, with its text and what is said of it; its bits aren't kept
_CHUNK = 1 << 14  # candidates hashed between two calls of ``progress``


@dataclass(frozen=True, eq=False)
class Decoded:
    """The candidates found in a collection's reports, and what is left unexplained.

    Attributes:
        n: the number of reports.
        candidates: every candidate that was tested.
        findings: what is known of each.
        false_discoveries: the share of those found that may be there by chance; by Bonferroni, the
            chance of any.
        correction: how the test was adjusted for asking so often.
        level: the confidence of the intervals, such as 0.95.
        smallest: the share that would be found with an even chance.
        complete: everybody's share, if the candidates are taken for all there are.
    """

    n: int
    candidates: tuple[str, ...]
    findings: Findings
    false_discoveries: float
    correction: Correction
    level: float
    smallest: float
    complete: SimplexFit | None = None

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of people who hold each candidate."""
        return self.findings.shares if self.complete is None else self.complete.shares

    @property
    def unexplained(self) -> float:
        """The share of people whose answer is none of those found ("other")."""
        return 1 - self.findings.explained if self.complete is None else 0.0

    @property
    def unexplained_stderr(self) -> float:
        """The standard error of ``unexplained``."""
        return self.findings.explained_stderr if self.complete is None else 0.0

    @property
    def excess(self) -> float | None:
        """How many times as large as randomising makes them the bit sums' residuals are."""
        return self.findings.excess if self.complete is None else self.complete.excess

    def interval(self, numbers: NDArray[np.intp]) -> Interval:
        """The intervals of some candidates; of those found, given that they were found.

        If the candidates are all there are, they lie between 0 and 1 and hold the share that
        everybody together leaves to each.
        """
        low, high = self.findings.interval(self.level)
        if self.complete is not None:
            low = np.minimum(np.clip(low, 0, 1), self.shares)
            high = np.maximum(np.clip(high, 0, 1), self.shares)
        return Interval(low[numbers], high[numbers])

    def rows(self, *, everyone: bool = False) -> list[dict[str, Any]]:
        """The results, a row per candidate found, by falling share.

        Or per candidate, if they are all there are; with ``everyone`` per candidate and whether
        it is found.
        """
        findings = self.findings
        numbers, p_values, adjusted = (
            findings.found,
            findings.found_p_values,
            findings.found_adjusted,
        )
        if everyone or self.complete is not None:
            numbers = np.lexsort((-findings.shares, -self.shares))
            p_values, adjusted = findings.tests.p_values[numbers], findings.tests.adjusted[numbers]
        columns = (
            self.shares[numbers],
            findings.stderr[numbers],
            *self.interval(numbers),
            p_values,
            adjusted,
        )
        names = ("share", "stderr", "low", "high", "p_value_alone", "p_value")
        rows: list[dict[str, Any]] = [
            {"candidate": self.candidates[number], **dict(zip(names, row, strict=True))}
            for number, row in zip(numbers, np.column_stack(columns).tolist(), strict=True)
        ]
        if everyone:
            for row in rows:
                row["found"] = row["p_value"] <= self.false_discoveries
        return rows


def decode_sums(  # noqa: PLR0913, PLR0917 - all that a result depends on
    mechanism: Rappor,
    aggregate: Aggregate,
    texts: tuple[str, ...],
    hashed: Digests,
    false_discoveries: float,
    correction: Correction,
    level: float,
    *,
    complete: bool = False,
) -> Decoded:
    """Which candidates people hold, and how many do, from a sum of reports that may be released.

    ``sudare.decode`` says what each argument is.
    """
    counts = aggregate.counts
    if counts.shape != mechanism.zero.counts.shape:
        raise ParameterError(f"the aggregate has counts of shape {counts.shape}")
    tests = number_of_tests(correction, len(texts), false_discoveries)
    smallest = smallest_detectable(mechanism, aggregate.n, tests, false_discoveries)
    if smallest > 1:
        needed = reports_needed(mechanism, tests, false_discoveries)
        raise TooFewReports(
            f"{counted(aggregate.n, 'report')} can't show even a text that everybody answered, in "
            f"{counted(tests, 'test')}; at least {needed} are needed"
        )
    if counts[:, 0].sum() != aggregate.n:
        raise InvalidDocument(
            f"the aggregate says {counted(aggregate.n, 'report')}, its cohorts {counts[:, 0].sum()}"
        )
    design = Design.of_texts(hashed, mechanism)
    bits = BitShares(counts[:, 0], counts[:, 1:], mechanism.holder, mechanism.others)
    if design.coincidence(bits.telling) > false_discoveries / tests:
        silent = bits.telling < mechanism.cohorts
        which = f", of which {bits.telling} have reports," if silent else ""
        remedy = "wait for reports in" if silent else "make a collection with"
        raise ParameterError(
            f"{mechanism.cohorts} cohorts of {mechanism.bits} bits{which} can't tell {len(texts)} "
            f"candidates apart with {false_discoveries} of false discoveries: {remedy} more of them"
        )
    findings = find(design, bits, false_discoveries, correction)
    absent = np.delete(findings.stderr, findings.found)
    if absent.size:  # they are judged by more noise than theory expects if texts are missing
        expected = math.sqrt(rare_variance(mechanism, aggregate.n))
        smallest *= max(float(np.median(absent)) / expected, 1)
    return Decoded(
        aggregate.n,
        texts,
        findings,
        false_discoveries,
        correction,
        level,
        smallest,
        simplex_fit(design, bits) if complete else None,
    )


def check_levels(false_discoveries: float, correction: Correction, level: float) -> None:
    """Refuse a share of false discoveries or a confidence that can't be, and an unknown correction.

    A confidence below one half is of no use to anybody, and so is taken for a share of false
    discoveries under the wrong name.
    """
    if not 0 < false_discoveries < 1:
        raise ParameterError(
            f"the share of false discoveries must lie between 0 and 1, got {false_discoveries}"
        )
    if not 0.5 <= level < 1:
        raise ParameterError(
            f"the level is the confidence of the intervals, from 0.5 to below 1, got {level}; what "
            f"may be found by chance is said by false_discoveries (--false-discoveries)"
        )
    if correction not in ADJUSTMENTS:
        raise ParameterError(f"the correction must be one of {', '.join(ADJUSTMENTS)}")


def number_of_tests(correction: Correction, candidates: int, false_discoveries: float) -> int:
    """How many tests share the chance of a false discovery; refuses one that tests nothing."""
    tests = 1 if correction == "none" else candidates
    if false_discoveries / tests < _LEAST_LEVEL:
        raise ParameterError(
            f"{false_discoveries} of false discoveries find nothing in {counted(tests, 'test')}: "
            f"at least {tests * _LEAST_LEVEL:.3g} are needed"
        )
    if false_discoveries / tests >= 0.5:
        raise ParameterError(
            f"{false_discoveries} of false discoveries test nothing: for {counted(tests, 'test')} "
            f"they must be below {tests / 2}"
        )
    return tests


def bytes_of_bits(mechanism: Rappor) -> int:
    """The bytes that a candidate's bits take, where those of all candidates are kept."""
    return np.dtype(np.uint32).itemsize * mechanism.cohorts * mechanism.hashes


def hash_candidates(
    key: str,
    candidates: Iterable[str],
    memory: int = MEMORY,
    progress: Callable[[int], object] | None = None,
    each: int = _EACH,
) -> tuple[tuple[str, ...], Digests]:
    """Candidates with their digests: each different, none empty, and not too many.

    Args:
        key: of the collection.
        candidates: the texts, as a list or a stream.
        memory: the bytes that all of them may take.
        progress: hears how many have been hashed.
        each: the bytes that one of them takes.
    """
    if isinstance(candidates, str | bytes):
        raise ParameterError("candidates must be a list of texts, got a single one")
    texts: list[str] = []
    parts: list[Digests] = []
    for chunk in _chunks(candidates):
        encoded = []
        for text in chunk:
            try:
                encoded.append(hashable_text(text))
            except ValueError as error:
                where = len(texts) + len(encoded) + 1
                raise ParameterError(f"candidate number {where} {error}") from None
        texts += chunk
        parts.append(digests(key, encoded))
        if len(texts) * each > memory:
            raise ParameterError(
                f"more than {counted(memory // each, 'candidate')} need over {memory:,} bytes of "
                f"memory "
                f"({each} each); raise the limit (--memory) or split the candidates"
            )
        if progress is not None:
            progress(len(texts))
    if not texts:
        raise ParameterError("there are 0 candidates; decoding needs at least 1")
    hashed = np.concatenate(parts)
    order = np.argsort(hashed["seed"], kind="stable")  # 64 bits: alike only if the text is
    twice = np.flatnonzero(hashed[order][1:] == hashed[order][:-1])
    if twice.size:
        first, second = sorted(int(number) + 1 for number in order[twice[0] : twice[0] + 2])
        raise ParameterError(f"candidates number {first} and {second} are the same text")
    return tuple(texts), hashed


def _chunks(candidates: Iterable[str]) -> Iterator[list[str]]:
    source = iter(candidates)
    while chunk := list(islice(source, _CHUNK)):
        yield chunk
