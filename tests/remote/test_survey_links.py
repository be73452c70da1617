"""Links as the survey page reads them, and their codes."""

import io
import struct
import zlib

import pytest

from sudare.errors import ParameterError
from sudare.remote.survey_links import linked, png_code, survey_link, terminal_code

KEY, INVITATION = "ab" * 32, "0123456789abcdef" * 2


def test_what_is_secret_stands_behind_the_hash() -> None:
    link = linked("https://stats.example.org")(KEY, INVITATION)
    assert link == f"https://stats.example.org/s/{KEY}#invitation={INVITATION}"
    elsewhere = linked("http://127.0.0.1:8000", "https://stats.example.org/")(KEY, INVITATION)
    assert elsewhere == link
    hosted = linked("http://127.0.0.1:8000", page="https://survey.example.org/a/")
    assert hosted(KEY, INVITATION) == (
        f"https://survey.example.org/a/#key={KEY}&invitation={INVITATION}"
    )
    assert survey_link("https://stats.example.org", KEY) == f"https://stats.example.org/s/{KEY}"


def test_only_one_address_can_be_right() -> None:
    with pytest.raises(ParameterError, match="leave --public-address out"):
        linked("https://a.example", "https://b.example", "https://c.example")
    with pytest.raises(ParameterError, match="plain HTTP"):
        linked("https://a.example", "http://b.example")


def _pixels(png: bytes) -> list[list[bool]]:
    """A greyscale picture of one bit, whose lines are not filtered: whether each pixel is dark."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    stream, chunks = io.BytesIO(png[8:]), dict[bytes, bytes]()
    while head := stream.read(8):
        length, kind = struct.unpack(">I4s", head)
        chunks[kind] = chunks.get(kind, b"") + stream.read(length)
        stream.read(4)
    width, height, depth = struct.unpack(">IIB", chunks[b"IHDR"][:9])
    assert depth == 1
    data, size = zlib.decompress(chunks[b"IDAT"]), 1 + (width + 7) // 8
    lines = [data[row * size + 1 : (row + 1) * size] for row in range(height)]
    return [[not line[x // 8] >> (7 - x % 8) & 1 for x in range(width)] for line in lines]


def test_the_picture_and_the_terminal_show_the_same_code() -> None:
    link = linked("https://stats.example.org")(KEY, INVITATION)
    drawn = terminal_code(link).splitlines()
    pixels = _pixels(png_code(link))
    side = len(drawn[0])
    scale = len(pixels) // side
    dark = [[row[x * scale] for x in range(side)] for row in pixels[::scale]]
    halves = [[character in half for character in line] for line in drawn for half in ("▄ ", "▀ ")]
    assert halves[:side] == dark
    assert any(map(any, dark))
    assert not any(map(any, dark[:4]))  # the white border, without which nothing is found
    assert terminal_code(link + "0") != terminal_code(link)
