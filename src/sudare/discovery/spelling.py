"""How a text is spelt out: its letters, a sign for every other character, and one for the end."""

import itertools
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from sudare.errors import InvalidAnswer, ParameterError
from sudare.formats.numbers import whole
from sudare.mechanisms.strings import hashable_text

OTHER = "\N{REPLACEMENT CHARACTER}"
END = "\N{SYMBOL FOR END OF TEXT}"
MOST_GRAMS = 1_000_000
LONGEST = 64


@dataclass(frozen=True)
class Spelling:
    """The first characters of a text, in an alphabet, and the grams that they are cut into.

    A character that is no letter, but would be in lower case, is taken in lower case; any other
    becomes ``OTHER``. A text is cut at ``length``, and filled up to it with ``END`` before it is
    cut into grams.

    Attributes:
        alphabet: the letters.
        length: how many characters of a text are looked at.
        gram: how many characters a gram has.
        stride: how far a gram begins after the one before it; less than ``gram`` to overlap.
    """

    alphabet: str
    length: int
    gram: int
    stride: int

    def __post_init__(self) -> None:
        for name in ("length", "gram", "stride"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        self._check_alphabet()
        if not 1 <= self.gram < self.length <= LONGEST:
            raise ParameterError(
                f"a gram must be shorter than the length, which is at most {LONGEST}; got a gram "
                f"of {self.gram} and a length of {self.length}"
            )
        if not 1 <= self.stride <= self.gram:
            raise ParameterError(
                f"the stride must be between 1 and gram = {self.gram}, got {self.stride}"
            )
        count = (len(self.alphabet) + 1) ** self.gram
        if count > MOST_GRAMS:
            raise ParameterError(
                f"{len(self.alphabet)} letters and the sign for others make {count:,} grams of "
                f"{self.gram}; at most {MOST_GRAMS:,} are allowed"
            )

    def _check_alphabet(self) -> None:
        if not isinstance(self.alphabet, str) or not self.alphabet:
            raise ParameterError("the alphabet must be a text of at least 1 letter")
        if len(set(self.alphabet)) < len(self.alphabet):
            raise ParameterError("the alphabet has a letter twice; each must be different")
        if {OTHER, END} & set(self.alphabet):
            raise ParameterError(f"the alphabet has {OTHER} or {END}, which are reserved")
        try:
            hashable_text(self.alphabet)
        except ValueError as error:
            raise ParameterError(f"the alphabet {error}") from None
        if any(
            unicodedata.combining(c) or not unicodedata.is_normalized("NFC", c)
            for c in self.alphabet
        ):
            raise ParameterError("the alphabet has a mark that is no character by itself (NFC)")

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Where the grams begin: every ``stride`` characters, and so that the last one fits."""
        last = self.length - self.gram
        return (*range(0, last, self.stride), last)

    def grams(self, place: int) -> list[str]:
        """Every gram that a text can have at a place: characters, then ends if it ends there.

        No text is empty: at the first place there is at least one character.
        """
        return [
            "".join(characters) + END * (self.gram - held)
            for held in range(0 if place else 1, self.gram + 1)
            for characters in itertools.product(self.alphabet + OTHER, repeat=held)
        ]

    def gram_at(self, place: int, folded: str) -> str:
        """The gram of a folded text at a place."""
        return folded[place : place + self.gram].ljust(self.gram, END)

    def fold(self, texts: Sequence[str], first: int = 0) -> list[str]:
        """Texts spelt in the alphabet, and cut; one that is empty is refused by its position.

        ``first`` is the position of the first, where these are a part of many.
        """
        if isinstance(texts, str):
            raise ParameterError("answers must be a list, got a single text")
        folded: dict[str, str] = {}  # popular answers are many people's
        for position, text in enumerate(texts):
            try:
                if not isinstance(text, str) or text not in folded:
                    folded[text] = self._folded(hashable_text(text).decode())
            except ValueError as error:
                raise InvalidAnswer(
                    f"the answer at position {first + position} {error} (nothing was randomised)"
                ) from None
        return [folded[text] for text in texts]

    def _folded(self, composed: str) -> str:
        return "".join(self._character(character) for character in composed[: self.length])

    def _character(self, character: str) -> str:
        for form in (character, character.lower()):
            if form in self._letters:
                return form
        return OTHER

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset(self.alphabet)


class SpellingDocument(msgspec.Struct, forbid_unknown_fields=True):
    """A spelling in a JSON document: all of it, and nothing else."""

    alphabet: str
    length: int
    gram: int
    stride: int

    def spelling(self) -> Spelling:
        """The spelling that the document states, checked."""
        return Spelling(self.alphabet, self.length, self.gram, self.stride)
