"""The reference of the pages' digests, written from the built files.

``python tests/page_digests.py`` writes ``docs/reference/page-digests.md`` anew (as ``make web``
does); a test compares them.
"""

import hashlib
from importlib.metadata import version
from pathlib import Path

from sudare.collector.hosted_page import hosted_files
from sudare.collector.http.pages import STATIC

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "page-digests.md"
EXAMPLE = "https://stats.example.org"

HEAD = """\
# Digests of the pages

The SHA-256 digest of every file that a collector of version {version} sends to a browser. This page
is written from the built files by `make web`, and a test fails when the two differ. Another one
builds them from their source and compares every byte.

Compare what a collector serves with this list, or let a command do it:

```text
curl -s https://stats.example.org/s/KEY | sha256sum
sudare page check https://stats.example.org/s/KEY
```

A page names the digests of all that it loads: scripts and styles by `integrity`, the words of each
language by the `integrity` of an import map. A browser that knows both runs nothing else, so that
the digest of the page stands for all of it. Browsers that don't know the second (Chromium before
127, Safari before 18, Firefox before 138) load the words unchecked; the list has them, too.

Either way it shows what was served to you, then. A host can serve somebody else another page: see
[where the guarantee ends](../explanation/known-limits.md#whose-program-a-browser-runs).
"""
TAIL = """\
A survey page that [somebody else hosts](../how-to/host-the-survey-page.md) has the same scripts and
styles. Its `index.html` names its collector, and so its digest depends on that. Anybody can compute
it: the same version writes the same bytes for the same collector. For `{example}` it is
`{digest}`.
"""


def digest(data: bytes) -> str:
    """The SHA-256 digest of bytes, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def text() -> str:
    """The page, as it should be."""
    places = {
        "index.html": "`/`, the dashboard",
        "survey.html": "`/s/KEY`, a survey page",
        "plan.html": "`/plan`, the planner",
    }
    assets = sorted(STATIC.glob("assets/*"))
    rows = [(place, STATIC / name) for name, place in places.items()]
    rows += [(f"`/static/assets/{path.name}`", path) for path in assets]
    table = ["| served at | SHA-256 |", "| --- | --- |"]
    table += [f"| {place} | `{digest(path.read_bytes())}` |" for place, path in rows]
    hosted = digest(hosted_files(EXAMPLE)["index.html"])
    head = HEAD.format(version=version("sudare"))
    return "\n".join([head, *table, "", TAIL.format(example=EXAMPLE, digest=hosted)])


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
