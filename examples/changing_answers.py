"""An answer that changes, attacked: by averaging, and by looking for the change.

A person gives one answer many times, then another one as often. The attacker holds all reports,
knows whose they are and all parameters, and asks: what were the answers, and did anything change?
Three kinds of devices: with noise that is fresh each time (GRR), with a memory for each answer
(RAPPOR), and with a memory for each of a few cells that answers share (LOLOHA).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from sudare import GRR, Loloha, Rappor

ANSWERS = 43
FRESH = GRR.calibrate(ANSWERS, 1.0)
BITS = Rappor.calibrate(1.0, form="basic", lifetime=2.0, bits=ANSWERS)
CELLS = Loloha.calibrate(ANSWERS, 1.0, lifetime=2.0)

REPORTS = (1, 5, 20, 50)  # of each of the two answers
PEOPLE = 4000  # who are drawn where a chance isn't summed up

Floats = NDArray[np.float64]


def costs(visited: int, reports: int) -> tuple[float, float, float]:
    """The ε of so many reports of each of so many answers, for each device."""
    cells = min(visited, CELLS.most_kept)
    return (
        FRESH.epsilon_of(visited * reports),
        BITS.epsilon_of_kept(visited),
        CELLS.epsilon_of_kept(cells),
    )


def named() -> tuple[float, float, float]:
    """The chance that the best guess names an answer, after any number of reports of it.

    Fresh noise averages out. Of kept bits any that is 1 may be the answer's; of a kept cell any
    answer may be in it: the attacker picks one of them.
    """
    flip = BITS.f / 2
    alone = (1 - (1 - flip) ** ANSWERS) / (ANSWERS * flip)  # the mean of 1 / (1 + other ones)
    bits = (1 - flip) * alone + flip * (1 - flip) ** (ANSWERS - 1) / ANSWERS
    answers = np.arange(ANSWERS)
    filled = [
        len(set(CELLS.cells(answers, np.full(ANSWERS, seed)).tolist()))
        for seed in range(CELLS.supporting)
    ]
    return 1.0, bits, CELLS.lasting * float(np.mean(filled)) / ANSWERS


def fresh_shows(reports: int) -> float:
    """How well fresh noise shows a change, exactly: which of the two answers is told more often."""
    told = np.arange(reports + 1)  # of the reports that tell one of the two
    share = FRESH.holder / (FRESH.holder + FRESH.others)
    more = 1 - binom.cdf(told // 2, told, share)
    fewer = binom.cdf((told + 1) // 2 - 1, told, share)
    return float(binom.pmf(told, reports, FRESH.holder + FRESH.others) @ (more - fewer))


def bits_show(reports: int, rng: np.random.Generator) -> float:
    """How well RAPPOR's bits show a change: how often the likelier story is the true one."""
    before, after = np.arange(ANSWERS) == 0, np.arange(ANSWERS) == 1
    kept = draw_kept(before, rng)
    first, same = draw_ones(kept, reports, rng), draw_ones(kept, reports, rng)
    other = draw_ones(draw_kept(after, rng), reports, rng)

    def says_changed(second: NDArray[np.int64]) -> float:
        of_one, of_two = likelihoods(first, reports), likelihoods(second, reports)
        stayed = sum_over(before, of_one * of_two)
        changed = sum_over(before, of_one) * sum_over(after, of_two)
        score = np.log(changed / stayed).sum(axis=1)
        return float(np.mean(score > 0))

    return says_changed(other) - says_changed(same)


def draw_kept(ones: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.bool_]:
    """The bits that devices keep of an answer."""
    return np.asarray(ones ^ (rng.random((PEOPLE, ANSWERS)) < BITS.f / 2))


def draw_ones(kept: NDArray[np.bool_], reports: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """How often each bit is 1 in so many reports."""
    return np.asarray(rng.binomial(reports, np.where(kept, BITS.q, BITS.p)))


def likelihoods(ones: NDArray[np.int64], reports: int) -> Floats:
    """Of so many ones, if the kept bit is 0, and if it is 1."""
    return np.stack([binom.pmf(ones, reports, chance) for chance in (BITS.p, BITS.q)])


def sum_over(ones: NDArray[np.bool_], of_kept: Floats) -> Floats:
    """The likelihood of an answer's bits, whatever was kept of them."""
    set_ = np.where(ones, 1 - BITS.f / 2, BITS.f / 2)
    return np.asarray((1 - set_) * of_kept[0] + set_ * of_kept[1])


def bits_show_at_last() -> float:
    """The same after any number of reports: unless all bits are kept alike."""
    flip = BITS.f / 2
    apart = 2 * flip * (1 - flip)
    return float(1 - apart**2 * (1 - apart) ** (ANSWERS - 2))


def cells_show(reports: int | None) -> float:
    """How well LOLOHA's cells show a change, exactly; without a number, in the end."""
    shown = CELLS.change_shows(reports)
    return float("nan") if shown is None else shown


def row(name: str, values: tuple[float, ...], form: str) -> str:
    """A row of a table."""
    return f"{name:>12}" + "".join(f"{value:>13{form}}" for value in values)


def main() -> None:
    """Attack the three devices, and print what is found."""
    heading = f"{'':12}{'fresh noise':>13}{'RAPPOR':>13}{'LOLOHA':>13}"
    print(f"{ANSWERS} answers, ε = 1 for a report, ε∞ = 2 where noise is kept.")
    print("\nWhat a thousand reports of each of so many answers cost, ε:")
    print(heading)
    for visited in (1, 2, 3, 10, ANSWERS):
        print(row(f"{visited}", costs(visited, 1000), ",.0f"))
    print("\nHow often an answer is named, in the end (before and after a change alike):")
    print(heading)
    print(row("", named(), ".1%"))
    print(row("by guessing", (1 / ANSWERS,) * 3, ".1%"))
    print("\nHow well a change shows, after so many reports before it and after it")
    print("(100 %: it is always told from none; 0 %: a guess is as good):")
    print(heading)
    rng = np.random.default_rng(1)
    for reports in REPORTS:
        found = (fresh_shows(reports), bits_show(reports, rng), cells_show(reports))
        print(row(f"{reports}", found, ".1%"))
    limit = cells_show(None)
    print(row("any number", (1.0, bits_show_at_last(), limit), ".1%"))
    print(f"\nLOLOHA costs no more than {CELLS.most_kept} × ε∞, however often the answer changes.")
    print("That holds between histories whose cells have the same pattern of changes. The")
    print(f"pattern itself it hides in part: {1 - limit:.0%} of single changes never show.")


if __name__ == "__main__":
    main()
