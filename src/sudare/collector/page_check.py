"""Whether a page that somebody serves is the page of this version, file by file.

It says what was served to whoever asked, when they asked. A host can serve others something else.
"""

import posixpath
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import httpx

from sudare.collector.hosted_page import SUMS, collector_of, hosted_files
from sudare.collector.http.pages import NO_PAGES, STATIC
from sudare.device.collector_client import checked_address, unreached
from sudare.errors import CollectorRefused, CollectorUnavailable, ParameterError

_PAGES = {"dashboard": "index.html", "survey": "survey.html", "planner": "plan.html"}
_MOST_BYTES = 1 << 22  # of a file; ours have less than a tenth
_SECONDS = 60.0


class ServedPage(NamedTuple):
    """A page that is served as this version has it.

    Attributes:
        name: ``dashboard``, ``survey``, ``planner`` or ``hosted survey``.
        collector: of a hosted page, the one that it was written for.
        files: what was fetched and compared, by its path beside the page.
    """

    name: str
    collector: str | None
    files: Mapping[str, bytes]


def check_page(address: str, *, insecure: bool = False, built: Path = STATIC) -> ServedPage:
    """Fetch a page and all that it loads, and compare every byte with this version's.

    ``CollectorRefused`` names the first file that is another one.

    Args:
        address: of the page, as a person would open it; what follows a # is not sent.
        insecure: whether plain HTTP may leave this machine.
        built: the folder of the built pages.
    """
    url = checked_address(address, insecure=insecure)
    if not (built / "index.html").is_file():
        raise ParameterError(NO_PAGES)
    with httpx.Client(
        headers={"User-Agent": "sudare", "Accept-Encoding": "identity"},
        timeout=10.0,
        trust_env=url.scheme == "https",
    ) as client:
        html = _fetch(client, url)
        name, collector, files = _known(html, url, built)
        for path, data in files.items():
            beside = url.join(path)
            if _fetch(client, beside) != data:
                raise CollectorRefused(f"{beside} is another file than this version's")
    return ServedPage(name, collector, {posixpath.basename(url.path) or "/": html, **files})


def _known(html: bytes, url: httpx.URL, built: Path) -> tuple[str, str | None, dict[str, bytes]]:
    """Which page of this version an HTML document is, and the files that it loads."""
    for name, file in _PAGES.items():
        if html == (built / file).read_bytes():
            paths = sorted(set(re.findall(r"/static/(assets/[\w.-]+)", html.decode())))
            return name, None, {f"/static/{path}": (built / path).read_bytes() for path in paths}
    collector = collector_of(html)
    try:
        hosted = hosted_files(collector, built) if collector is not None else {}
    except ParameterError:  # what it says of its collector is no origin
        hosted = {}
    if html != hosted.pop("index.html", None):
        raise CollectorRefused(f"{url} is no page of this version, or was changed")
    del hosted[SUMS]  # it may be left out: nothing on the page loads it
    return "hosted survey", collector, hosted


def _fetch(client: httpx.Client, url: httpx.URL) -> bytes:
    """The bytes at an address, of a bearable size and in a bearable time."""
    data, given_up = bytearray(), time.monotonic() + _SECONDS
    try:
        with client.stream("GET", url) as response:
            if response.status_code != 200:
                raise CollectorRefused(f"{url} answered {response.status_code}, not a page")
            for part in response.iter_bytes():
                data += part
                if len(data) > _MOST_BYTES or time.monotonic() > given_up:
                    raise CollectorRefused(f"what {url} sends is too long, or takes too long")
    except (httpx.HTTPError, httpx.StreamError) as error:
        raise CollectorUnavailable(unreached(str(url), error)) from None
    return bytes(data)
