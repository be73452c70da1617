"""The query and the body of a request, read strictly."""

import re
from collections.abc import Collection

from starlette.requests import Request

from sudare.collector.http.problems import Problem
from sudare.collector.uploads.bodies import BodyTooLong, SenderGone, read_body

_WHOLE = re.compile(r"(0|[1-9][0-9]{0,14})", re.ASCII)
_NUMBER = re.compile(r"-?(?=\.?[0-9])[0-9]{0,15}(\.[0-9]{0,20})?([eE]-?[0-9]{1,3})?", re.ASCII)
MOST_WHOLE = 10**15 - 1
_BODY_SECONDS = 120.0  # only those who bear a token send such bodies
_WORDS = {"true": True, "false": False}


class Query:
    """The parameters of a request, each given once at most and none that is unknown."""

    def __init__(self, request: Request, known: Collection[str] = ()) -> None:
        self._given: dict[str, str] = {}
        for name, value in request.query_params.multi_items():
            if name not in known:
                allowed = ", ".join(sorted(known)) or "none"
                raise _refusal(
                    f"there is a parameter that this request can't have; known: {allowed}"
                )
            if name in self._given:
                raise _refusal(f"the parameter {name} is given twice")
            self._given[name] = value

    def text(self, name: str) -> str | None:
        """A parameter as it stands; None if it isn't given."""
        return self._given.get(name)

    def choice(self, name: str, choices: Collection[str]) -> str | None:
        """A parameter that is one of a few words; None if it isn't given."""
        value = self._given.get(name)
        if value is not None and value not in choices:
            raise _refusal(f"{name} must be one of {', '.join(choices)}")
        return value

    def flag(self, name: str) -> bool:
        """A parameter that is ``true`` or ``false``; false if it isn't given."""
        return _WORDS[self.choice(name, _WORDS) or "false"]

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        """A parameter that is a whole number within bounds."""
        value = self._given.get(name)
        if value is None:
            return default
        if not _WHOLE.fullmatch(value) or not least <= int(value) <= most:
            raise _refusal(f"{name} must be a whole number from {least} to {most}")
        return int(value)

    def wholes(self, name: str) -> tuple[int, ...]:
        """A parameter that is a list of whole numbers, such as 3,5,2; empty if it isn't given."""
        value = self._given.get(name)
        numbers = [] if value is None else value.split(",")
        if not all(_WHOLE.fullmatch(number) for number in numbers):
            raise _refusal(f"{name} must be whole numbers with commas between, such as 3,5,2")
        return tuple(map(int, numbers))

    def number(self, name: str) -> float | None:
        """A parameter that is a decimal number; None if it isn't given."""
        value = self._given.get(name)
        if value is not None and not _NUMBER.fullmatch(value):
            raise _refusal(f"{name} must be a decimal number, such as 0.95")
        return None if value is None else float(value)

    def share(self, name: str, default: float) -> float:
        """A parameter that is a number between 0 and 1, both left out."""
        value = self.number(name)
        if value is not None and not 0 < value < 1:
            raise _refusal(f"{name} must be a decimal number between 0 and 1, such as 0.95")
        return default if value is None else value


def window_of(query: Query) -> int | str:
    """The window that a request asks for: a number, ``latest`` or ``all``."""
    said = query.text("window")
    if said in {None, "latest", "all"}:
        return said or "latest"
    if not _WHOLE.fullmatch(str(said)):
        raise _refusal("window must be a number from 0, latest, or all")
    return int(str(said))


async def body_of(request: Request, most: int) -> bytes:
    """The whole body of a request; one that is longer than ``most`` is refused before its end."""
    try:
        return await read_body(request.receive, most, _BODY_SECONDS)
    except BodyTooLong:
        raise Problem(413, "body_too_long", f"the body may have at most {most:,} bytes") from None
    except SenderGone:
        raise Problem(400, "body_cut", "the body was cut off") from None


def _refusal(sentence: str) -> Problem:
    return Problem(400, "invalid_parameter", sentence)
