"""The three studies of the demonstration, and the people who take part in them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Seeded, System
from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.demo.people import Asked, Observed, People
from sudare.errors import ParameterError
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.over_time.glance import Glance
from sudare.planning.texts import best_rappor

# The five teas of the document's survey; its shares are only in a figure, these stand in.
TEAS = {
    "Oi Ocha": 0.36,
    "Iemon": 0.14,
    "Ayataka": 0.29,
    "Namacha": 0.14,
    "Meidai-cha": 0.07,
}
# The first of these are somebody's home page, each a bit rarer than the one before it.
CANDIDATES = tuple(
    f"{name}.test"
    for name in (
        *("search", "news", "mail", "video", "weather", "wiki", "maps", "shop", "photos", "music"),
        *("games", "trains", "recipes", "sport", "bank", "library", "museum", "radio", "chess"),
        *("garden", "poems", "stars", "hotels", "flights"),
    )
)
_HELD = 14
_OTHERS = 0.06  # the share of people whose home page nobody else has, and no candidate is
PACE = 250.0  # people a second
ONCE_SECONDS = 12  # in which everybody answers, if the demonstration is to end by itself
_ROUNDS, _ROUND_SECONDS = 60, 2
_PEOPLE = 1000, 1_000_000
_MOST_PACE = 1_000_000.0
_MOST_ROUNDS = 3600  # of a demonstration that ends by itself
_MINIMUM, _COHORT_MINIMUM, _ROUND_MINIMUM = 100, 20, 10  # reports


@dataclass(frozen=True)
class Plan:
    """The size of a demonstration: its people, its ε, its pace.

    Attributes:
        people: who take part in each study.
        epsilon: what a report costs; over time, what all reports in a window cost.
        pace: how many people a second answer what they are asked once; None for as usual.
        seed: of what is true of people; None for other people each time.
        once: whether it ends by itself when everybody has answered.
    """

    people: int = 20_000
    epsilon: float = 2.0
    pace: float | None = None
    seed: int | None = None
    once: bool = False

    def __post_init__(self) -> None:
        least, most = _PEOPLE
        if not least <= self.people <= most:
            raise ParameterError(
                f"a demonstration needs between {least:,} and {most:,} people, got {self.people}"
            )
        if self.pace is not None and not 1 <= self.pace <= _MOST_PACE:
            raise ParameterError(
                f"the pace must be between 1 and {_MOST_PACE:,.0f} people a second, got {self.pace}"
            )
        if self.once and self.rounds > _MOST_ROUNDS:
            raise ParameterError(
                f"at {self.each_second:g} people a second, {self.people} need more than an hour: "
                f"choose a pace of at least {math.ceil(self.people / _MOST_ROUNDS)}"
            )

    @property
    def each_second(self) -> float:
        """How many people answer in a second."""
        return self.pace or (self.people / ONCE_SECONDS if self.once else PACE)

    @property
    def rounds(self) -> int:
        """How many rounds a window has: it lasts two minutes, or as long as the answering."""
        return max(2, math.ceil(self.people / self.each_second)) if self.once else _ROUNDS

    @property
    def seconds(self) -> int:
        """How many seconds a window lasts."""
        return self.rounds * (1 if self.once else _ROUND_SECONDS)

    def collections(self, start: int) -> "Collections":
        """The collections of the three studies, whose windows begin at ``start``."""
        return Collections(
            Collection(
                "tea",
                "Which tea do you like best?",
                tuple(TEAS),
                GRR.calibrate(len(TEAS), self.epsilon),
                _MINIMUM,
            ),
            Collection(
                "home page",
                "Which page does your browser open first?",
                (),
                best_rappor(self.epsilon, self.people, len(CANDIDATES)).mechanism,
                _COHORT_MINIMUM,
            ),
            Collection(
                "online now",
                "Is the device online?",
                ("offline", "online"),
                Glance.calibrate(self.rounds, self.epsilon),
                _ROUND_MINIMUM,
                Windows(start, self.seconds),
            ),
        )

    def people_of(self, collections: "Collections") -> list[People]:
        """The people of each study, who begin when the windows do."""
        generator = self._truth().generator()
        tea, home_page, online = collections
        last = self.rounds if self.once else None
        observed = Observed(online, self.people, generator, last)
        teas = _drawn(list(TEAS.values()), self.people, generator)
        pages, texts = _home_pages(self.people, generator)
        begin, pace = observed.start, self.each_second
        return [
            Asked(tea, begin, labels=tuple(TEAS), answers=teas, pace=pace, listed=len(TEAS)),
            Asked(
                *(home_page, begin),
                labels=texts,
                answers=pages,
                pace=pace,
                listed=len(CANDIDATES),
            ),
            observed,
        ]

    def _truth(self) -> Keystream:
        return System() if self.seed is None else Seeded(self.seed)


class Collections(NamedTuple):
    """The collections of the three studies of the demonstration."""

    tea: Collection
    home_page: Collection
    online: Collection


def _drawn(
    shares: Sequence[float], people: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    return generator.choice(len(shares), size=people, p=np.array(shares) / sum(shares))


def _home_pages(
    people: int, generator: np.random.Generator
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Everybody's page by its number, and the pages: the candidates, then those of one person."""
    known = [1 / (rank + 2) for rank in range(_HELD)]
    rare = _OTHERS / (1 - _OTHERS) * sum(known)
    pages = _drawn([*known, rare], people, generator)
    alone = np.flatnonzero(pages == _HELD)
    pages[alone] = len(CANDIDATES) + np.arange(len(alone))
    own = (f"home-of-{number}.test" for number in range(len(alone)))
    return pages, (*CANDIDATES, *own)
