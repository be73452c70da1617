"""The most likely shares of components, from the likelihood of every single report.

A report's chance is a mixture: the sum over components of share times likelihood. Its logarithm,
summed over reports, is concave in the shares. EM multiplies each share by its *gain*, the mean
over reports of likelihood / mixture; at the maximum no gain exceeds 1, and by concavity
n · (largest gain - 1) bounds what any other shares could add to the log-likelihood: a
certificate. EM itself crawls here, because one private report tells little. The same maximum is
found by Newton's steps on the non-negative orthant (Kim, Carbonetto, Stephens and Anitescu 2020,
"A fast algorithm for maximum likelihood estimation of mixture proportions using sequential
quadratic programming"): with a price of 1 per unit of share the shares sum to 1 by themselves.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.decoding.quadratic import nonnegative_minimum
from sudare.errors import ParameterError

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Progress = Callable[[float], object]

CERTIFIED = 1e-6  # of log-likelihood in all: what may be left to gain
_ROUNDING = 1e-13  # of a gain: below this floats can't certify
_ROUNDS = 200
_UNSETTLED = 0.01  # of log-likelihood that may be left to gain: what no test would notice
_HALVINGS = 30  # of a step that loses
_WORKING = 512  # components whose curvature is computed from the start
_BLOCK = 1 << 18  # likelihoods computed at a time
_FEWEST = 64  # reports in a block
_ALIKE = 1e-9  # of the largest curvature: below, a direction can't be told from none
_BLIND = 1e-6  # of a component's weight in such directions
_RIDGE = 1e-10  # of a component's own curvature: two components may be alike


class Likelihoods(Protocol):
    """How likely each report is under each component, up to a factor per report."""

    @property
    def n(self) -> int:
        """The number of reports."""

    @property
    def size(self) -> int:
        """The number of components."""

    def block(self, rows: slice) -> Floats:
        """The likelihoods of some reports: a row for each, a column per component."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """The most likely shares, with a certificate: no others are likelier by more than ``gap``.

    Attributes:
        n: the number of reports.
        shares: the most likely ones; they sum to 1.
        gains: the factor by which an EM step would change each share.
        log_likelihood: of all reports, against the likelihoods' own base.
        rounds: how often the reports were gone through.
    """

    n: int
    shares: Floats
    gains: Floats
    log_likelihood: float
    rounds: int

    @property
    def gap(self) -> float:
        """The most that any other shares could add to the log-likelihood."""
        return self.n * max(float(self.gains.max()) - 1, 0.0)

    @cached_property
    def support(self) -> Indices:
        """The components whose share isn't 0."""
        return np.flatnonzero(self.shares)


@dataclass(frozen=True, eq=False)
class Expansion:
    """The log-likelihood at some shares, its slope, and its curvature on a working set.

    Attributes:
        shares: where.
        working: the components whose curvature is known; those with a share are among them.
        log_likelihood: of all reports.
        gains: EM's factors; the slope of the log-likelihood is n (gains - 1).
        curvature: the mean over reports of the products of likelihood / mixture.
    """

    shares: Floats
    working: Indices
    log_likelihood: float
    gains: Floats
    curvature: Floats

    def model(self) -> tuple[Floats, Floats]:
        """The matrix H and the vector l of the quadratic model x'Hx/2 - l'x on the working set.

        A unit of share has the price 1, so that the slope is gains - 1. The curvature maps the
        shares to the gains, whence l = 2 gains - 1.
        """
        ridge = _RIDGE * np.maximum(np.diag(self.curvature), 1)
        linear = 2 * self.gains[self.working] - 1 + ridge * self.shares[self.working]
        return self.curvature + np.diag(ridge), linear


def most_likely_mixture(likelihoods: Likelihoods, progress: Progress | None = None) -> Mixture:
    """The shares that maximise the likelihood of all reports.

    ``progress`` hears the gap after every pass over the reports.
    """
    n = likelihoods.n
    enough = max(CERTIFIED / n, _ROUNDING)
    working = _first_working(likelihoods)
    shares = np.zeros(likelihoods.size)
    shares[working] = 1 / working.size
    here, rounds = expand(likelihoods, shares, working), 1
    while here.gains.max() - 1 > enough and rounds < _ROUNDS:
        if progress is not None:
            progress(n * (float(here.gains.max()) - 1))
        outside = np.setdiff1d(np.flatnonzero(here.gains > 1 + enough), here.working)
        if outside.size and here.gains[outside].max() >= here.gains[here.working].max():
            worst = outside[np.argsort(-here.gains[outside])][:_WORKING]
            working = np.union1d(np.flatnonzero(here.shares), worst)
            here, taken = expand(likelihoods, here.shares, working), 1
        else:
            here, taken = _stepped(likelihoods, here)
        rounds += taken
    found = Mixture(n, here.shares, here.gains, here.log_likelihood, rounds)
    if found.gap > _UNSETTLED:
        raise ParameterError(
            f"the most likely shares did not settle in {rounds} passes: {likelihoods.size} answers "
            f"are too many, or too much alike, for {n} reports"
        )
    return found


