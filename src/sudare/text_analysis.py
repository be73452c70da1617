"""What was found of the candidates in free text: rows, sentences, JSON and CSV."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sudare.rows import csv_text, parquet_bytes

if TYPE_CHECKING:
    from sudare.collection import Collection
    from sudare.decoding import Decoded

KINDS = {
    "candidate": "string",
    **dict.fromkeys(("estimate", "stderr", "low", "high", "p_value", "adjusted"), "float64"),
}
"""The fields of a row, and the Arrow type of each; ``found`` is added where all are shown."""
_HIDDEN = 1.25  # times the noise of randomising: more can't be explained by rare texts alone


@dataclass(frozen=True)
class Discoveries:
    """What was decoded, and how much of it is shown.

    Attributes:
        collection: whose reports these are.
        decoded: all that is known.
        everyone: whether candidates that were not found are shown too.
        top: how many are shown at most.
    """

    collection: "Collection"
    decoded: "Decoded"
    everyone: bool
    top: int | None

    @cached_property
    def found(self) -> list[dict[str, Any]]:
        """The rows of those found, or of all if there are no others, the largest share first."""
        return self.decoded.rows()[: self.top]

    @cached_property
    def shown(self) -> list[dict[str, Any]]:
        """The rows to be listed."""
        return self.decoded.rows(everyone=True)[: self.top] if self.everyone else self.found

    @property
    def count(self) -> int:
        """How many were found."""
        return len(self.decoded.findings.found)

    def document(self) -> dict[str, Any]:
        """Everything, for machines; what is unexplained may lie below 0 or above 1."""
        decoded = self.decoded
        document = {
            "collection": self.collection.name,
            "key": self.collection.key,
            "mechanism": self.collection.mechanism.name,
            "epsilon": self.collection.epsilon,
            "n": decoded.n,
            "candidates": len(decoded.candidates),
            "level": decoded.level,
            "correction": decoded.correction,
            "confidence": decoded.confidence,
            "smallest_detectable": decoded.smallest,
            "excess_noise": decoded.excess,
            "discoveries": self.count,
            "found": self.found,
            "unexplained": {
                "estimate": decoded.unexplained,
                "stderr": decoded.unexplained_stderr,
            },
        }
        if decoded.complete is not None:
            document["complete"] = True
        return {**document, "all": self.shown} if self.everyone else document

    @property
    def _kinds(self) -> dict[str, str]:
        return {**KINDS, "found": "bool"} if self.everyone else KINDS

    def csv(self) -> str:
        """The rows as CSV."""
        return csv_text(self.shown, list(self._kinds))

    def parquet(self) -> bytes:
        """The rows as a Parquet file."""
        return parquet_bytes(self.shown, self._kinds)

    def tally(self) -> str:
        """How many were found, in a few words."""
        return f"{self.count:,} of {len(self.decoded.candidates):,} candidates found"

    def sentences(self) -> list[str]:
        """What must be known beside the rows, for people."""
        from sudare.exact import text_up
        from sudare.page.wording import decimals_for, percent

        decoded = self.decoded
        said = self._completeness() if decoded.complete is not None else self._explanation()
        smallest = percent(decoded.smallest, decimals_for(100 * decoded.smallest))
        said.append(
            f"A text that {smallest} of people answered is found with an even chance: that is "
            "about the smallest share that so many reports can show."
        )
        excess = decoded.excess
        if excess is not None and excess > _HIDDEN:
            harm = "may hide rarer texts" if decoded.complete is None else "others have its share"
            said.append(
                f"The noise is {excess:.1f} times what randomising makes: something that many "
                f"people answered is missing from the candidates, and {harm}."
            )
        said.append(f"{decoded.n:,} reports, ε = {text_up(self.collection.epsilon)} each.")
        return said

    def _explanation(self) -> list[str]:
        """How many were found, and what they leave unexplained."""
        from sudare.page.wording import decimals_for, percent

        decoded = self.decoded
        most = len(decoded.candidates) if self.everyone else self.count
        tally = f"{self.tally()}{self._listed(most)}."
        if not self.count:
            return [tally, "For all that is known, everybody answered something else (“other”)."]
        error = decoded.unexplained_stderr
        decimals = decimals_for(100 * error)
        rest = min(max(decoded.unexplained, 0), 1)
        return [
            tally,
            (
                f"Those found are the answers of {percent(1 - rest, decimals)} of people (less the "
                f"luck of being found); the other {percent(rest, decimals)} ± "
                f"{percent(error, decimals)} answered something else (“other”)."
            ),
            self._meaning(),
        ]

    def _completeness(self) -> list[str]:
        """What was taken for granted, and how many would have been found without it."""
        from sudare.page.wording import PERCENT

        tested = len(self.decoded.candidates)
        taken = "The candidates are taken for all there are"
        said = [
            f"{taken}: no share is below 0, and together they make 100{PERCENT}.",
            f"{self.count:,} of {tested:,} are found by the test{self._listed(tested)}.",
        ]
        return [*said, self._meaning()] if self.count else said

    def _listed(self, most: int) -> str:
        shown = len(self.shown)
        return f"; the {shown:,} largest are listed" if shown < most else ""

    def _meaning(self) -> str:
        """What the level says of those found."""
        level = f"{100 * self.decoded.level:.4g} %"
        if self.decoded.correction == "benjamini-hochberg":
            return f"At most about {level} of those found are there by chance."
        if self.decoded.correction == "bonferroni":
            return f"The chance that any of those found is there by chance is at most {level}."
        tested = len(self.decoded.candidates)
        chance = self.decoded.level * tested
        return (
            f"The p-values are not adjusted: of {tested:,} texts that nobody answered, about "
            f"{chance:,.{0 if chance >= 10 else 2}f} would be found by chance."
        )
