"""Figures 1 to 4 redone; the shape of tables, a claim that fails, the noise for its entries."""

import math
from pathlib import Path

import numpy as np
from conjectures import lengths
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from older_methods import method_a, method_b
from other_claims import FIGURE_3, FIGURE_4
from ours import our_proofs
from shapes import SHAPED, exact_root
from tables import DRAWS, proved

from sudare.results import figures as plots
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.integer_law import IntegerLaw
from sudare.twoparty.noise.law import noise_law
from sudare.twoparty.noise.scheme import Scheme

BLUE, VERMILION, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#999999"
STOPPED_DRAWS, STOPPED_LENGTH = 4, 40
STOPPED = {0.1: BLUE, 0.03: GREEN, 0.01: VERMILION}
SMALL_SETTINGS = {
    (1.0, 1e-6, 1): BLUE,
    (1.0, 1e-10, 1): VERMILION,
    (0.1, 1e-6, 1): GREEN,
}


def draw(folder: Path) -> None:
    """All figures."""
    for number, (name, scheme) in enumerate({"A": method_a(1.0), "B": method_b(1.0)}.items(), 1):
        figure = Figure((6.4, 3.6), layout="constrained")
        _steps(_open(figure.subplots()), noise_law(scheme), 1.0)
        figure.suptitle(
            f"Method ({name}), {scheme.entries:,} entries: steps beyond e^ε", fontsize=11
        )
        plots.save(figure, folder / f"figure-{number}.png")
    plots.save(_figure_3(), folder / "figure-3.png")
    plots.save(_figure_4(), folder / "figure-4.png")
    plots.save(_shape(), folder / "shape.png")
    plots.save(_stopped(), folder / "stopped.png")
    plots.save(_ours(), folder / "ours.png")


def _open(axes: Axes) -> Axes:
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _steps(axes: Axes, law: IntegerLaw, rate: float) -> None:
    """E[f](k) = ln f(k+1) - ln f(k), and the band in which it must stay."""
    logs = np.array([math.log(count) for count in law.trimmed.counts])
    k, steps = law.trimmed.least + np.arange(logs.size - 1), np.diff(logs)
    outside = np.abs(steps) > rate * (1 + 1e-12)
    axes.axhspan(-rate, rate, color=GREY, alpha=0.2, linewidth=0)
    axes.plot(k, steps, ".-", color=BLUE, linewidth=0.8, label="E[f]")
    if outside.any():
        axes.plot(k[outside], steps[outside], "o", color=VERMILION, label="outside ±ε/Δ")
    axes.set_xlabel("k")
    axes.set_ylabel("ln f(k+1) − ln f(k)")
    axes.legend(frameon=False, fontsize=9)


def _laws(axes: Axes, scheme: Scheme) -> None:
    """The law of one draw and of their sum, on a logarithmic axis."""
    draws = len(scheme.signs)
    one = IntegerLaw.of(scheme.tables[0])
    sets = ((one, VERMILION, "f, one draw"), (noise_law(scheme), BLUE, f"f*{draws}, their sum"))
    for law, color, label in sets:
        k = law.least + np.arange(len(law.counts))
        chances = np.array([count / law.total for count in law.counts])
        axes.semilogy(k, chances, ".-", color=color, linewidth=0.8, markersize=3, label=label)
    axes.set_xlabel("k")
    axes.set_ylabel("probability")
    axes.legend(frameon=False, fontsize=9)