def stderr_of(likelihoods: Likelihoods, mixture: Mixture) -> Floats:
    """The standard error of each share, from the observed information.

    It is the error of the noise: how far a share lies from that among the n people who reported.
    For the components with a share it is the diagonal of (H⁻¹ - diag(shares)) / n, with H the
    curvature on them: the inverse information, less what sampling n people would add. A share of
    0 lies on the boundary, where that does not hold; it has the error that it would have if it
    alone were free as well. Where two components are alike the error is infinite.
    """
    support, size = mixture.support, mixture.shares.size
    crossed, diagonal = np.zeros((support.size, size)), np.zeros(size)
    for rows in row_blocks(likelihoods.n, size):
        block = likelihoods.block(rows)
        block = block / (block @ mixture.shares)[:, np.newaxis]
        crossed += block.take(support, axis=1).T @ block
        diagonal += np.einsum("ij,ij->j", block, block)
    crossed, diagonal = crossed / mixture.n, diagonal / mixture.n
    values, vectors = np.linalg.eigh(crossed[:, support])
    clear = values > _ALIKE * values.max()
    scaled = vectors[:, clear] / np.sqrt(values[clear])
    blind = (vectors[:, ~clear] ** 2).sum(axis=1) > _BLIND
    projected = scaled.T @ crossed
    own = diagonal - (projected**2).sum(axis=0)
    apart = own > _ALIKE * np.maximum(diagonal, 1)
    variance = np.where(apart, 1 / np.where(apart, own, 1), np.inf)
    variance[support] = (scaled**2).sum(axis=1) - mixture.shares[support]
    variance[support[blind]] = np.inf
    return np.asarray(np.sqrt(np.maximum(variance, 0) / mixture.n), np.float64)


def _first_working(likelihoods: Likelihoods) -> Indices:
    """All components; or, of many, those that gain most where all shares are alike."""
    size = likelihoods.size
    if size <= 2 * _WORKING:
        return np.arange(size)
    even = expand(likelihoods, np.full(size, 1 / size), np.empty(0, np.intp))
    return np.sort(np.argsort(-even.gains)[:_WORKING])


def expand(likelihoods: Likelihoods, shares: Floats, working: Indices) -> Expansion:
    """The log-likelihood about some shares, as one pass over the reports tells it."""
    total, gains = 0.0, np.zeros(shares.size)
    curvature = np.zeros((working.size, working.size))
    for rows in row_blocks(likelihoods.n, shares.size):
        block = likelihoods.block(rows)
        mixed = block @ shares
        total += float(np.log(mixed).sum())
        gains += (1 / mixed) @ block
        part = block if working.size == shares.size else block.take(working, axis=1)
        part = part / mixed[:, np.newaxis]
        curvature += part.T @ part
    n = likelihoods.n
    return Expansion(shares, working, total, gains / n, curvature / n)


def row_blocks(n: int, size: int) -> Iterator[slice]:
    """Slices of n reports, so short that the likelihoods of one stay in a cache."""
    rows = max(_FEWEST, _BLOCK // size)
    return (slice(start, min(start + rows, n)) for start in range(0, n, rows))


def _stepped(likelihoods: Likelihoods, here: Expansion) -> tuple[Expansion, int]:
    """Newton's step, halved until it gains; EM's own, which always does, if none is short enough.

    Also how many passes it took.
    """
    working, own = here.working, here.shares[here.working]
    gains = here.gains[working]
    target = nonnegative_minimum(*here.model(), own > 0)
    slope = float((gains - 1) @ (target - own))
    length = 1.0
    for halving in range(_HALVINGS):
        shares = np.zeros(here.shares.size)
        shares[working] = own + length * (target - own)
        shares /= shares.sum()  # never loses: at the best scale the sum is 1
        wanted = 1e-4 * length * slope
        moved = expand(likelihoods, shares, working)
        if (moved.log_likelihood - here.log_likelihood) / likelihoods.n >= wanted - _ROUNDING:
            return moved, halving + 1
        length /= 2
    plain = here.shares * here.gains
    return expand(likelihoods, plain / plain.sum(), working), _HALVINGS + 1
