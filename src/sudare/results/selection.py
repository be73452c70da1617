"""The shares of people who select each answer, as people see them: those of a choice, and more."""

from sudare.questions.selection import SelectedShares
from sudare.results import choice
from sudare.results.choice import figure, table
from sudare.results.wording import decimals_for, fixed, percent

__all__ = ["figure", "page", "sentences", "table"]  # two are just those of a choice

_NO_SUM = "A person may select several answers, so the shares don't sum to 100 %."


def sentences(shares: SelectedShares) -> list[str]:
    """Sentences below the table: those of a choice, and how many answers people select."""
    return [*choice.sentences(shares), mean_text(shares)]


def mean_text(shares: SelectedShares) -> str:
    """How many answers people select in the mean, in a sentence."""
    row = shares.mean_row()
    decimals = decimals_for(row["stderr"])
    mean, low, high = (fixed(row[name], decimals) for name in ("mean", "low", "high"))
    few = ", which is rough: too few reports" if row["rough"] else ""
    return (
        f"People select {mean} answers in the mean ({percent(shares.level)} interval: {low} to "
        f"{high}{few})"
    )


def page(shares: SelectedShares) -> str:
    """The shares as one HTML file."""
    return choice.page(shares, f"{mean_text(shares)}.", _NO_SUM)
