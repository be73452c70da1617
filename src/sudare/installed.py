"""What other packages add: classes that they offer by an entry point, found when they are needed.

Nothing of another package is imported before somebody names it. Whatever is wrong with one is a
sentence that names the package, and concerns nobody who doesn't use it.
"""

import sys
import traceback
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sudare.errors import MechanismUnavailable

MECHANISMS = "sudare.mechanisms"
"""The group of entry points: a name, as documents have it, and a class of mechanisms."""

_used: dict[str, "Offer"] = {}
"""What was loaded, by the first word of its module's name."""


@dataclass(frozen=True)
class Offer:
    """An entry point of another package.

    Attributes:
        name: how documents call it.
        target: where the class is, as ``package.module:Class``.
        package: whose it is, with its version.
    """

    name: str
    target: str
    package: str

    def refusal(self, why: str) -> MechanismUnavailable:
        """The error that says why what is offered can't be used."""
        return MechanismUnavailable(
            f"the mechanism “{self.name}” of the package {self.package} can't be used: {why}"
        )

    def load(self) -> Any:  # noqa: ANN401 - whatever stands there
        """What stands at the target; a module that fails is refused in one sentence."""
        from importlib import import_module

        module, _, path = self.target.partition(":")
        try:
            found: Any = import_module(module)
            for part in path.split("."):
                found = getattr(found, part)
        except (Exception, SystemExit) as error:
            raise self.refusal(f"{self.target} can't be loaded ({told(error)})") from error
        _used[module.partition(".")[0]] = self
        return found


def told(error: BaseException) -> str:
    """An error in a few words: its kind and the first line of what it says."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def offers() -> dict[str, list[Offer]]:
    """All that is offered here, by name; of some names, perhaps by several packages."""
    return _offers(tuple(sys.path))


@lru_cache(8)
def _offers(path: tuple[str, ...]) -> dict[str, list[Offer]]:
    from importlib.metadata import distributions  # slow to import

    found: dict[str, dict[str, Offer]] = {}
    for distribution in distributions(path=list(path)):
        try:
            for entry in distribution.entry_points.select(group=MECHANISMS):
                name = distribution.metadata["Name"] or entry.value.partition(".")[0]
                package = f"{name} {distribution.version}"
                # What is found first is what Python would import.
                found.setdefault(entry.name, {}).setdefault(
                    name, Offer(entry.name, entry.value.partition("[")[0].strip(), package)
                )
        except Exception:  # noqa: BLE001, S112 - whose metadata can't be read offers nothing
            continue
    return {name: list(each.values()) for name, each in sorted(found.items())}


def offered(name: str) -> Offer | None:
    """The offer of a name, if there is one; of two packages nobody can say whose is meant."""
    found = offers().get(name, [])
    if len(found) > 1:
        both = " and ".join(offer.package for offer in found)
        raise MechanismUnavailable(
            f"the packages {both} both have a mechanism “{name}”: uninstall one of them"
        )
    return found[0] if found else None


def forget() -> None:
    """Begin anew to note what is loaded."""
    _used.clear()


def suspected(error: BaseException) -> str | None:
    """The sentence of an error in our own code on what another package made; None if none is used.

    What a mechanism gives may be nothing that our code can go on with. It can't be seen from the
    error whose fault that is: the laws tell.
    """
    if not _used:
        return None
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    offer = next(reversed(_used.values()))
    place = f"{type(error).__name__} in {frame.f_code.co_name}, line {line}"
    return (
        f"this fails where the mechanism “{offer.name}” of the package {offer.package} is used "
        f"({place}): `sudare laws {offer.name}` tells whether it is sound"
    )


def blamed(error: BaseException) -> str | None:
    """The sentence of an error in the code of another package; None if it isn't there.

    It says what kind of error and where, not what it says: that may be somebody's answer.
    """
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        offer = _used.get(str(frame.f_globals.get("__name__", "")).partition(".")[0])
        if offer is not None:
            place = f"{frame.f_code.co_name}, line {line}"
            return str(offer.refusal(f"it fails with {type(error).__name__} in {place}"))
    return None
