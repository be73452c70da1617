"""How likely each single report is under each answer, for every mechanism with likelihoods."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ParameterError
from sudare.estimation.detection import shared_bits
from sudare.kernels import COMPILE_FROM
from sudare.mechanisms.bloom import design_rows
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.interface import Mechanism, Records
from sudare.mechanisms.point_reports import PointReports
from sudare.mechanisms.rappor import Rappor
from sudare.mechanisms.strings import DIGEST, Digests
from sudare.mechanisms.subset import SubsetSelection
from sudare.mechanisms.unary import Unary

Floats = NDArray[np.float64]

PAIRS = 2_000_000_000
"""Reports times answers that are computed at most: some minutes on one core."""
_KEPT = 1 << 26  # likelihoods that are kept (512 MiB); of more, each pass computes them anew
_RARE = 2.0**-53  # no chance counts as smaller
_LEAST = -600.0  # the logarithm of the smallest likelihood, against the largest


@dataclass(frozen=True, eq=False)
class ReportLikelihoods:
    """The likelihoods of reports under the answers, up to a factor per report.

    Attributes:
        n: the number of reports.
        size: the number of answers, "other" included where there is one.
        block: a row for each of some reports, a column per answer.
    """

    n: int
    size: int
    block: Callable[[slice], Floats]

    def kept(self) -> "ReportLikelihoods":
        """These likelihoods, computed and held in memory if they are few."""
        if self.n * self.size > _KEPT:
            return self
        whole = self.block(slice(0, self.n))
        return ReportLikelihoods(self.n, self.size, whole.__getitem__)


@singledispatch
def likelihoods(
    mechanism: Mechanism,
    reports: Records,
    digests: Digests | None = None,
    *,
    other: bool = True,
) -> ReportLikelihoods:
    """The likelihood of each report under each answer.

    Args:
        mechanism: GRR, a unary one, subset selection, one of points, or RAPPOR.
        reports: checked ones.
        digests: for free text, those of the candidates.
        other: for free text, whether a last column stands for any text that is no candidate. Its
            filter is at random, and its likelihood the mean over all filters.
    """
    del reports, digests, other
    raise ParameterError(f"the mechanism {mechanism.name} has no likelihood of single reports")


@likelihoods.register
def _(
    mechanism: Rappor, reports: Records, digests: Digests | None = None, *, other: bool = True
) -> ReportLikelihoods:
    if not mechanism.hashes:
        table = _table(1, mechanism.holder, mechanism.others)
        return _of_bits(mechanism.bits, table, reports)
    if digests is None:
        raise ParameterError("free text has no list of answers: name candidates")
    return _of_texts(mechanism, reports, digests, other=other)


@likelihoods.register
def _(mechanism: Unary, reports: Records, *_: object, **__: object) -> ReportLikelihoods:
    return _of_bits(mechanism.k, _table(1, mechanism.holder, mechanism.others), reports)


@likelihoods.register
def _(mechanism: GRR, reports: Records, *_: object, **__: object) -> ReportLikelihoods:
    every, held = np.arange(mechanism.k), np.array([mechanism.others, mechanism.holder])

    def of_choices(rows: slice) -> Floats:
        told = reports["answer"][rows][:, np.newaxis] == every
        return np.asarray(held[told.astype(np.intp)], np.float64)

    return ReportLikelihoods(len(reports), mechanism.k, of_choices)


@likelihoods.register
def _(mechanism: SubsetSelection, reports: Records, *_: object, **__: object) -> ReportLikelihoods:
    table = np.array([float(1 / mechanism.worst_ratio), 1.0])
    return _of_bits(mechanism.k, table, reports)


@likelihoods.register
def _(mechanism: PointReports, reports: Records, *_: object, **__: object) -> ReportLikelihoods:
    unlike = float(1 / mechanism.worst_ratio)

    def of_points(rows: slice) -> Floats:
        part = reports[rows]
        found = np.full((len(part), mechanism.k), unlike)
        for answer in range(mechanism.k):
            found[mechanism.supports(part, answer), answer] = 1
        return found

    return ReportLikelihoods(len(reports), mechanism.k, of_points)


def _of_bits(bits: int, table: Floats, reports: Records) -> ReportLikelihoods:
    """The likelihood of each answer by its own bit: that of a 0, and of a 1."""

    def of_bits(rows: slice) -> Floats:
        return np.asarray(table[_unpacked(reports["bits"][rows], bits)], np.float64)

    return ReportLikelihoods(len(reports), bits, of_bits)


def decoy_digests(count: int) -> Digests:
    """Digests that are no text's: random words, always the same."""
    generator = np.random.default_rng(0)
    found = np.zeros(count, DIGEST)
    for name in ("seed", "step"):
        found[name] = generator.integers(0, 1 << 64, count, np.uint64, endpoint=False)
    found["step"] |= np.uint64(1)
    return found


def _of_texts(
    mechanism: Rappor, reports: Records, digests: Digests, *, other: bool
) -> ReportLikelihoods:
    bits, hashes = mechanism.bits, mechanism.hashes
    shape = (len(digests), mechanism.cohorts, hashes)
    rows_of = design_rows(digests, mechanism.cohorts, hashes, bits).reshape(shape)
    places = np.ascontiguousarray((rows_of & (bits - 1)).swapaxes(0, 1).astype(np.uint16))
    table = _table(hashes, mechanism.holder, mechanism.others)
    words, cohorts = (np.ascontiguousarray(reports[name]) for name in ("bits", "cohort"))
    elsewhere = _random_filter(table, bits, words) if other else np.empty((len(reports), 0))
    size = len(digests) + elsewhere.shape[1]

    def block(rows: slice) -> Floats:
        part = words[rows], cohorts[rows]
        found = np.empty((len(part[0]), size))
        if found.size >= COMPILE_FROM:
            from sudare.kernels.mixtures import fill_likelihoods

            fill_likelihoods(*part, places, table, found)
        else:
            said = _unpacked(part[0], bits)
            people = np.arange(len(said))[:, np.newaxis, np.newaxis]
            found[:, : len(digests)] = table[said[people, places[part[1]]].sum(axis=2)]
        found[:, len(digests) :] = elsewhere[rows]
        return found

    return ReportLikelihoods(len(reports), size, block)


def _table(ones: int, holder: float, others: float) -> Floats:
    """The likelihood of an answer with so many bits, by how many of them a report says 1 to.

    Against the largest; in logarithms k ln(q*/p*) + (ones - k) ln((1 - q*)/(1 - p*)).
    """
    said = np.arange(ones + 1)
    logs = said * np.log(holder / others) + (ones - said) * np.log(
        max(1 - holder, _RARE) / (1 - others)
    )
    return np.asarray(np.exp(np.maximum(logs - logs.max(), _LEAST)), np.float64)


def _random_filter(table: Floats, bits: int, words: NDArray[np.uint64]) -> Floats:
    """The mean likelihood over all filters of so many ones, for each report: a column."""
    said, which = np.unique(np.bitwise_count(words).sum(axis=1), return_inverse=True)
    mean = shared_bits(said.astype(np.int64), bits, table.size - 1) @ table
    return np.asarray(mean[which, np.newaxis], np.float64)


def _unpacked(words: NDArray[np.uint64], bits: int) -> NDArray[np.uint8]:
    """A row of zeros and ones for each report."""
    octets = np.ascontiguousarray(words, "<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")[:, :bits]