def _figure_3() -> Figure:
    figure = Figure((9.6, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    scheme = proved(*FIGURE_3).scheme
    _laws(_open(left), scheme)
    _steps(_open(right), noise_law(scheme), 1.0)
    figure.suptitle(
        f"Algorithm 2, ε = 1, δ ≤ 1e-10, n = 2, {scheme.entries:,} entries: every step within e^ε",
        fontsize=11,
    )
    return figure


def _figure_4() -> Figure:
    figure = Figure((6.4, 4.2), layout="constrained")
    _laws(_open(figure.subplots()), proved(*FIGURE_4).scheme)
    figure.suptitle(
        "Algorithm 2, ε = 0.1, δ ≤ 1e-8, n = 4: one draw is shaped like a W", fontsize=11
    )
    return figure


def _shape() -> Figure:
    """One draw's law for each n, and the untruncated law of which two draws are exact."""
    figure = Figure((6.8, 4.2), layout="constrained")
    axes = _open(figure.subplots())
    for draws, color in zip(DRAWS[1:], (BLUE, GREEN, VERMILION), strict=True):
        law = IntegerLaw.of(proved(SHAPED, draws).scheme.tables[0])
        k = law.least + np.arange(len(law.counts))
        chances = np.array([count / law.total for count in law.counts])
        label = f"Algorithm 2, n = {draws}"
        axes.semilogy(k, chances, ".-", color=color, linewidth=0.8, markersize=3, label=label)
    farthest = -IntegerLaw.of(proved(SHAPED, 2).scheme.tables[0]).least
    root = exact_root(SHAPED.epsilon, 2, farthest)
    both = np.concatenate([root[:0:-1], root])
    k = np.arange(-farthest, farthest + 1)
    axes.semilogy(k, both, color=GREY, linewidth=1.2, label="the exact root, n = 2")
    axes.set_xlabel("k")
    axes.set_ylabel("probability of one draw")
    axes.legend(frameon=False, fontsize=9)
    figure.suptitle("ε = 0.1, δ ≤ 1e-8: the ends rise, for two draws, too", fontsize=11)
    return figure


def _stopped() -> Figure:
    """The exact δ over the value at which Algorithm 2 stops, at each length."""
    figure = Figure((6.8, 4.2), layout="constrained")
    axes = _open(figure.subplots())
    for epsilon, color in STOPPED.items():
        found = list(lengths(epsilon, STOPPED_DRAWS, STOPPED_LENGTH))
        axes.plot(
            [length.length for length in found],
            [float(1 / length.margin) for length in found],
            ".-",
            color=color,
            linewidth=0.8,
            label=f"ε = {epsilon:g}",
        )
    axes.axhline(1, color=GREY, linewidth=0.8)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("L, at which Algorithm 2 stops")
    axes.set_ylabel("exact δ / (init / ΣD)ⁿ")
    axes.legend(frameon=False, fontsize=9)
    figure.suptitle(
        f"n = {STOPPED_DRAWS}: above 1, the table breaks the δ it was made for", fontsize=11
    )
    return figure


def _ours() -> Figure:
    figure = Figure((6.8, 4.4), layout="constrained")
    axes = _open(figure.subplots())
    for (epsilon, delta, sensitivity), color in SMALL_SETTINGS.items():
        guarantee = Guarantee(epsilon, delta, sensitivity)
        theirs = [proved(guarantee, draws) for draws in DRAWS]
        label = f"ε = {epsilon:g}, δ = {delta:g}"
        axes.semilogx(
            [proof.scheme.entries for proof in theirs],
            [proof.relative_mean for proof in theirs],
            "o--",
            color=color,
            linewidth=0.8,
            markerfacecolor="white",
            label=f"Algorithm 2, n = 4 to 1: {label}",
        )
        small = [proof for proof in our_proofs() if proof.guarantee == guarantee]
        axes.semilogx(
            [proof.scheme.entries for proof in small],
            [proof.relative_mean for proof in small],
            "*",
            color=color,
            markersize=13,
            label=f"ours: {label}",
        )
    for epsilon, color in {1.0: BLUE, 0.1: GREEN}.items():
        guarantee = Guarantee(epsilon, 1e-6)
        relative = guarantee.own_noise_mean / guarantee.best_mean
        label = f"each party's own noise, no table, δ = 0: ε = {epsilon:g}"
        axes.axhline(relative, color=color, linewidth=0.8, linestyle=":", label=label)
    axes.axhline(1, color=GREY, linewidth=0.8)
    axes.set_ylim(0.8, 3.6)
    axes.set_xlabel("entries to encrypt and send")
    axes.set_ylabel("E|Z| in units of the best, 1/sinh(ε)")
    axes.legend(frameon=False, fontsize=8)
    figure.suptitle("The noise against the size of the tables, each proved", fontsize=11)
    return figure
