"""RAPPOR: the laws of every mechanism, what it refuses, and its forms."""

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

from sudare import Mechanism, Rappor, Seeded
from sudare.errors import InvalidReport, ParameterError
from sudare.mechanisms.rappor import Form
from support.enumeration import random_values
from support.laws import MechanismLaws, sums_to


class TestBasic(MechanismLaws):
    instances: ClassVar = [
        Rappor(2, 0, 1, 0.5, 0.25, 0.75),
        Rappor(3, 0, 1, 0.0, 0.25, 0.5),
        Rappor(3, 0, 1, 0.5, 0.0, 1.0),
    ]
    large: ClassVar = [
        Rappor.calibrate(1.0, form="basic", bits=43),
        Rappor(1024, 0, 1, 0.5, 0.5, 0.75),
    ]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, Rappor)
        return replace(mechanism, q=mechanism.q - 3 / 16)


class TestTexts(MechanismLaws):
    instances: ClassVar = [
        Rappor(2, 1, 2, 0.0, 0.25, 0.5),
        Rappor(4, 1, 2, 0.5, 0.0, 1.0),
        Rappor(4, 2, 1, 0.5, 0.0, 1.0),
        Rappor(4, 3, 1, 0.25, 0.0, 1.0),
    ]
    large: ClassVar = [
        Rappor(16, 2, 8, 0.5, 0.5, 0.75),
        Rappor(128, 2, 64, 0.5, 0.5, 0.75),
        Rappor.calibrate(1.0, bits=1024, hashes=1),
    ]

    def wrong(self, mechanism: Mechanism) -> Mechanism:
        assert isinstance(mechanism, Rappor)
        return replace(mechanism, q=mechanism.q - 3 / 16)

    def test_the_estimate_is_unbiased_and_so_is_its_variance(self, mechanism: Mechanism) -> None:
        with pytest.raises(ParameterError, match="decode it with candidates"):
            mechanism.estimate(replace(mechanism.zero, n=1))

    def test_weights_add_up_to_the_estimate(self, mechanism: Mechanism, seed: int) -> None:
        bits_add_up(mechanism, seed)

    def test_weights_of_many_answers_add_up(self, large: Mechanism, seed: int) -> None:
        bits_add_up(large, seed)


