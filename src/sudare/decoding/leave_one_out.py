"""Each component judged by the model of all the others, beside decoys that nobody holds.

The most likely shares are never negative, so those of rare texts are not normal: most stand at
0, and they take from the rest. So a component is tested, and its share estimated, from its
*score* in the most likely mixture of the others: the sum over reports of
(likelihood - mixture) / ((1 - t) mixture + t likelihood), which rises with the share, and in
which t, about a standard error, keeps a single report from weighing too much.

What the score of a text that nobody holds is like needs no theory: decoys, texts made of random
hashes, show it. They stand outside the model just as a component that is left out of it does, and
meet the same noise, the same boundaries and the same texts missing from the candidates.
"""

import math
from dataclasses import dataclass

import numpy as np

from sudare.decoding.mixture import (
    Expansion,
    Floats,
    Indices,
    Likelihoods,
    Mixture,
    expand,
    row_blocks,
)
from sudare.decoding.quadratic import nonnegative_minimum

_WORKING = 1024  # components that may take the place of one left out
_SKEWED = 0.01
_LEAST_KEPT = 0.05  # of a share's effect: where the others leave less, it can't be known


@dataclass(frozen=True, eq=False)
class Judged:
    """The share, its error and the score of every component.

    Attributes:
        shares: unbiased but for second-order terms; they may be negative.
        stderr: their standard errors: the noise, not the drawing of the people. Infinite for a
            component that the others can replace; its share is then the most likely one.
        scores: standardised by the decoys.
        law: that of the scores of decoys.
    """

    shares: Floats
    stderr: Floats
    scores: Floats
    law: "DecoyLaw"


@dataclass(frozen=True)
class DecoyLaw:
    """Upper tails of the decoys' standardised scores: normal, or gamma if they are skewed upwards.

    Attributes:
        skewness: of the decoys' scores.
    """

    skewness: float

    def p_values(self, standardised: Floats) -> Floats:
        """The chance that a text nobody holds scores at least so much."""
        from scipy.special import gammaincc, ndtr

        if self.skewness < _SKEWED:
            return np.asarray(ndtr(-standardised), np.float64)
        at = np.maximum(self._shape + standardised * math.sqrt(self._shape), 0)
        return np.asarray(gammaincc(self._shape, at), np.float64)

    def threshold(self, chance: float) -> float:
        """The standardised score whose p-value is this chance."""
        from scipy.special import gammainccinv, ndtri

        if self.skewness < _SKEWED:
            return -float(ndtri(chance))
        at = float(gammainccinv(self._shape, chance))
        return (at - self._shape) / math.sqrt(self._shape)

    @property
    def _shape(self) -> float:
        return 4 / self.skewness**2


def judge(likelihoods: Likelihoods, decoys: Likelihoods, mixture: Mixture) -> Judged:
    """Share, error and score of every component, by the mixture and by decoys.

    Args:
        likelihoods: those of the components.
        decoys: those of components that nobody has, for the same reports.
        mixture: the most likely one.
    """
    working = _working(mixture)
    here = expand(likelihoods, mixture.shares, working)
    typical = float(np.median(np.diag(here.curvature))) - 1
    bend = min(0.5, 1 / math.sqrt(mixture.n * max(typical, 1 / mixture.n)))
    without, kept = _left_out(here, mixture)
    sums, decoy_scores = _scores(likelihoods, decoys, mixture, working, without, bend)
    score, weight, held, squared = sums
    centre, spread = float(decoy_scores.mean()), float(decoy_scores.std())
    # Of a holder's own reports, by weighting all reports: likelihood / mixture.
    held, squared = held / weight, squared / weight
    slope = mixture.n * (held - centre / mixture.n) * kept
    known = slope > 0
    slope = np.where(known, slope, 1.0)
    shares = np.where(known, (score - centre) / slope, mixture.shares)
    likely = np.clip(shares, 0, 1)
    variance = (1 - likely) * spread**2 + mixture.n * likely * np.maximum(squared - held**2, 0)
    standardised = (score - centre) / spread
    skewness = float(((decoy_scores - centre) ** 3).mean()) / spread**3
    return Judged(
        shares,
        np.where(known, np.sqrt(variance) / slope, np.inf),
        standardised,
        DecoyLaw(skewness),
    )


def _working(mixture: Mixture) -> Indices:
    """The components with a share, and those that come nearest to one."""
    nearest = np.argsort(-mixture.gains, kind="stable")[:_WORKING]
    return np.union1d(mixture.support, nearest)


def _left_out(here: Expansion, mixture: Mixture) -> tuple[Floats, Floats]:
    """For each component with a share, the most likely shares of the others without it.

    By the quadratic model about the maximum: no pass over the reports. Also how much of the
    share's effect the others leave visible, 0 if next to nothing; of a component outside, what
    they leave of a typical one.
    """
    gram, linear = here.model()
    own = mixture.shares[here.working]
    without = np.zeros((own.size, mixture.support.size))
    kept = np.ones(mixture.support.size)
    for column, number in enumerate(np.searchsorted(here.working, mixture.support)):
        rest = np.arange(own.size) != number
        free = own[rest] > 0
        without[rest, column] = nonnegative_minimum(gram[np.ix_(rest, rest)], linear[rest], free)
        effect = here.curvature[number] @ (own - without[:, column])
        alone = own[number] * (here.curvature[number, number] - 1)
        kept[column] = effect / alone if alone > 0 else 1.0
    kept = np.where(kept < _LEAST_KEPT, 0.0, np.minimum(kept, 1.0))
    every = np.full(mixture.shares.size, float(np.median(kept)))
    every[mixture.support] = kept
    total = without.sum(axis=0)
    return without / np.where(total > 0, total, 1), every


def _scores(  # noqa: PLR0913, PLR0917 - the parts of one pass
    likelihoods: Likelihoods,
    decoys: Likelihoods,
    mixture: Mixture,
    working: Indices,
    without: Floats,
    bend: float,
) -> tuple[Floats, Floats]:
    """One pass: four sums for each component, and the score of each decoy.

    The sums are the scores, and weighted by likelihood / mixture: of 1, score and score².
    """
    sums, decoy_scores = np.zeros((4, likelihoods.size)), np.zeros(decoys.size)
    for rows in row_blocks(mixture.n, likelihoods.size + decoys.size):
        block = likelihoods.block(rows)
        mixed = (block @ mixture.shares)[:, np.newaxis]
        others = np.repeat(mixed, likelihoods.size, axis=1)
        left = block.take(working, axis=1) @ without
        # A component that is alone has no others: its score is 0.
        others[:, mixture.support] = np.where(left > 0, left, mixed)
        score = (block - others) / ((1 - bend) * others + bend * block)
        weight = block / mixed
        sums[0] += score.sum(axis=0)
        sums[1] += weight.sum(axis=0)
        sums[2] += np.einsum("ij,ij->j", weight, score)
        sums[3] += np.einsum("ij,ij,ij->j", weight, score, score)
        decoy = decoys.block(rows)
        decoy_scores += ((decoy - mixed) / ((1 - bend) * mixed + bend * decoy)).sum(axis=0)
    return sums, decoy_scores
