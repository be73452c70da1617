"""The two older methods, (A) and (B), that the document compares its Algorithm 2 with."""

import math

import numpy as np
from numpy.typing import NDArray

from sudare.twoparty.noise.scheme import Scheme


def method_a(epsilon: float, farthest: int = 20) -> Scheme:
    """The older method (A): a truncated discrete Laplace law times a constant, rounded.

    The constant makes the least chance 1. One draw. It keeps no guarantee: rounding moves the
    outermost counts by far more than e^ε allows.
    """
    chances = _truncated_laplace(epsilon, farthest)
    return Scheme((_rounded(chances),), (1,), distinct=False)


def method_b(epsilon: float, farthest: int = 20) -> Scheme:
    """The older method (B): as (A), from half a convolution of the law, for two draws.

    The square root of the law's Fourier transform is that of the half (Shigehiro and Yamamura);
    half as far out it ends.
    """
    law = _truncated_laplace(epsilon, farthest)
    transform = np.fft.fft(np.fft.ifftshift(law)).real
    half = np.fft.fftshift(np.fft.ifft(np.sqrt(np.maximum(transform, 0))).real)
    kept = half[farthest - farthest // 2 : farthest + farthest // 2 + 1]
    return Scheme((_rounded(kept),), (1, 1), distinct=False)


def _truncated_laplace(epsilon: float, farthest: int) -> NDArray[np.float64]:
    weights = np.exp(-epsilon * np.abs(np.arange(-farthest, farthest + 1)))
    return np.asarray(weights / weights.sum())


def _rounded(chances: NDArray[np.float64]) -> dict[int, int]:
    counts = np.rint(math.floor(1 / chances.min()) * chances).astype(np.int64).tolist()
    return dict(enumerate(counts, start=-(len(counts) // 2)))
