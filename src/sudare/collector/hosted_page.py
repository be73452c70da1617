"""The survey page as a folder that any web server can serve, for one collector.

Whoever serves a page supplies the program that randomises. So that this need not be the collector,
the built page is written with addresses relative to itself, and the collector's in its head. The
same version writes the same bytes for the same collector: anybody can compare them.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from sudare.collector.http.origins import check_origin
from sudare.collector.http.pages import NO_PAGES, STATIC, import_map_source
from sudare.errors import ParameterError

SUMS = "SHA256SUMS"
_CHARSET = b'<meta charset="utf-8" />\n'
_COLLECTOR = re.compile(rb'<meta name="sudare-collector" content="([^"]*)" />')


def hosted_files(collector: str, built: Path = STATIC) -> dict[str, bytes]:
    """Every file of the folder, by its path there; the last has the SHA-256 digests of the others.

    Args:
        collector: the origin of the one that gets the reports, such as https://stats.example.org.
        built: the folder of the built pages.
    """
    survey = built / "survey.html"
    if not survey.is_file():
        raise ParameterError(NO_PAGES)
    html = survey.read_bytes()
    named = sorted(set(re.findall(rb"/static/(assets/[\w.-]+)", html)))
    files = {"index.html": _hosted(html, check_origin(collector))}
    files |= {path.decode(): (built / path.decode()).read_bytes() for path in named}
    return {**files, SUMS: sums(files)}


def collector_of(html: bytes) -> str | None:
    """The origin that a hosted page was written for; None if it is no such page."""
    found = _COLLECTOR.search(html)
    return found[1].decode("utf-8", "replace") if found else None


def sums(files: Mapping[str, bytes]) -> bytes:
    """The SHA-256 digests of files, as ``sha256sum -c`` reads them."""
    lines = [f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in files.items()]
    return "".join(lines).encode()


def _hosted(html: bytes, collector: str) -> bytes:
    html = html.replace(b"/static/", b"./")
    policy = (
        f"default-src 'none'; script-src 'self' {import_map_source(html)}; style-src 'self'; "
        f"img-src data:; connect-src {collector}; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'    <meta http-equiv="Content-Security-Policy" content="{policy}" />\n'
        f'    <meta name="referrer" content="no-referrer" />\n'
        f'    <meta name="sudare-collector" content="{collector}" />\n'
    )
    before, charset, after = html.partition(
        _CHARSET
    )  # the charset stands first: the rest is read by it
    return before + charset + head.encode() + after