def bits_add_up(mechanism: Mechanism, seed: int) -> None:
    """In each cohort, a bit's weights add up to the debiased sum of that bit."""
    assert isinstance(mechanism, Rappor)
    reports = mechanism.randomize(random_values(mechanism, 500, Seeded(seed)), Seeded(seed + 1))
    people, *sums = mechanism.tally(reports).T
    for bit in {0, mechanism.bits // 2, mechanism.bits - 1}:
        weights = mechanism.weights(reports, bit)
        slope = mechanism.holder - mechanism.others
        for cohort in range(mechanism.cohorts):
            debiased = (sums[bit][cohort] - people[cohort] * mechanism.others) / slope
            sums_to(weights[reports["cohort"] == cohort], debiased)


SOUND: dict[str, Any] = {"bits": 8, "hashes": 2, "cohorts": 4, "f": 0.5, "p": 0.25, "q": 0.75}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"bits": 12}, r"bits must be a power of two to be hashed into, got 12"),
        ({"bits": 1, "hashes": 0, "cohorts": 1}, r"bits must be between 2 and 65536, got 1"),
        ({"bits": 2**17}, r"bits must be between 2 and 65536, got 131072"),
        ({"bits": 8.0}, r"bits must be a whole number, got 8\.0"),
        ({"hashes": 8}, r"hashes must be between 0 and bits - 1 = 7, got 8"),
        ({"hashes": -1}, r"hashes must be between 0 and bits - 1 = 7, got -1"),
        ({"cohorts": 0}, r"cohorts must be between 1 and 65536, got 0"),
        ({"cohorts": 2**16 + 1}, r"cohorts must be between 1 and 65536, got 65537"),
        ({"cohorts": math.nan}, r"cohorts must be a whole number, got nan"),
        ({"hashes": 0}, r"without hashes there is 1 cohort, got 4"),
        ({"f": 1.0}, r"f must be a multiple of 2\^-52 with 0 <= f < 1, got 1\.0"),
        ({"f": 2.0**-53}, r"f must be a multiple of 2\^-52 with 0 <= f < 1, got 1\.11.*e-16"),
        ({"f": -0.5}, r"f must be a probability between 0 and 1, got -0\.5"),
        ({"f": math.nan}, r"f must be a probability between 0 and 1, got nan"),
        ({"p": math.nan}, r"p must be a probability between 0 and 1, got nan"),
        ({"q": math.inf}, r"q must be a probability between 0 and 1, got inf"),
        ({"q": "3/4"}, r"q must be a probability between 0 and 1, got '3/4'"),
        ({"p": 0.75}, r"p and q .* with p < q, got p=0\.75 and q=0\.75"),
        ({"p": 0.5, "q": 0.25}, r"p and q .* with p < q, got p=0\.5 and q=0\.25"),
        ({"p": 2.0**-54}, r"p and q must be multiples of 2\^-53 .*, got p=5\.5.*e-17 and q=0\.75"),
        ({"f": 0.0, "p": 0.0}, r"without permanent noise \(f=0\) .*, got p=0\.0 and q=0\.75"),
        ({"f": 0, "q": 1}, r"without permanent noise \(f=0\) .*, got p=0\.25 and q=1\.0"),
    ],
    ids=repr,
)
def test_wrong_parameters_are_refused_with_their_numbers(
    changes: dict[str, Any], sentence: str
) -> None:
    Rappor(**SOUND)
    with pytest.raises(ParameterError, match=f"^{sentence}$"):
        Rappor(**SOUND | changes)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"epsilon": 0.0}, r"epsilon must be above 0 and finite, got 0\.0"),
        ({"epsilon": math.nan}, r"epsilon must be above 0 and finite, got nan"),
        ({"lifetime": 1.0}, r"the lifetime budget must exceed that of a report, 1\.0, got 1\.0"),
        ({"lifetime": 0.5}, r"the lifetime budget must exceed that of a report, 1\.0, got 0\.5"),
        ({"lifetime": math.inf}, r"epsilon must be above 0 and finite, got inf"),
        ({"lifetime": 2.0, "form": "instant"}, r"only the full form has a lifetime .*, got 2\.0"),
        ({"lifetime": 2.0, "form": "basic one-time"}, r"only the full form .*, got 2\.0"),
        ({"form": "two-time"}, r"there is no form 'two-time' of RAPPOR"),
        ({"form": "basicinstant"}, r"there is no form 'basicinstant' of RAPPOR"),
        ({"hashes": 0}, r"hashes must be at least 1 unless basic, got 0"),
        ({"bits": 100}, r"bits must be a power of two to be hashed into, got 100"),
        ({"epsilon": 1e-17}, r"epsilon = 2e-17 is too small: .*"),
    ],
    ids=repr,
)
def test_a_wrong_budget_or_form_is_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=f"^{sentence}$"):
        Rappor.calibrate(**{"epsilon": 1.0} | arguments)


@pytest.mark.parametrize(
    ("form", "odds"),
    [
        ("one-time", (2.0**-52, 0.0, 1.0)),
        ("basic one-time", (2.0**-52, 0.0, 1.0)),
        ("instant", (0.0, 2.0**-53, 0.5)),
        ("basic instant", (0.0, 2.0**-53, 0.5)),
        ("full", (2.0**-52, 0.0, 1 - 2.0**-53)),
        ("basic", (2.0**-52, 0.0, 1 - 2.0**-53)),
    ],
)
@pytest.mark.parametrize("epsilon", [100.0, 1e4])
def test_a_huge_budget_buys_the_rarest_lie(
    form: Form, odds: tuple[float, float, float], epsilon: float
) -> None:
    made = Rappor.calibrate(epsilon, form=form, bits=4)
    assert (made.f, made.p, made.q) == odds


def test_the_full_form_has_twice_the_budget_for_life_unless_told() -> None:
    assert Rappor.calibrate(1.0) == Rappor.calibrate(1.0, lifetime=2.0)
    assert Rappor.calibrate(1.0, lifetime=3.0).f < Rappor.calibrate(1.0).f


