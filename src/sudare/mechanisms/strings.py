"""Free text as an answer: checked on the device, and known to the mechanism by its digest.

A digest is SHA-256 of the collection's key and the text, of which the first 16 bytes are two
little-endian words: ``seed``, and ``step``, made odd. ``bloom.py`` turns it into the bits of a
filter; ``docs/reference/hashing.md`` specifies both for other languages.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudare.errors import InvalidAnswer, ParameterError

DIGEST = np.dtype([("seed", "<u8"), ("step", "<u8")])
Digests = NDArray[np.void]
LONGEST = 10_000  # bytes of UTF-8

_PREFIX = b"sudare string 1\0"


def hashable_text(text: object) -> bytes:
    """The bytes of a text that are hashed: UTF-8 of its composed form (NFC).

    Raises a ``ValueError`` that says what is wrong with it, without the text.
    """
    if not isinstance(text, str):
        raise ValueError("is not a text")  # noqa: TRY004 - the caller names the value's place
    try:
        encoded = (text if text.isascii() else unicodedata.normalize("NFC", text)).encode()
    except UnicodeEncodeError:
        raise ValueError("is not valid Unicode") from None
    if not 1 <= len(encoded) <= LONGEST:
        raise ValueError(f"has {len(encoded)} bytes; 1 to {LONGEST} are allowed")
    return encoded


def is_hashable(text: object) -> bool:
    """Whether a text can be hashed."""
    try:
        hashable_text(text)
    except ValueError:
        return False
    return True


def digests(key: str, texts: Iterable[bytes]) -> Digests:
    """The digest of each text under a collection's key."""
    start = hashlib.sha256(_PREFIX + bytes.fromhex(key))
    packed = bytearray()
    for text in texts:
        state = start.copy()
        state.update(text)
        packed += state.digest()[:16]
    found = np.frombuffer(packed, DIGEST).copy()
    found["step"] |= np.uint64(1)
    return found


@dataclass(frozen=True)
class Strings:
    """The domain of texts of 1 to 10,000 bytes, hashed for one collection or mechanism.

    Attributes:
        key: whose hash family: the collection's key in hexadecimal.
    """

    key: str

    @property
    def size(self) -> int:
        """How many answers a collection has labels for: none."""
        return 0

    def __iter__(self) -> Iterator[NoReturn]:
        raise ParameterError("texts can't be enumerated: name the values to look at")

    def check(self, values: ArrayLike, first: int = 0) -> Digests:
        """The digests of a list of texts; an array of digests is taken as it is.

        ``first`` is the position of the first, for errors.
        """
        if isinstance(values, np.ndarray) and values.dtype == DIGEST and values.ndim == 1:
            return values
        if isinstance(values, str | bytes):
            raise InvalidAnswer("answers must be a list of texts, got a single one")
        texts: list[Any] = list(np.atleast_1d(np.asarray(values, object)))
        if not all(isinstance(text, str) for text in texts):
            where = first + [isinstance(text, str) for text in texts].index(False)
            raise _wrong(where, "is not a text")
        # Popular answers are many people's: each text is encoded and hashed once.
        numbers: dict[Any, int] = {}
        which = [numbers.setdefault(text, len(numbers)) for text in texts]
        encoded = []
        for text in numbers:
            try:
                encoded.append(hashable_text(text))
            except ValueError:
                # Not what is wrong with it: the length of an answer is part of what it says.
                where, allowed = first + which.index(len(encoded)), f"1 to {LONGEST} bytes"
                raise _wrong(where, f"is not a text of {allowed}") from None
        return digests(self.key, encoded)[np.array(which, np.intp)]

    def population(self, truth: Any) -> tuple[Digests, NDArray[np.int64]]:  # noqa: ANN401 - one of two forms
        """Who holds what: texts with their numbers of people, or digests with theirs."""
        if isinstance(truth, Mapping):
            held, people = self.check(list(truth)), list(truth.values())
        else:
            held, people = truth
        counts = np.asarray(people)
        if counts.shape != held.shape or counts.dtype.kind not in "iu" or (counts < 0).any():
            raise ParameterError("a population of texts is a whole number of people for each")
        return held, counts.astype(np.int64)


def _wrong(where: int, what: object) -> InvalidAnswer:
    return InvalidAnswer(f"the answer at position {where} {what} (nothing was randomised)")
