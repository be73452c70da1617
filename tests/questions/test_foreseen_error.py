"""The error that is foreseen for a new collection is the one that its results then have."""

import math

import numpy as np
import pytest

from sudare import GRR, OUE, Collection, Glance, KShot, Rappor, Seeded
from sudare.estimation.detection import smallest_detectable
from sudare.questions.interface import DEVIATIONS

PEOPLE = 400_000
TEAS = ("green", "black", "oolong", "hojicha")


@pytest.mark.parametrize(
    "mechanism",
    [GRR.calibrate(4, 1.5), OUE.calibrate(4, 1.5), Rappor.calibrate(1.5, form="basic", bits=4)],
    ids=["grr", "oue", "rappor"],
)
def test_of_shares(mechanism: GRR | OUE | Rappor) -> None:
    agreed = Collection("tea", "Which?", TEAS, mechanism)
    shares = dict(zip(TEAS, (0.6, 0.3, 0.1, 0.0), strict=True))
    truth = {tea: round(PEOPLE * share) for tea, share in shares.items()}
    estimate = agreed.estimate(agreed.simulate(truth, Seeded(1)))
    root = math.sqrt(float(np.mean(estimate.stderr**2)))
    foreseen = agreed.kind.foreseen_error(PEOPLE) or 0
    assert foreseen == pytest.approx(DEVIATIONS * root, rel=0.01)
    assert agreed.kind.foreseen_error(PEOPLE // 4) == pytest.approx(2 * foreseen)


@pytest.mark.parametrize("mechanism", [Glance.calibrate(8, 2.0), KShot.calibrate(8, 9.0)])
def test_of_rounds(mechanism: Glance | KShot) -> None:
    agreed = Collection("on", "On?", ("off", "on"), mechanism)
    truth = np.full((8, 2), PEOPLE // 2)
    estimate = agreed.estimate(agreed.simulate(truth, Seeded(1)))
    foreseen = agreed.kind.foreseen_error(PEOPLE) or 0
    assert foreseen == pytest.approx(DEVIATIONS * float(np.mean(estimate.stderr)), rel=0.02)


def test_of_texts_it_is_the_share_that_is_found() -> None:
    mechanism = Rappor.calibrate(4.0)
    agreed = Collection("word", "Which?", (), mechanism)
    assert agreed.kind.foreseen_error(5000) == smallest_detectable(mechanism, 5000, 1000)
