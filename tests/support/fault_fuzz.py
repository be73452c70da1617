"""Uploads whose bytes were changed at random."""

import hashlib
import io
import json
import random
import re
import struct
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sudare.collection.document import Collection
from sudare.collection.windows import Windows
from sudare.mechanisms.grr import GRR
from sudare.mechanisms.over_time.glance import Glance
from sudare.mechanisms.unary import OUE

NOW = 1205.0  # within the grace of window 1, and in window 2
GRACE = 10
WINDOWS = Windows(1000, 100)
PACKED, ARROW, SINGLE = (
    b"application/octet-stream",
    b"application/vnd.apache.arrow.stream",
    b"application/json",
)
INVITATIONS = 50
SECRET_TOKEN = "invitation-{}-Zanzibar"  # noqa: S105 - a test's own
AGENT = b"Zanzibar-browser/1.0"


@dataclass(frozen=True)
class Asked:
    """A collection, and its records in the words of ``struct``."""

    collection: Collection
    form: str
    columns: tuple[tuple[str, pa.DataType], ...]

    @property
    def fields(self) -> list[pa.Field]:
        """Of an Arrow stream; none of them may be missing."""
        columns = [("id", pa.binary(16)), *self.columns]
        return [pa.field(name, form, nullable=False) for name, form in columns]

    @property
    def width(self) -> int:
        return 16 + struct.calcsize(self.form)

    def cells(self, values: tuple[int, ...]) -> list[int] | None:
        """Where a report counts; None if no device can have made it."""
        if self.collection.name == "bits":
            (bits,) = values
            return None if bits >> 11 else [cell for cell in range(11) if bits >> cell & 1]
        if self.collection.name == "rounds":
            at, bit = values
            return [2 * (at - 1) + bit] if 1 <= at <= 4 and bit in (0, 1) else None
        (answer,) = values
        return [answer] if answer < len(self.collection.answers) else None


def _collection(
    name: str, mechanism: GRR | OUE, windows: Windows | None = None, **rules: bool
) -> Collection:
    answers = tuple(map(str, range(mechanism.k)))
    return Collection(name, "Which?", answers, mechanism, 1, windows, **rules)  # type: ignore[arg-type]  # rules alone


ASKED = (
    Asked(_collection("three", GRR(3, 0.5)), "<B", (("answer", pa.uint8()),)),
    Asked(
        _collection("windowed", GRR.calibrate(300, 1.0), WINDOWS),
        *("<H", (("answer", pa.uint16()),)),
    ),
    Asked(_collection("bits", OUE.calibrate(11, 1.0)), "<Q", (("bits", pa.binary(8)),)),
    Asked(
        Collection("rounds", "On?", ("off", "on"), Glance.calibrate(4, 1.0), 1),
        *("<BB", (("round", pa.uint8()), ("bit", pa.uint8()))),
    ),
    Asked(_collection("invited", GRR(3, 0.5), invited=True), "<B", (("answer", pa.uint8()),)),
)


@dataclass
class Upload:
    """A request as bytes."""

    asked: Asked
    query: bytes
    headers: dict[bytes, bytes]
    body: bytes
    changed: bool = False

    @property
    def kind(self) -> bytes:
        return self.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()

    @property
    def target(self) -> bytes:
        path = f"/collections/{self.asked.collection.key}/reports".encode()
        return path + b"?" + self.query if self.query else path


