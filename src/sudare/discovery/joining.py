"""Unknown texts back from a discovery's reports: grams found, joined, and put to the test.

1. Each place's reports are decoded against every gram of the alphabet. Half of the grams kept
   may be false: they cost little, where one that is missing costs every text that has it.
2. Grams that follow each other are joined. A text has at most the share of its rarest gram; the
   paths of largest share are kept.
3. The reports of whole texts are decoded against what was joined. They saw none of the grams, so
   that the test's level holds for joins that nobody wrote.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sudare.collection.document import Collection
from sudare.decoding.from_sums import Decoded
from sudare.discovery.plan import Discovery
from sudare.discovery.spelling import END, Spelling
from sudare.errors import ParameterError, TooFewReports
from sudare.formats.numbers import counted
from sudare.mechanisms.aggregate import Aggregate
from sudare.questions.text import decode

MOST = 100_000  # texts joined, by falling share
GRAM_LEVEL = 0.5  # of the grams kept, how many may be false

Shares = dict[str, float]  # of people, by text or gram
_Pieces = Mapping[str, list[tuple[str, float]]]  # with their shares, by what the other side has


@dataclass(frozen=True, eq=False)
class Discovered:
    """The texts found, and how they came to be candidates.

    Attributes:
        n: how many reports there were of the whole text, and of each place.
        grams: how many grams were kept at each place.
        joined: how many candidates their joins made.
        capped: whether there were more, of smaller share, that were left out.
        decoded: the candidates put to the test; None if there were none.
    """

    n: tuple[int, ...]
    grams: tuple[int, ...]
    joined: int
    capped: bool
    decoded: Decoded | None

    def rows(self) -> list[dict[str, Any]]:
        """The results, a row per text found, by falling share, as ``Decoded`` has them."""
        return [] if self.decoded is None else self.decoded.rows()

    @property
    def texts(self) -> dict[str, float]:
        """The texts found, with their shares."""
        return {row["candidate"]: row["share"] for row in self.rows()}

    def notes(self) -> list[str]:
        """Sentences about how the texts were found, and what may be missing."""
        grams = " + ".join(map(str, self.grams))
        notes = [
            (
                f"{len(self.texts)} found among {counted(self.joined, 'candidate')}, joined from "
                f"{grams} grams"
            ),
            f"{counted(self.n[0], 'report')} of the whole, {sum(self.n[1:]):,} of grams",
        ]
        if self.capped:
            notes.append(
                "joins of small share were left out: rare texts may be missing (see --most)"
            )
        return notes


def discover(  # noqa: PLR0913 - what an analyst may choose
    discovery: Discovery,
    aggregates: Iterable[Aggregate],
    *,
    false_discoveries: float = 0.05,
    level: float = 0.95,
    gram_level: float = GRAM_LEVEL,
    most: int = MOST,
) -> Discovered:
    """Which texts people hold, and how many do, without a list of candidates.

    Args:
        discovery: the plan that people reported by.
        aggregates: their reports, counted; any number for each of the plan's collections.
        false_discoveries: their expected share among the texts found.
        level: the confidence of the intervals, such as 0.95.
        gram_level: the expected share of false ones among the grams that are joined.
        most: how many joined texts are put to the test, at most.
    """
    if most < 1:
        raise ParameterError(f"at least 1 candidate must be allowed, got {most}")
    whole, *parts = discovery.total(aggregates)
    words, *places = discovery.collections
    for collection, aggregate in zip(discovery.collections, (whole, *parts), strict=True):
        collection.released(aggregate)  # too few are too few, whatever else is found
    spelling = discovery.spelling
    kept = []
    for place, collection, aggregate in zip(spelling.places, places, parts, strict=True):
        decoded = _decoded(collection, aggregate, spelling.grams(place), gram_level, level)
        kept.append({row["candidate"]: row["share"] for row in decoded.rows()})
    joined, capped = join(spelling, kept, most)
    return Discovered(
        (whole.n, *(part.n for part in parts)),
        tuple(map(len, kept)),
        len(joined),
        capped,
        _decoded(words, whole, joined, false_discoveries, level) if joined else None,
    )


def _decoded(
    collection: Collection,
    aggregate: Aggregate,
    candidates: Iterable[str],
    false_discoveries: float,
    level: float,
) -> Decoded:
    try:
        return decode(
            collection, aggregate, candidates, false_discoveries=false_discoveries, level=level
        )
    except TooFewReports as error:
        raise TooFewReports(f"“{collection.name}”: {error}") from None


def join(spelling: Spelling, kept: list[Shares], most: int = MOST) -> tuple[Shares, bool]:
    """Texts whose gram at each place was kept, each with the share of its rarest gram.

    No more than ``most`` are followed, those of largest share; the second value tells whether
    others were dropped.
    """
    paths, capped = kept[0], False
    before = spelling.places[0]
    for place, grams in zip(spelling.places[1:], kept[1:], strict=True):
        shared = before + spelling.gram - place  # characters that both grams have
        ends, starts = defaultdict(list), defaultdict(list)
        for path, share in paths.items():
            ends[path[place:]].append((path, share))
        for gram, share in grams.items():
            starts[gram[:shared]].append((gram[shared:], share))
        least, fewer = _least_share(ends, starts, most)
        longer = {
            path + rest: min(one, other)
            for overlap, joint in ends.items()
            for path, one in joint
            if one >= least
            for rest, other in starts[overlap]
            if other >= least
            if not path.endswith(END) or not rest.strip(END)  # nothing follows an end
        }
        capped |= fewer
        paths = dict(sorted(longer.items(), key=lambda path: -path[1])[:most])
        before = place
    return {path.rstrip(END): share for path, share in paths.items()}, capped


def _least_share(ends: _Pieces, starts: _Pieces, most: int) -> tuple[float, bool]:
    """The share that both sides of a join need, for no more than ``most`` joins; if any do."""
    sides = [
        tuple(np.sort([share for _, share in pieces[overlap]]) for pieces in (ends, starts))
        for overlap in ends.keys() & starts.keys()
    ]
    if not sides:
        return 0.0, False

    def joins(least: float) -> int:
        above = ([len(side) - np.searchsorted(side, least) for side in both] for both in sides)
        return sum(int(left * right) for left, right in above)

    shares = np.unique(np.concatenate([side for both in sides for side in both]))
    cut = bisect_left(shares, -most, hi=len(shares) - 1, key=lambda least: -joins(least))
    return float(shares[cut]), cut > 0
