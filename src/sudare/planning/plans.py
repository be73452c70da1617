"""Plans: which ε, how many people, which mechanism, and what will be seen.

Of people, ε and an error any two are given, and the third is found for every mechanism that can
ask the question. Every figure follows from the mechanism itself, calibrated by the code that ships.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from sudare.errors import ParameterError
from sudare.formats.numbers import as_given
from sudare.planning.granting import Family, Row, known, rows_of
from sudare.planning.kinds import KINDS
from sudare.planning.kinds.interface import Kind
from sudare.planning.models import TrustModel, trust_models
from sudare.planning.ways_out import is_noise, out_of_reach, too_long, white_noise
from sudare.planning.wish import COMMON, Found, Wish


@dataclass(frozen=True)
class Plan:
    """What a wish takes, by every mechanism that can grant it.

    Attributes:
        kind: what is asked.
        wish: what was given.
        rows: a row for each mechanism, the best first.
        left_out: mechanisms whose reports are longer than was wished, with their bytes.
    """

    kind: Kind
    wish: Wish
    rows: tuple[Row, ...]
    left_out: Mapping[str, int]

    @property
    def recommended(self) -> Row:
        """The row that no other one beats; of equals that with the shorter report."""
        return self.rows[0]

    @property
    def people(self) -> int:
        """How many people the recommended mechanism takes."""
        return self.recommended.people

    @property
    def epsilon(self) -> float:
        """The budget of the recommended mechanism."""
        return self.recommended.epsilon

    @property
    def error(self) -> float:
        """The error of the recommended mechanism."""
        return self.recommended.error

    @property
    def found(self) -> Found:
        """Which of the three was found."""
        return self.wish.found

    @cached_property
    def curve(self) -> tuple[Row, ...]:
        """What the recommended mechanism takes along ε: people, or the error of the given ones."""
        return self.curve_of(self.recommended.name)

    def curve_of(self, name: str) -> tuple[Row, ...]:
        """Likewise of a mechanism by its name."""
        make = self.kind.families(self.wish)[name]
        rows = (
            Family(self.kind, replace(self.wish, **self._along(epsilon)), name, make).granted()
            for epsilon in sorted({*self.kind.curve, self.recommended.epsilon})
        )
        return tuple(row for row in rows if row and math.isfinite(row.reached[self.wish.goal]))

    def _along(self, epsilon: float) -> dict[str, Any]:
        """What changes in the wish for another ε: an error that was wished for is then found."""
        if self.found != "epsilon":
            return {"epsilon": epsilon}
        return {"epsilon": epsilon, self.wish.goal: None}

    @cached_property
    def models(self) -> tuple[TrustModel, ...]:
        """The same wish with others to be trusted; none where nobody could count so plainly."""
        best = self.recommended
        alone = best.people, best.reached[self.wish.goal]
        return trust_models(self.kind, self.wish, best.epsilon, alone)

    @property
    def command(self) -> str:
        """The command that makes the collection."""
        return self.kind.command(self.recommended.name, self.recommended.design)

    def document(self) -> dict[str, Any]:
        """The plan as JSON values."""
        best = self.recommended
        own = {item.name: getattr(self.wish, item.name) for item in fields(self.wish)}
        fits = best.design.fits
        return {
            "kind": self.kind.name,
            "wishes": {**self.kind.wishes, **own},
            "found": self.found,
            "goal": self.wish.goal,
            "unit": self.kind.unit,
            "recommended": best.document(),
            "mechanisms": [row.document() for row in self.rows],
            "left_out": [
                {"mechanism": name, "bytes": size} for name, size in self.left_out.items()
            ],
            "curve": [
                {"epsilon": row.epsilon, "people": row.people}
                | {"error": known(row.reached[self.wish.goal])}
                for row in self.curve
            ],
            "models": [model.document() for model in self.models],
            "meaning": {"epsilon": best.epsilon, "ratio": math.exp(best.epsilon)}
            | {"right": 1 / (1 + math.exp(-best.epsilon))},
            "truth": fits and {"fits_own": fits[0], "fits_other": fits[1]},
            "average_share": self.kind.average_share,
            "collection": best.design.mechanism and best.design.mechanism.document(),
            "command": self.command,
        }


def plan(kind: str, **wishes: Any) -> Plan:  # noqa: ANN401 - any wish's value
    """What it takes to ask a question privately, or how good it will be.

    Args:
        kind: ``choice``, ``several``, ``number``, ``questions``, ``text``, ``stream`` or ``joint``.
        wishes: those of the kind (``answers`` of a choice, …), and of any: two of ``people``,
            ``epsilon`` and a goal (``error``, ``smallest_share`` or ``difference``), and others of
            ``sudare.planning.wish.Wish``.
    """
    check_names(kind, wishes)
    given = {name: value for name, value in wishes.items() if value is not None}
    wish = Wish(**{name: value for name, value in given.items() if name in COMMON})
    own = {name: value for name, value in given.items() if name not in COMMON}
    return plan_of(KINDS[kind](**own), wish)


def check_names(kind: str, wishes: Mapping[str, object]) -> None:
    """Refuse a kind that there isn't, a wish that it doesn't have, and to be without one it needs.

    A wish that is None is one that isn't given.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise ParameterError(f"a plan is for one of {', '.join(KINDS)}, got {kind!r}")
    known = {item.name: item for item in fields(KINDS[kind])}
    strange = [wish for wish in wishes if wish not in known and wish not in COMMON]
    if strange:
        raise ParameterError(
            f"a plan of {kind} has no {strange[0].replace('_', ' ')}; it has "
            f"{', '.join([*known, *COMMON]).replace('_', ' ')}"
        )
    for wish, item in known.items():
        needed = item.default is item.default_factory  # both are missing
        if needed and wishes.get(wish) is None:
            raise ParameterError(f"a plan of {kind} needs {wish.replace('_', ' ')}")


def plan_of(kind: Kind, wish: Wish) -> Plan:
    """The plan of a question and a wish."""
    goal, value = wish.goal, wish.value
    if goal not in kind.goals:
        raise ParameterError(
            f"a plan of {kind.name} aims at {' or '.join(kind.goals)}, got {goal}".replace("_", " ")
        )
    if value is not None and value >= kind.guess(goal):
        why = f": {kind.guessing}" if goal == "error" else ""
        raise ParameterError(
            f"{goal.replace('_', ' ')} must be below {kind.guess(goal):.3g}, got "
            f"{as_given(value)}{why}"
        )
    rows, left_out = rows_of(kind, wish)
    if left_out and not rows:
        raise too_long(kind, wish, left_out)
    if not rows:
        raise out_of_reach(kind, wish)
    if is_noise(kind, rows[0]):
        raise white_noise(kind, wish, rows[0], left_out)
    return Plan(kind, wish, rows, left_out)