class Fuzz:
    """Draws uploads: valid ones, most of them with something changed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)  # noqa: S311 - a test's, not a secret
        self._names = [self._rng.randbytes(16) for _ in range(200)]

    def upload(self) -> Upload:
        rng = self._rng
        asked = rng.choice(ASKED)
        kind = rng.choice([PACKED, PACKED, ARROW, SINGLE])
        single = kind == SINGLE or asked.collection.invited
        rows = [self._row(asked) for _ in range(1 if single else rng.choice([1, 2, 7, 99]))]
        headers = {b"content-type": kind, b"user-agent": AGENT}
        if asked.collection.invited:
            number = rng.randrange(INVITATIONS)
            headers[b"sudare-invitation"] = SECRET_TOKEN.format(number).encode()
        query = b"" if asked.collection.windows is None else b"window=%d" % rng.choice([1, 2])
        made = Upload(asked, query, headers, self._body(asked, kind, rows))
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            self._mutate(made)
        return made

    def raw(self) -> bytes:
        """A request as it is on the network, its head perhaps mutated too."""
        made = self.upload()
        lines = [b"POST " + made.target + b" HTTP/1.1", b"host: localhost", b"connection: close"]
        lines += [name + b": " + value for name, value in made.headers.items()]
        lines.append(b"content-length: %d" % len(made.body))
        head = b"\r\n".join(lines) + b"\r\n\r\n"
        return (changed(self._rng, head) if self._rng.random() < 0.3 else head) + made.body

    def _row(self, asked: Asked) -> tuple[bytes, tuple[int, ...]]:
        rng = self._rng
        name = rng.choice(self._names) if rng.random() < 0.2 else rng.randbytes(16)
        if asked.collection.name == "bits":
            return name, (rng.randrange(1 << 11),)
        if asked.collection.name == "rounds":
            return name, (rng.randint(1, 4), rng.randrange(2))
        return name, (rng.randrange(len(asked.collection.answers)),)

    @staticmethod
    def _body(asked: Asked, kind: bytes, rows: list[tuple[bytes, tuple[int, ...]]]) -> bytes:
        if kind == PACKED:
            return b"".join(name + struct.pack(asked.form, *values) for name, values in rows)
        if kind == SINGLE:
            name, values = rows[0]
            record = struct.pack(asked.form, *values)
            return json.dumps({"id": name.hex(), "report": record.hex()}).encode()
        columns = [pa.array([name for name, _ in rows], pa.binary(16))]
        for place, (_, form) in enumerate(asked.columns):
            column: list[Any] = [values[place] for _, values in rows]
            if form == pa.binary(8):
                column = [struct.pack(asked.form, value) for value in column]
            columns.append(pa.array(column, form))
        batch = pa.record_batch(columns, schema=pa.schema(asked.fields))
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        return sink.getvalue()

    def _mutate(self, made: Upload) -> None:
        made.changed = True
        what = self._rng.random()
        if what < 0.7:
            made.body = changed(self._rng, made.body)
        elif what < 0.85:
            made.query = changed(self._rng, made.query or b"window=0")
        else:
            name = self._rng.choice(
                [b"content-type", b"sudare-api", b"sudare-invitation", b"x-anything"]
            )
            made.headers[name] = changed(self._rng, made.headers.get(name, b"1"))


def changed(rng: random.Random, data: bytes) -> bytes:
    """Bytes with something changed in one place: flipped, cut out, overwritten, doubled, put in."""
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + rng.choice([1, 1, 2, 8, 17, 40]))
    how = rng.randrange(7)
    if how == 0 and data:
        at = min(at, len(data) - 1)
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    new = {
        1: b"",
        2: rng.randbytes(end - at),
        3: data[at:end] * 2,
        4: bytes(end - at),
        5: b"\xff" * (end - at),
    }.get(how)
    if new is None:
        return data[:at] + rng.choice([b" ", b'"', b"0", b"-", b";", b"\n", b"\x00"]) + data[at:]
    return data[:at] + new + data[end:]


def invitation_digests() -> list[bytes]:
    return [
        hashlib.sha256(SECRET_TOKEN.format(number).encode()).digest()
        for number in range(INVITATIONS)
    ]


def leaks(text: str) -> list[str]:
    """What looks like a name, a record, an invitation, an address or a browser in a text."""
    forms = r"[0-9a-fA-F]{24,}|\\x[0-9a-f]{2}|Zanzibar|192\.0\.2\.\d+|127\.0\.0\.1|array\("
    return re.findall(forms, text)
