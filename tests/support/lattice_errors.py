"""What P1 sees of a lattice ciphertext besides its value: the error, by the secret key."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from sudare.twoparty.ciphers import lattice as cipher_lattice
from sudare.twoparty.ciphers.interface import Keys
from sudare.twoparty.ciphers.polynomials import DEGREE, PLAIN, ring


@cache
def secret_polynomial(secret: bytes) -> NDArray[np.int64]:
    """The coefficients of s: -1, 0 or 1."""
    text = ring()._secret_polynomial(cipher_lattice._owner(secret)).to_string()
    found = np.zeros(DEGREE, np.int64)
    for term in text.split(" + "):
        value, _, exponent = term.partition("x^")
        found[int(exponent or 0)] = 1 if value == "1" else -1
    return found


def error_of(keys: Keys, ciphertext: bytes, value: int) -> int:
    """What c₀[0] + (c₁·s)[0] differs from Δ·``value`` by, modulo q."""
    _, words = cipher_lattice._words(ciphertext)
    s = secret_polynomial(keys.secret)
    # Coefficient 0 of a product modulo X^n + 1: c[0]·s[0] − Σ c[k]·s[n−k].
    turned = np.concatenate([s[:1], -s[:0:-1]])
    modulus = ring().modulus
    phase = 0
    for row, prime in zip(words.astype(np.int64), ring().moduli[:, 0], strict=True):
        residue = (int(row[0]) + int(row[1:] @ turned)) % int(prime)  # below 2^58: fits
        others = modulus // int(prime)
        phase += residue * others * pow(others, -1, int(prime))
    exact = (modulus * (value % PLAIN) + PLAIN // 2) // PLAIN
    return (phase - exact + modulus // 2) % modulus - modulus // 2
