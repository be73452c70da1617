"""The exact law of the code that ships, on filters small enough to run down every path."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sudare import Channel, Randomness, Rappor, exact_law
from sudare.mechanisms.bloom import filters


@cache
def texts(mechanism: Rappor) -> tuple[str, ...]:
    """A text for every filter that some text sets."""
    some = [f"text {number}" for number in range(200)]
    found: dict[int, str] = {}
    for text, bits in zip(some, ones(mechanism, some), strict=True):
        found.setdefault(bits, text)
    return tuple(found[bits] for bits in sorted(found))


def ones(mechanism: Rappor, some: Sequence[str]) -> list[int]:
    """The filter of each text, its bits as a number."""
    where = np.zeros(len(some), np.int64)  # one cohort
    hashed = mechanism.domain.check(some)
    words: list[int] = filters(hashed, where, mechanism.hashes, mechanism.bits)[:, 0].tolist()
    return words


@cache
def channel(mechanism: Rappor, reports: int = 1) -> Channel:
    """The law of so many reports by one device, for every filter."""
    return Channel({text: _law(mechanism, text, reports) for text in texts(mechanism)})


def _law(mechanism: Rappor, text: str, reports: int) -> dict[Hashable, Fraction]:
    values = mechanism.domain.check([text])

    def device(rng: Randomness) -> Hashable:
        assigned = mechanism.assign(1, rng)
        kept = mechanism.permanent(values, assigned, rng)
        sent = [mechanism.instant(kept, assigned, rng).tobytes() for _ in range(reports)]
        return b"".join(sent)

    return exact_law(device)


@cache
def report(mechanism: Rappor, text: str) -> dict[int, Fraction]:
    """The law of a text's report, its bits as a number: both steps, from the text on."""
    law = channel(mechanism).laws[text]
    return {_bits(mechanism, sent): chance for sent, chance in law.items()}


@cache
def kept(mechanism: Rappor, text: str) -> dict[int, Fraction]:
    """The law of the permanent step alone: the filter B' that a device keeps for a text."""
    values = mechanism.domain.check([text])

    def device(rng: Randomness) -> int:
        return int(mechanism.permanent(values, mechanism.assign(1, rng), rng)[0, 0])

    return exact_law(device)


@cache
def said(mechanism: Rappor, bits: int) -> dict[int, Fraction]:
    """The law of the instantaneous step alone: the report on a kept filter B'."""
    words = np.array([[bits]], "<u8")

    def device(rng: Randomness) -> int:
        return _bits(mechanism, mechanism.instant(words, mechanism.assign(1, rng), rng).tobytes())

    return exact_law(device)


def bit_law(mechanism: Rappor) -> tuple[Fraction, Fraction]:
    """The enumerated chances that the first bit of a report is 1: where it is set, and not."""
    chosen = texts(mechanism)
    found = {}
    for text, bits in zip(chosen, ones(mechanism, chosen), strict=True):
        law = report(mechanism, text)
        found[bits & 1] = sum((law[sent] for sent in law if sent & 1), Fraction(0))
    return found[1], found[0]


def _bits(mechanism: Rappor, sent: Hashable) -> int:
    assert isinstance(sent, bytes)  # noqa: S101 - for the type checker
    return int(np.frombuffer(sent, mechanism.report_dtype)["bits"][0, 0])


def numerators(mechanism: Rappor) -> list[NDArray[np.int64]]:
    """For every text, the law over all reports in one order, over a common denominator."""
    laws = channel(mechanism).laws.values()
    reports = sorted({report for law in laws for report in law if isinstance(report, bytes)})
    table = [[law.get(report, Fraction(0)) for report in reports] for law in laws]
    scale = max(chance.denominator for row in table for chance in row)  # powers of two
    return [np.array([int(chance * scale) for chance in row], np.int64) for row in table]
