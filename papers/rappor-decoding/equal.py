"""The comparison at equal privacy: one population, one ε₁, the document's way and ours."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import listing
import numpy as np
from missing import Indices, everyone, without_a_third
from paper_decoder import printed_decoder
from population import HELD_FLAGS
from record import Row
from scores import Floats, Judged, Scores
from survey import Survey, as_long, ours, rescaled

from sudare import Rappor, Seeded

Decoder = Callable[[Indices, Seeded], Floats]

BUDGETS = {"1.10": 1, "2.20": 2, "4.39": 4}  # ε₁ = h ln 3, by the document's own h
ARMS: Mapping[str, str] = {
    "document": "the document's way",
    "single": "the document's way, h = 1, p to fit",
    "decoder": "the document's reports, our decoder",
    "reports": "our reports, the document's decoder",
    "ours": "ours",
    "same": "ours, 128 bits",
}
NAMES = ("document", "document, h = 1", "our decoder", "our reports", "ours", "ours, 128 bits")
LOSING = ("document", "single", "ours")  # looked at with strings missing from the candidates


@dataclass(frozen=True, eq=False)
class Trial:
    """An experiment to repeat: which candidates there are, and how they are decoded."""

    decode: Decoder
    candidates: Callable[[np.random.Generator], Indices] = everyone


@dataclass(frozen=True, eq=False)
class Comparison:
    """What each arm finds at each budget, and the document's way by its number of hashes.

    Attributes:
        arms: by budget and arm.
        hashes: the document's way at each budget with h hashes, q = .75 and p to fit.
        thirds: some arms at the largest budget with a third of the strings missing.
    """

    arms: Mapping[str, Mapping[str, Judged]]
    hashes: Mapping[str, Mapping[int, Scores]]
    thirds: Mapping[str, Judged]


def measure(runs: int, few: int, rng: Seeded, progress: Callable[[], object]) -> Comparison:
    """Every arm at every budget ``runs`` times; what is slow or many, ``few`` times."""

    def repeated(trial: Trial, times: int) -> Judged:
        p_values, flags = [], []
        for _ in range(times):
            kept = trial.candidates(rng.generator())
            p_values.append(trial.decode(kept, rng))
            flags.append(HELD_FLAGS[kept])
            progress()
        return Judged.of(p_values, flags)

    arms = {
        budget: {
            arm: repeated(Trial(decoder), _times(arm, runs, few))
            for arm, decoder in _decoders(h).items()
        }
        for budget, h in BUDGETS.items()
    }
    hashes = {
        budget: {
            h: repeated(Trial(_listed(rescaled(h, _spent(own)))), few).alone for h in listing.HASHES
        }
        for budget, own in BUDGETS.items()
    }
    largest = _decoders(max(BUDGETS.values()))
    thirds = {arm: repeated(Trial(largest[arm], without_a_third), runs) for arm in LOSING}
    return Comparison(arms, hashes, thirds)


def steps(runs: int, few: int) -> int:
    """How often ``measure`` says that it is further."""
    arms = sum(_times(arm, runs, few) for arm in ARMS)
    return len(BUDGETS) * (arms + len(listing.HASHES) * few) + len(LOSING) * runs


def rows(comparison: Comparison) -> list[Row]:
    """Every arm at every budget, judged alone and with few false discoveries."""
    found = []
    for budget, arms in comparison.arms.items():
        found += [_check(budget)]
        base = arms["document"].alone
        for arm, judged in arms.items():
            found += _arm_rows(budget, arm, judged, base)
    for budget, by_hashes in comparison.hashes.items():
        best = max(by_hashes, key=lambda h: by_hashes[h].mean("f1"))
        found += [
            Row(
                f"hashes.{budget}.h{h}",
                f"ε₁ = {budget}, the document's way with h = {h}, q = .75 and p to fit: F1",
                None,
                scores.mean("f1"),
                "measured: the best h" if h == best else "measured",
            )
            for h, scores in by_hashes.items()
        ]
    return found


def _arm_rows(budget: str, arm: str, judged: Judged, base: Scores) -> list[Row]:
    alone, together = judged.alone, judged.together
    ahead = alone.mean("f1") - base.mean("f1")
    error = float(np.hypot(alone.stderr("f1"), base.stderr("f1")))
    if arm == "document":
        verdict = "measured"
    elif abs(ahead) > 4 * error:
        verdict = f"measured: {ahead:+.3f} against the document's way"
    else:
        verdict = "measured: not told apart from the document's way"
    cost = alone.mean("recall") - together.mean("recall")
    what = f"ε₁ = {budget}, {ARMS[arm]}"
    return [
        Row(f"equal.{budget}.{arm}.f1", f"{what}: F1", None, alone.mean("f1"), verdict),
        Row(
            f"equal.{budget}.{arm}.f1.stderr",
            f"{what}: its standard error",
            None,
            alone.stderr("f1"),
            "measured",
        ),
        *(
            Row(
                f"equal.{budget}.{arm}.{name}",
                f"{what}: {name}",
                None,
                alone.mean(name),
                "measured",
            )
            for name in ("precision", "recall")
        ),
        Row(
            f"equal.{budget}.{arm}.fdr.precision",
            f"{what}, false discoveries held to 5 %: precision",
            None,
            together.mean("precision"),
            "measured",
        ),
        Row(
            f"equal.{budget}.{arm}.fdr.recall",
            f"{what}, false discoveries held to 5 %: recall",
            None,
            together.mean("recall"),
            f"measured: costs {cost:.3f} of recall",
        ),
    ]


def _check(budget: str) -> Row:
    """That the two ways cost the same."""
    theirs, spent = _spent(BUDGETS[budget]), ours(_spent(BUDGETS[budget])).epsilon
    return Row(
        f"equal.{budget}.epsilon",
        f"ε₁ of the document at h = {BUDGETS[budget]}, and of ours",
        theirs,
        spent,
        "equal" if theirs * (1 - 1e-9) < spent <= theirs else "refuted",
    )


def _spent(hashes: int) -> float:
    return listing.mechanism(hashes).epsilon


def _times(arm: str, runs: int, few: int) -> int:
    return few if arm == "reports" else runs  # its dense matrix has 8192 rows


def _decoders(hashes: int) -> dict[str, Decoder]:
    """By arm, one run: the p-value of every candidate, at the budget of so many hashes."""
    theirs = listing.mechanism(hashes)
    planned, same = ours(theirs.epsilon), as_long(theirs.epsilon)
    return {
        "document": _listed(theirs),
        "single": _listed(rescaled(1, theirs.epsilon)),
        "decoder": lambda kept, rng: Survey.draw(theirs, rng).decoded(kept),
        "reports": lambda kept, rng: Survey.draw(planned, rng).printed(kept),
        "ours": lambda kept, rng: Survey.draw(planned, rng).decoded(kept),
        "same": lambda kept, rng: Survey.draw(same, rng).decoded(kept),
    }


def _listed(mechanism: Rappor) -> Decoder:
    """The listing's own run."""

    def run(kept: Indices, rng: Seeded) -> Floats:
        generator = rng.generator()
        matrix = listing.design(listing.secret(generator), mechanism.hashes)
        counts = listing.debiased_counts(matrix, mechanism, generator)
        return printed_decoder(matrix[:, kept], counts).p_values

    return run
