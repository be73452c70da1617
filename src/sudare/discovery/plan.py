"""A discovery: the plan that devices and collector share, as one public JSON document."""

import hashlib
import hmac
import math
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, Self, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from sudare.chance.exact import log_up
from sudare.chance.keystream import Keystream
from sudare.chance.randomness import Derived, Randomness, System
from sudare.collection.document import Collection
from sudare.device.device import Device
from sudare.discovery.budget import Asks, spend, together
from sudare.discovery.spelling import Spelling, SpellingDocument
from sudare.errors import InvalidDocument, MixedCollections, ParameterError
from sudare.formats.documents import canonical, decode
from sudare.mechanisms import from_document
from sudare.mechanisms.aggregate import Aggregate
from sudare.mechanisms.interface import Records
from sudare.mechanisms.rappor import Rappor

Sent = list[tuple[Collection, Records]]


@dataclass(frozen=True)
class Discovery:
    """How texts that nobody has listed are found: by reports of the whole and of its parts.

    A device draws, once and whatever its text is, what it is asked: the whole text or one of its
    grams (``either``), or the whole text and one of its grams (``both``).

    Attributes:
        name: a short name, for files and tables.
        question: what people are asked.
        spelling: what is looked at of a text, and how it is cut into grams.
        asks: whether a person reports either the whole or a gram, or both.
        words: how the whole text is randomised.
        grams: how a gram is randomised.
        minimum_reports: nothing is decoded of fewer reports than this, of the whole or a place.
    """

    name: str
    question: str
    spelling: Spelling
    asks: Asks
    words: Rappor
    grams: Rappor
    minimum_reports: int = 1

    def __post_init__(self) -> None:
        if self.asks not in get_args(Asks):
            raise ParameterError(f"asks must be one of {', '.join(get_args(Asks))}")
        for mechanism in (self.words, self.grams):
            if mechanism.domain.size:
                raise ParameterError("a discovery randomises texts: by RAPPOR with hashes")
        _ = self.collections  # which check the name and the minimum

    @classmethod
    def calibrate(  # noqa: PLR0913 - what a plan may choose
        cls,
        name: str,
        question: str,
        *,
        epsilon: float,
        length: int = 8,
        gram: int = 3,
        stride: int | None = None,
        alphabet: str = string.ascii_lowercase,
        asks: Asks = "either",
        split: float = 0.4,
        lifetime: float | None = None,
        minimum_reports: int = 1,
        bits: int = 512,
        cohorts: int = 64,
    ) -> Self:
        """The plan that costs a person at most ``epsilon``.

        Args:
            name: a short name.
            question: what people are asked.
            epsilon: the budget of all that one person sends at a time.
            length: how many characters of a text are looked at.
            gram: how many characters a gram has.
            stride: from one gram to the next; unless given, they share a character.
            alphabet: the letters.
            asks: ``either``, the whole budget for one report (which finds most), or ``both``.
            split: for ``both``, the share of the budget that the whole text takes.
            lifetime: the budget of all that a person ever sends of one text, for permanent
                noise; without it, every time costs anew.
            minimum_reports: nothing is decoded of fewer.
            bits: the width of the filters.
            cohorts: the hash families of each.
        """
        spelling = Spelling(alphabet, length, gram, max(1, gram - 1) if stride is None else stride)
        words, grams = spend(
            epsilon, lifetime=lifetime, asks=asks, split=split, bits=bits, cohorts=cohorts
        )
        return cls(name, question, spelling, asks, words, grams, minimum_reports)

    @property
    def worst_ratio(self) -> Fraction:
        """e^ε of all that a person sends at a time; which part was asked for tells nothing."""
        return together(self.asks, self.words.worst_ratio, self.grams.worst_ratio)

    @property
    def epsilon(self) -> float:
        """The ε that taking part once costs a person: ln(``worst_ratio``), rounded up."""
        return log_up(self.worst_ratio)

    @property
    def lifetime_epsilon(self) -> float:
        """The ε of taking part for ever with one text; infinite without permanent noise."""
        words, grams = self.words.lifetime_ratio, self.grams.lifetime_ratio
        return (
            math.inf
            if words is None or grams is None
            else log_up(together(self.asks, words, grams))
        )

    @cached_property
    def key(self) -> str:
        """SHA-256 of the canonical document: the plan's identity."""
        return hashlib.sha256(canonical(self._body())).hexdigest()

    @cached_property
    def collections(self) -> tuple[Collection, ...]:
        """The plan's collections: of whole texts, then of each place; their hashes are its own."""
        gram, places = self.spelling.gram, self.spelling.places
        grams = [(f"characters {place + 1} to {place + gram}", self.grams) for place in places]
        return tuple(
            Collection(
                f"{self.name}, {part}" if self.name else "",
                f"{self.question} [discovery {self.key}]",
                (),
                mechanism,
                self.minimum_reports,
            )
            for part, mechanism in [("whole", self.words), *grams]
        )

    def part(self, number: int, folded: str) -> str:
        """The part of a folded text that the collection of this number asks for."""
        if number == 0:
            return folded
        return self.spelling.gram_at(self.spelling.places[number - 1], folded)

    def _drawn(self, count: int, rng: Randomness) -> NDArray[np.int64]:
        """Which collection each person is asked by, beside that of the whole if ``both``.

        Places are alike; with ``either``, half of the people report the whole.
        """
        places = len(self.spelling.places)
        drawn = rng.below(places if self.asks == "both" else 2 * places, (count,)) + 1
        drawn[drawn > places] = 0
        return drawn

    def _asked(self, number: int, drawn: NDArray[np.int64]) -> NDArray[np.intp]:
        """The people who report to the collection of this number."""
        everyone = number == 0 and self.asks == "both"
        return np.arange(len(drawn)) if everyone else np.flatnonzero(drawn == number)

    def randomize(
        self, texts: Sequence[str], rng: Randomness | None = None, first: int = 0
    ) -> Sent:
        """The reports of people's texts, beside the collection that they belong to.

        ``first`` is the position of the first text, where these are a part of many.
        """
        source = rng or System()
        folded = self.spelling.fold(texts, first)
        drawn = self._drawn(len(folded), source)
        sent = []
        for number, collection in enumerate(self.collections):
            parts = [self.part(number, folded[person]) for person in self._asked(number, drawn)]
            nobody = np.empty(0, collection.report_dtype)
            sent.append((collection, collection.randomize(parts, source) if parts else nobody))
        return sent

    def report(self, device: Device, text: str, rng: Randomness | None = None) -> Sent:
        """The reports that leave a person's device, which is asked for the same part every time."""
        (folded,) = self.spelling.fold([text])
        about = bytes.fromhex(self.key) + b"place\0"
        drawn = self._drawn(1, Derived(hmac.digest(device.secret, about, "sha256")))
        return [
            (collection, device.report(collection, self.part(number, folded), rng))
            for number, collection in enumerate(self.collections)
            if len(self._asked(number, drawn))
        ]

    def aggregate(self, sent: Iterable[tuple[Collection, Records]]) -> tuple[Aggregate, ...]:
        """Check and count reports: an aggregate for each of the plan's collections."""
        return self.total(collection.aggregate(reports) for collection, reports in sent)

    def total(self, aggregates: Iterable[Aggregate]) -> tuple[Aggregate, ...]:
        """Any number of aggregates, summed for each of the plan's collections."""
        sums = {collection.key: collection.zero for collection in self.collections}
        for aggregate in aggregates:
            if aggregate.key not in sums:
                raise MixedCollections(
                    f"the collection {aggregate.key[:12]}… is none of the {len(sums)} of "
                    f"“{self.name}” ({self.key[:12]}…)"
                )
            sums[aggregate.key] += aggregate
        return tuple(sums.values())

    def simulate(self, truth: Mapping[str, int], rng: Keystream) -> tuple[Aggregate, ...]:
        """The aggregates of people who hold these texts, drawn from their exact law."""
        folded, people = self.spelling.fold(list(truth)), np.array(list(truth.values()), np.int64)
        places = len(self.spelling.places)
        half = 0.0 if self.asks == "both" else 0.5
        asked = rng.generator().multinomial(people, [half, *[(1 - half) / places] * places])
        if self.asks == "both":
            asked[:, 0] = people
        found = []
        for number, collection in enumerate(self.collections):
            held: dict[str, int] = {}
            for text, count in zip(folded, asked[:, number].tolist(), strict=True):
                part = self.part(number, text)
                held[part] = held.get(part, 0) + count
            found.append(collection.simulate(held, rng))
        return tuple(found)

    def _body(self) -> dict[str, Any]:
        return {
            "sudare": "discovery",
            "format": 1,
            "name": self.name,
            "question": self.question,
            "spelling": asdict(self.spelling),
            "asks": self.asks,
            "words": self.words.document(),
            "grams": self.grams.document(),
            "minimum_reports": self.minimum_reports,
        }

    def _costs(self) -> dict[str, float]:
        """What is stated beside the parameters that it follows from."""
        return {
            "epsilon": self.epsilon,
            "epsilon_words": self.words.epsilon,
            "epsilon_grams": self.grams.epsilon,
            "lifetime_epsilon": self.lifetime_epsilon,
        }

    def to_json(self) -> bytes:
        """The plan's document, indented for people, with ε and its parts stated."""
        # What has no end can't be written as a number, and is left out.
        finite = {name: cost for name, cost in self._costs().items() if math.isfinite(cost)}
        document = {**self._body(), **finite}
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The plan of a document; one that states less ε than it spends is refused."""
        given = decode(data, _Document, "a discovery")
        words, grams = from_document(given.words), from_document(given.grams)
        made = cls(
            given.name,
            given.question,
            given.spelling.spelling(),
            given.asks,
            words,  # type: ignore[arg-type]  # the constructor refuses other mechanisms
            grams,  # type: ignore[arg-type]
            given.minimum_reports,
        )
        for name, cost in made._costs().items():
            stated = getattr(given, name)
            if stated is not None and stated < cost:
                raise InvalidDocument(
                    f"the discovery states {name} = {stated}, but its parameters give {cost}"
                )
        return made


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    sudare: Literal["discovery"]
    format: Literal[1]
    name: str
    question: str
    spelling: SpellingDocument
    asks: Asks
    words: dict[str, Any]
    grams: dict[str, Any]
    minimum_reports: int
    epsilon: float
    epsilon_words: float
    epsilon_grams: float
    lifetime_epsilon: float | None = None
