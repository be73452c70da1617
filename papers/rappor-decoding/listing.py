"""The document's own simulation (its figures 2 and 3), made to repeat itself.

As printed but for three things. The secret of the hashes comes from the caller's seed. The
debiasing is done once per cohort, after the loop over strings. And what all strings of a cohort
add to a bit is drawn at once: the sum of binomials of one probability is one binomial.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray
from population import CANDIDATES, HELD, PEOPLE, shares

from sudare import Rappor

Floats = NDArray[np.float64]
Matrix = NDArray[np.int8]

BITS, COHORTS = 128, 8
HASHES = (1, 2, 4, 8, 16, 32)
RUNS = 16


def mechanism(hashes: int, p: float = 0.5, q: float = 0.75) -> Rappor:
    """The document's RAPPOR: 128 bits, 8 cohorts, no permanent step."""
    return Rappor(BITS, hashes, COHORTS, 0.0, p, q)


def secret(generator: np.random.Generator) -> str:
    """The base secret of a hash family."""
    return str(generator.random()) + "secret"


def design(base_secret: str, hashes: int) -> Matrix:
    """The design matrix of the listing: SHA-256 of secret, cohort, word and hash number."""
    places = bytearray()
    for cohort in range(COHORTS):
        for word in CANDIDATES:
            start = hashlib.sha256(f"{base_secret}_{cohort:02d}_{word}_".encode())
            for number in range(1, hashes + 1):
                state = start.copy()
                state.update(b"%02d" % number)
                places.append(state.digest()[-1] % BITS)  # of the whole digest too: 128 | 256
    bits = np.frombuffer(places, np.uint8).reshape(COHORTS, len(CANDIDATES), hashes)
    matrix = np.zeros((COHORTS, BITS, len(CANDIDATES)), np.int8)
    cohorts, words = np.ogrid[:COHORTS, : len(CANDIDATES)]
    matrix[cohorts[..., np.newaxis], bits, words[..., np.newaxis]] = 1
    return matrix.reshape(COHORTS * BITS, len(CANDIDATES))


def bit_holders(matrix: Matrix, people: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many people of each cohort have each bit, by how many of it hold each string."""
    blocks = matrix[:, :HELD].reshape(COHORTS, BITS, HELD).astype(np.int64)
    return np.asarray(np.einsum("cbw,cw->cb", blocks, people))


def holders(matrix: Matrix, generator: np.random.Generator) -> NDArray[np.int64]:
    """How many people of each cohort, exactly N/m of them, have each bit."""
    return bit_holders(matrix, generator.multinomial(PEOPLE // COHORTS, shares(), COHORTS))


def debiased(counts: NDArray[np.int64], rappor: Rappor) -> Floats:
    """The counts t = (c - pN) / (q - p) of every cohort and bit."""
    size = PEOPLE // COHORTS
    return np.asarray((counts - rappor.p * size) / (rappor.q - rappor.p)).ravel()


def drawn(held: NDArray[np.int64], rappor: Rappor, generator: np.random.Generator) -> Floats:
    """Y_vec of the listing, given who has each bit: sums drawn as binomials, and debiased."""
    size = PEOPLE // COHORTS
    counts = generator.binomial(held, rappor.q) + generator.binomial(size - held, rappor.p)
    return debiased(counts, rappor)


def debiased_counts(matrix: Matrix, rappor: Rappor, generator: np.random.Generator) -> Floats:
    """Y_vec of the listing."""
    return drawn(holders(matrix, generator), rappor, generator)


def damaged_counts(matrix: Matrix, rappor: Rappor, generator: np.random.Generator) -> Floats:
    """Y_vec with the indentation as printed: debiased again after every string."""
    size = PEOPLE // COHORTS
    people = generator.multinomial(size, shares(), COHORTS)
    blocks = matrix.reshape(COHORTS, BITS, -1)
    response = np.zeros((COHORTS, BITS))
    for column in range(HELD):
        chances = np.where(blocks[:, :, column] == 1, rappor.q, rappor.p)
        response += generator.binomial(people[:, column, np.newaxis], chances)
        response = (response - rappor.p * size) / (rappor.q - rappor.p)
    return response.ravel()
