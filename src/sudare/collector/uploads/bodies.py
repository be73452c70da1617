"""The body of an upload: read within bounds, and turned into packed records."""

import asyncio
import struct
import types
from collections.abc import Coroutine, Generator
from typing import Any, cast

import msgspec
import pyarrow as pa
from starlette.types import Receive

from sudare.collection.document import Collection
from sudare.collector.http.limits import Hold
from sudare.collector.http.problems import Problem
from sudare.errors import InvalidDocument
from sudare.formats.collector_api import BODY_REPORTS
from sudare.formats.report_ids import ID_BYTES, identified_dtype
from sudare.formats.wire import from_batch

_V5 = 4  # of Arrow's metadata, as its messages number it


class SenderGone(Exception):  # noqa: N818 - nobody is left to be told of an error
    """The sender closed the connection before its request was whole."""


class BodyTooLong(Exception):  # noqa: N818 - the caller says what is allowed
    """A request's body that goes on where it had to end."""


async def read_body(receive: Receive, most: int, seconds: float, hold: Hold | None = None) -> bytes:
    """The whole body of a request, of at most so many bytes and within so many seconds.

    What arrives takes room, if there is a bound to that: not what a head announces.
    """
    # A small body is there already, as a rule: then no timer is set.
    receiving = cast("Coroutine[Any, None, Any]", receive())
    try:
        waits_for = receiving.send(None)
    except StopIteration as there:
        message = there.value
        if message["type"] == "http.request" and not message.get("more_body"):
            body = cast("bytes", message.get("body", b""))
            if len(body) > most:
                raise BodyTooLong from None
            if hold is not None:
                hold.add(len(body))
            return body
        first = None
    else:
        message, first = None, _resumed(receiving, waits_for)
    try:
        async with asyncio.timeout(seconds):
            return await _rest(await first if first else message, receive, most, hold)
    except TimeoutError:
        raise Problem(
            408, "body_too_slow", f"the body took longer than {seconds:g} seconds"
        ) from None


@types.coroutine
def _resumed(
    coroutine: Coroutine[Any, None, Any],
    waits_for: Any,  # noqa: ANN401 - whatever the event loop's tasks wait for
) -> Generator[Any, None, Any]:
    """The rest of a coroutine that has begun to wait."""
    yield waits_for
    return (yield from coroutine)


async def _rest(
    message: Any,  # noqa: ANN401 - ASGI's
    receive: Receive,
    most: int,
    hold: Hold | None,
) -> bytes:
    parts, size = [], 0
    while True:
        if message["type"] != "http.request":
            raise SenderGone
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            raise BodyTooLong
        if hold is not None:
            hold.add(len(part))
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)
        message = await receive()


class _Single(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    report: str


_single = msgspec.json.Decoder(_Single)


def packed_json(collection: Collection, body: bytes) -> bytes:
    """The packed record of a single report in JSON."""
    width = collection.report_dtype.itemsize
    try:
        sent = _single.decode(body)
        own, report = bytes.fromhex(sent.id), bytes.fromhex(sent.report)
        if len(sent.id + sent.report) != 2 * len(own + report):  # fromhex skips spaces
            own = b""
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):
        own = report = b""
    if (len(own), len(report)) != (ID_BYTES, width):
        raise Problem(
            400,
            "invalid_body",
            f"a report is an object of “id”, {2 * ID_BYTES} hexadecimal digits, and “report”, "
            f"{2 * width}",
        )
    return own + report


def packed_arrow(collection: Collection, body: bytes) -> bytes:
    """The packed records of an Arrow stream."""
    form = identified_dtype(collection.report_dtype)
    try:
        parts, rows, schema = [], 0, None
        for message in pa.ipc.MessageReader.open_stream(body):
            if message.type == "schema" and schema is None:
                schema = pa.ipc.read_schema(message)
            else:
                _check_plain(message, schema)
                batch = pa.ipc.read_record_batch(message, schema)
                rows += batch.num_rows
                if rows > BODY_REPORTS:
                    raise Problem(
                        413, "too_many_reports", f"a body holds at most {BODY_REPORTS:,} reports"
                    )
                parts.append(from_batch(form, batch).tobytes())
    except (pa.ArrowException, InvalidDocument, ValueError, TypeError, struct.error, OSError):
        raise Problem(
            400,
            "invalid_body",
            "the body is not an uncompressed Arrow stream of the columns "
            f"{', '.join(form.names or ())} of this collection",
        ) from None
    return b"".join(parts)


def _check_plain(message: Any, schema: Any) -> None:  # noqa: ANN401 - pyarrow is untyped
    """Refuse a batch before its schema, and one whose buffers are compressed.

    A few compressed bytes could become any number.

    Arrow's flatbuffers: Message has its version first, its header third and its custom metadata
    fifth, RecordBatch its compression fourth. Before V5, a batch was said to be compressed in the
    custom metadata, and Arrow still believes it.
    """
    data = message.metadata.to_pybytes()
    root = struct.unpack_from("<I", data)[0]
    version = _field(data, root, 0)
    header = root + _field(data, root, 2)
    batch = header + struct.unpack_from("<I", data, header)[0]
    if (
        schema is None
        or message.type != "record batch"
        or not version
        or struct.unpack_from("<h", data, root + version)[0] != _V5
        or _field(data, root, 4)
        or _field(data, batch, 3)
    ):
        raise InvalidDocument("an Arrow stream of reports has a schema and plain record batches")


def _field(data: bytes, table: int, number: int) -> int:
    """Where a field of a flatbuffer's table stands, from the table's beginning; 0 if nowhere."""
    vtable = table - struct.unpack_from("<i", data, table)[0]
    if 4 + 2 * number >= struct.unpack_from("<H", data, vtable)[0]:
        return 0
    return int(struct.unpack_from("<H", data, vtable + 4 + 2 * number)[0])