# Reports


@pytest.mark.parametrize("cohorts", [1, 3, 64])
def test_a_cohort_that_is_not_there_is_refused_by_position(cohorts: int) -> None:
    mechanism = Rappor(8, 1, cohorts, 0.5, 0.25, 0.75)
    reports = np.zeros(3, mechanism.report_dtype)
    reports["cohort"][1] = cohorts - 1
    mechanism.aggregate(reports)
    reports["cohort"][2] = cohorts
    sentence = (
        f"^the report at position 2 has the cohort {cohorts}; there are {cohorts}, numbered from 0$"
    )
    with pytest.raises(InvalidReport, match=sentence):
        mechanism.aggregate(reports)


def test_with_all_cohorts_none_is_refused() -> None:
    mechanism = Rappor(2, 1, 2**16, 0.5, 0.25, 0.75)
    reports = np.zeros(1, mechanism.report_dtype)
    reports["cohort"] = 2**16 - 1
    assert mechanism.aggregate(reports).counts[-1].tolist() == [1, 0, 0]


@pytest.mark.parametrize(("bits", "hashes"), [(2, 1), (32, 2), (43, 0), (65, 0)])
def test_a_bit_beyond_the_filter_is_refused_by_position(bits: int, hashes: int) -> None:
    mechanism = Rappor(bits, hashes, 1, 0.5, 0.25, 0.75)
    reports = np.zeros(3, mechanism.report_dtype)
    reports["bits"][1, -1] = 1 << (bits - 1) % 64
    mechanism.aggregate(reports)
    reports["bits"][2, -1] = 1 << bits % 64
    with pytest.raises(InvalidReport, match=f"position 2 has a bit set beyond the {bits} allowed"):
        mechanism.aggregate(reports)


@pytest.mark.parametrize(
    ("bits", "hashes", "width"), [(2, 0, 8), (64, 0, 8), (65, 0, 16), (2, 1, 10), (128, 1, 18)]
)
def test_a_report_is_whole_words_and_a_cohort(bits: int, hashes: int, width: int) -> None:
    assert Rappor(bits, hashes, 1, 0.5, 0.25, 0.75).report_dtype.itemsize == width


def test_a_tally_has_a_row_for_each_cohort() -> None:
    mechanism = Rappor(4, 1, 3, 0.5, 0.25, 0.75)
    reports = np.zeros(5, mechanism.report_dtype)
    reports["cohort"] = [0, 2, 2, 2, 0]
    reports["bits"][:, 0] = [0b0001, 0b1000, 0b1001, 0b1111, 0b0000]
    assert mechanism.aggregate(reports).counts.tolist() == [
        [2, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [3, 2, 1, 1, 3],
    ]


def test_simulated_texts_need_whole_people() -> None:
    mechanism = Rappor.calibrate(1.0)
    for truth in ({"a": -1}, {"a": 1.5}):
        with pytest.raises(ParameterError, match="a whole number of people for each"):
            mechanism.simulate(truth, Seeded(1))


KEPT = "each bit is flipped with a chance of 25 %, once and for good"
SAID = (
    "a report says yes, all told, {} % of the time to a bit that the answer sets and {} % of the "
    "time to one that it doesn't."
)


@pytest.mark.parametrize(
    ("mechanism", "odds"),
    [
        (
            Rappor(128, 2, 64, 0.5, 0.5, 0.75),
            f"An answer sets 2 of 128 bits; {KEPT}; {SAID.format(69, 56)}",
        ),
        (
            Rappor(4, 0, 1, 0.5, 0.0, 1.0),
            f"An answer sets 1 of 4 bits; {KEPT}; a report is these bits.",
        ),
        (
            Rappor(4, 0, 1, 0.0, 0.25, 0.5),
            f"An answer sets 1 of 4 bits; {SAID.format(50, 25)}",
        ),
    ],
)
def test_the_odds_are_told_in_words(mechanism: Rappor, odds: str) -> None:
    assert mechanism.odds.replace("\N{NO-BREAK SPACE}", " ") == odds
