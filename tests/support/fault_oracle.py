"""A second opinion on what an upload must do.

It reads bytes with plain Python (and pyarrow's own reader of streams), with nothing of ours.
"""

import json
import re
import struct
from collections import Counter
from dataclasses import dataclass, field

import pyarrow as pa

from support.fault_fuzz import ARROW, INVITATIONS, PACKED, SECRET_TOKEN, SINGLE, Asked, Upload


@dataclass
class Effect:
    """What an upload that is accepted does."""

    new: set[tuple[str, int, bytes]] = field(default_factory=set)
    repeated: int = 0
    token: bytes | None = None
    counts: Counter[tuple[str, int, int]] = field(default_factory=Counter)


@dataclass
class Oracle:
    """What must have counted, and for each upload what must be answered."""

    seen: set[tuple[str, int, bytes]] = field(default_factory=set)
    used: set[bytes] = field(default_factory=set)
    counts: Counter[tuple[str, int, int]] = field(default_factory=Counter)

    def apply(self, effect: Effect) -> None:
        """An upload was accepted."""
        self.seen |= effect.new
        self.counts += effect.counts
        if effect.token is not None:
            self.used.add(effect.token)

    def expected(self, sent: Upload) -> Effect | None:
        """What an upload must do; None if it must be refused."""
        rows, window = self._rows(sent), _window(sent)
        if window is None or not rows or len(rows) > 100:
            return None
        if sent.headers.get(b"sudare-api", b"1").strip() != b"1":
            return None
        name, effect = sent.asked.collection.name, Effect()
        for own, values in rows:
            cells, place = sent.asked.cells(values), (name, window, own)
            if cells is None:
                return None
            if place in self.seen or place in effect.new:
                effect.repeated += 1
            else:
                effect.new.add(place)
                effect.counts.update((name, window, cell) for cell in cells)
        if sent.asked.collection.invited:
            return self._invited(sent, len(rows), effect)
        return effect

    def _invited(self, sent: Upload, rows: int, effect: Effect) -> Effect | None:
        token = sent.headers.get(b"sudare-invitation", b"")
        if rows > 1 or not token:
            return None
        if not effect.new:
            return effect
        known = {SECRET_TOKEN.format(number).encode() for number in range(INVITATIONS)}
        effect.token = token
        return effect if token in known - self.used else None

    @staticmethod
    def _rows(sent: Upload) -> list[tuple[bytes, tuple[int, ...]]] | None:
        kind, asked, body = sent.kind, sent.asked, sent.body
        if kind == PACKED:
            if len(body) % asked.width:
                return None
            parts = [body[at : at + asked.width] for at in range(0, len(body), asked.width)]
            return [(part[:16], struct.unpack(asked.form, part[16:])) for part in parts]
        if kind == SINGLE:
            return _single(asked, body)
        return _streamed(asked, body) if kind == ARROW else None


def _window(sent: Upload) -> int | None:
    found = re.fullmatch(rb"window=([0-9]{1,15})", sent.query)
    if sent.asked.collection.windows is None:
        return 0 if not sent.query or (found and not int(found[1])) else None
    return int(found[1]) if found and int(found[1]) in (1, 2) else None


def _single(asked: Asked, body: bytes) -> list[tuple[bytes, tuple[int, ...]]] | None:
    try:
        document = json.loads(body.decode())
    except ValueError:
        return None
    if not isinstance(document, dict) or document.keys() != {"id", "report"}:
        return None
    name, record = document["id"], document["report"]
    if not (isinstance(name, str) and re.fullmatch("[0-9a-fA-F]{32}", name)):
        return None
    digits = 2 * (asked.width - 16)
    if not (isinstance(record, str) and re.fullmatch(f"[0-9a-fA-F]{{{digits}}}", record)):
        return None
    return [(bytes.fromhex(name), struct.unpack(asked.form, bytes.fromhex(record)))]


def _streamed(asked: Asked, body: bytes) -> list[tuple[bytes, tuple[int, ...]]] | None:
    try:
        table = pa.ipc.open_stream(body).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, TypeError):
        return None
    if list(table.schema) != asked.fields:
        return None
    columns = [column.to_pylist() for column in table.columns]
    if any(None in column for column in columns):
        return None
    if asked.columns[0][1] == pa.binary(8):
        columns[1] = [struct.unpack(asked.form, value)[0] for value in columns[1]]
    return [(row[0], row[1:]) for row in zip(*columns, strict=True)]
