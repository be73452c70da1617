"""Files to try things with: made up, and the same wherever they are made.

Nobody is in them. They follow from a seed through integers alone, so that no version of a library
changes a byte of them (of a packed one, of what is in it).
"""

import gzip
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sudare.chance.randomness import Seeded

_SEED = 1867
_TEAS = {"green": 52, "black": 31, "oolong": 17}
_SAID = (
    "bread rice soup apple coffee tea cheese noodles egg salad pear honey tofu curry plum ginger "
    "miso yoghurt walnut spinach"
)
_UNSAID = (
    "anchovy barley basil beetroot cabbage carrot celery cherry chestnut cinnamon cocoa coconut "
    "cress cucumber date fennel fig garlic grape hazelnut kale kiwi leek lemon lentil lime mango "
    "melon millet mint mushroom mustard nutmeg oat olive onion orange papaya parsley pea peach "
    "peanut pepper pistachio pumpkin quince radish raisin raspberry rhubarb rosemary rye saffron "
    "sage sesame shallot sorrel squash thyme tomato turnip vanilla vinegar watercress wheat yam"
)
_COUNTRIES = {"Japan": 540, "Poland": 230, "Czechia": 120, "Austria": 60, "Lithuania": 40}
_RARE = ("Iceland", "Malta", "San Marino")  # one session each
_PAGES = {"trousers": 30, "skirts": 25, "blouses": 25, "sale": 20}


class ExampleFile(NamedTuple):
    """A file to try things with."""

    name: str
    """The name that it is usually given."""
    about: str
    """Its contents, in a few words."""
    make: Callable[[], bytes]
    """Its bytes."""


def _drawn(rng: Seeded, weights: dict[str, int], count: int) -> list[str]:
    """So many of the weights' names, each drawn by its weight."""
    names = list(weights)
    ends = np.cumsum(list(weights.values()))
    found = np.searchsorted(ends, rng.below(int(ends[-1]), count), side="right")
    return [names[number] for number in found.tolist()]


def _tea() -> bytes:
    answers = _drawn(Seeded(_SEED), _TEAS, 10_000)
    return _csv(["person", "answer"], [[str(n), tea] for n, tea in enumerate(answers, 1)], ",")


def _words() -> bytes:
    """Frequent words and rare ones, in turn a bit less than the one before."""
    weights = {word: 1000 // (2 + place) for place, word in enumerate(_SAID.split())}
    words = _drawn(Seeded(_SEED + 1), weights, 50_000)
    return _csv(["answer"], [[word] for word in words], ",")


def _dictionary() -> bytes:
    return "".join(f"{word}\n" for word in sorted(f"{_SAID} {_UNSAID}".split())).encode()


def _states() -> bytes:
    """Devices that are on more and more until the middle, and then less and less."""
    rng, people, rounds = Seeded(_SEED + 2), 10_000, 50
    middle = 20 + 60 * np.minimum(np.arange(rounds), np.arange(rounds)[::-1]) // (rounds // 2)
    habit = rng.below(41, (people, 1)) - 20  # of each person, in hundredths
    on = rng.below(100, (people, rounds)) < middle + habit
    header = [str(number) for number in range(1, rounds + 1)]
    return _csv(header, np.where(on, "1", "0").tolist(), ",")


def _clicks() -> bytes:
    """A row per page that was looked at, several of each session, packed as exports often are."""
    rng, sessions = Seeded(_SEED + 3), 6_000
    countries = [*_drawn(rng, _COUNTRIES, sessions - len(_RARE)), *_RARE]
    clicks = 1 + rng.below(9, sessions)
    whose = np.repeat(np.arange(sessions), clicks)
    order = np.argsort(whose * 97 % 101 + 101 * (whose // 101), kind="stable")  # sessions overlap
    pages = _drawn(rng, _PAGES, len(whose))
    prices = (1500 + 50 * rng.below(80, len(whose))).tolist()
    rows = [
        [f"{2 + session // 200:02}.04.", str(session + 1), countries[session], page, _euros(price)]
        for session, page, price in zip(whose[order].tolist(), pages, prices, strict=True)
    ]
    text = _csv(["day", "session ID", "country", "page", "price"], rows, ";")
    return gzip.compress(text, mtime=0)


def _euros(cents: int) -> str:
    return f"{cents // 100},{cents % 100:02}"


def _csv(header: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str) -> bytes:
    return "".join(f"{delimiter.join(row)}\n" for row in (header, *rows)).encode()


EXAMPLE_FILES = {
    "tea": ExampleFile("answers.csv", "10,000 people's tea: green, black or oolong", _tea),
    "words": ExampleFile("words.csv", "50,000 people's words, in a column `answer`", _words),
    "dictionary": ExampleFile("dictionary.txt", "words that people may have said", _dictionary),
    "states": ExampleFile("states.csv", "10,000 devices, on or off in 50 rounds", _states),
    "clicks": ExampleFile(
        "clicks.csv.gz", "pages looked at in 6,000 sessions; semicolons, gzip", _clicks
    ),
}
"""The files, by the names under which they are asked for."""
