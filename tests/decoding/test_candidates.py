"""Who is fitted together: a candidate outside the model has no say in it."""

import numpy as np
import pytest

from sudare.decoding.candidates import Model, find, judge, settle
from sudare.decoding.design import Design
from sudare.decoding.refit import refit
from sudare.mechanisms.bloom import design_rows
from sudare.mechanisms.rappor import Rappor
from support.texts import bits_of, design_of, hashed, zipf

MECHANISMS = {
    "1 hash": Rappor.calibrate(2.2, form="instant", cohorts=16),
    "2 hashes": Rappor(16, 2, 64, 0.0, 0.25, 0.75),
    "8 hashes": Rappor(64, 8, 8, 0.0, 0.5, 0.75),
}
HELD, CANDIDATES = 60, 1500

every_mechanism = pytest.mark.parametrize("name", MECHANISMS)


def settled(name: str, people: int = 300_000) -> tuple[Design, Model]:
    mechanism, texts = MECHANISMS[name], hashed(3, CANDIDATES)
    design = design_of(mechanism, texts)
    return design, settle(design, bits_of(mechanism, texts[:HELD], zipf(HELD, people), 3))


def with_other_bits(design: Design, number: int, name: str, seed: int) -> Design:
    """The same, but one candidate is another text."""
    mechanism, rows = MECHANISMS[name], design.rows[:].copy()
    other = hashed(seed, CANDIDATES + 1)[-1:]
    rows[number] = design_rows(other, mechanism.cohorts, mechanism.hashes, mechanism.bits)
    return Design(rows, design.cohorts, design.bits)


@every_mechanism
def test_another_text_in_the_place_of_an_outsider_changes_nothing(name: str) -> None:
    design, model = settled(name)
    assert 5 < model.fit.support.size < 200
    best = np.argsort(-model.fit.standardised)
    outsiders = [number for number in best if number not in model.fit.support]
    for seed, number in enumerate(outsiders[:3] + outsiders[-3:]):
        again = settle(with_other_bits(design, int(number), name, 100 + seed), model.fit.bits)
        if number in again.fit.support:  # the other text was let in: its own affair
            continue
        assert np.array_equal(again.fit.support, model.fit.support)
        assert again.fit.residual == pytest.approx(model.fit.residual, abs=1e-9)


@every_mechanism
def test_without_a_member_the_model_is_chosen_again(name: str) -> None:
    """As if another text that stays outside had been in its place."""
    design, model = settled(name)
    close = model.fit.support[np.argsort(model.fit.standardised[model.fit.support])[:6]]
    differences = []
    for seed, number in enumerate(close):
        again = settle(with_other_bits(design, int(number), name, 200 + seed), model.fit.bits)
        if number in again.fit.support:
            continue
        judged = refit(design, model.fit.bits, again.fit.support)
        differences.append(judged.standardised[number] - model.without(int(number)))
    assert len(differences) >= 3
    # The noise by which candidates are let in is not estimated anew: that is the difference.
    assert np.abs(differences).max() < 0.35


def test_whoever_just_passes_is_judged_without_its_own_say() -> None:
    """A crowd of equal texts, a third of them missing: whom the LASSO takes in is a close call."""
    mechanism, texts = Rappor(8, 2, 128, 0.5, 0.375, 0.625), hashed(5, 1100)
    bits = bits_of(mechanism, texts[:100], np.full(100, 10**5), 5)
    model = settle(design_of(mechanism, texts[33:]), bits)
    tests = judge(model, 0.05, "benjamini-hochberg")
    moved = np.flatnonzero(tests.scores != model.fit.standardised)
    assert moved.size >= 3
    assert set(moved) <= set(model.fit.support)
    assert (tests.scores[moved] == [model.without(int(number)) for number in moved]).all()
    # Chosen with its own say, the others make it look better.
    assert (tests.scores[moved] - model.fit.standardised[moved]).mean() < 0


def test_nobody_is_let_in_where_nothing_is() -> None:
    """Everybody has a text of their own: 200 candidates that nobody holds, by Bonferroni."""
    mechanism, texts = MECHANISMS["2 hashes"], hashed(4, 200 + 5000)
    people = np.ones(5000, np.int64)
    bits = bits_of(mechanism, texts[200:], people, 4)
    findings = find(design_of(mechanism, texts[:200]), bits, correction="bonferroni")
    assert findings.found.size == 0
    assert (findings.explained, findings.explained_stderr) == (0, 0)
