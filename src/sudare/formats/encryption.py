"""Files that only a passphrase opens: AES-256-GCM, piece by piece, the key by scrypt.

A line that says what it is, 16 random bytes, then pieces of 64 KiB, each encrypted with its number
and whether it is the last: a file that is cut, changed or put together otherwise doesn't open.
"""

import secrets
from pathlib import Path
from typing import IO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from sudare.errors import InvalidDocument, ParameterError
from sudare.formats.file_kinds import ENCRYPTED_HEAD
from sudare.formats.files import regular

_SALT_BYTES, _KEY_BYTES, _TAG_BYTES = 16, 32, 16
_COST = 1 << 17  # of scrypt: 128 MiB and some tenths of a second for each guess
_PIECE = 1 << 16
_FEWEST = 12  # characters of a passphrase


def passphrase_of(file: Path) -> bytes:
    """The passphrase that stands in a file, without the end of its line; a short one is refused."""
    text = regular(file).read_bytes().rstrip(b"\r\n")
    if len(text) < _FEWEST:
        raise ParameterError(f"{file} must hold a passphrase of at least {_FEWEST} characters")
    return text


def _cipher(passphrase: bytes, salt: bytes) -> AESGCM:
    return AESGCM(Scrypt(salt, _KEY_BYTES, n=_COST, r=8, p=1).derive(passphrase))


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


class Encrypted:
    """Bytes that are encrypted as they are written to a file, until ``finish``."""

    def __init__(self, target: IO[bytes], passphrase: bytes) -> None:
        salt = secrets.token_bytes(_SALT_BYTES)
        self._target, self._cipher = target, _cipher(passphrase, salt)
        self._waiting = bytearray()
        self._number = 0
        target.write(ENCRYPTED_HEAD + salt)

    def write(self, data: bytes) -> None:
        """Encrypt what is a whole piece by now; the rest waits for more."""
        self._waiting += data
        while len(self._waiting) > _PIECE:  # one that is just full may be the last
            self._put(bytes(self._waiting[:_PIECE]), last=False)
            del self._waiting[:_PIECE]

    def finish(self) -> None:
        """Write the last piece."""
        self._put(bytes(self._waiting), last=True)

    def _put(self, piece: bytes, *, last: bool) -> None:
        self._target.write(
            self._cipher.encrypt(_nonce(self._number, last=last), piece, ENCRYPTED_HEAD)
        )
        self._number += 1


class Decrypted:
    """The bytes of an encrypted file, as if it were a plain one; ``name`` is for errors."""

    def __init__(self, source: IO[bytes], passphrase: bytes, name: str) -> None:
        if source.read(len(ENCRYPTED_HEAD)) != ENCRYPTED_HEAD:
            raise InvalidDocument(f"{name} is not encrypted")
        self._source, self._name = source, name
        self._cipher = _cipher(passphrase, source.read(_SALT_BYTES))
        self._ready = bytearray()
        self._number = 0
        self._next = source.read(_PIECE + _TAG_BYTES)
        if not self._next:
            raise InvalidDocument(f"{name} is cut: nothing follows its head")

    def read(self, size: int) -> bytes:
        """So many bytes, or all that are left."""
        while len(self._ready) < size and self._next:
            self._take()
        found = bytes(self._ready[:size])
        del self._ready[:size]
        return found

    def _take(self) -> None:
        piece, self._next = self._next, self._source.read(_PIECE + _TAG_BYTES)
        try:
            nonce = _nonce(self._number, last=not self._next)
            self._ready += self._cipher.decrypt(nonce, piece, ENCRYPTED_HEAD)
        except InvalidTag:
            why = "cut or changed" if self._number else "of another passphrase, or changed"
            raise InvalidDocument(f"{self._name} doesn't open: it is {why}") from None
        self._number += 1
