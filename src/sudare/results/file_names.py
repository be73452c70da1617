"""Names of files that people download: the study's name, and the day or hour of its window.

The dashboard names what it makes itself by the same rule (web/src/dashboard/file_name.ts), and
tests/golden/file_names.json holds both to it.
"""

import time
import unicodedata
from urllib.parse import quote

from sudare.collection.document import Collection

_LONGEST = 60  # characters of a study's name
_DAY, _MINUTE = 86_400, 60


def file_stem(collection: Collection, window: int | str, now: float) -> str:
    """The name of a file without its ending: ``tea-2026-11-18``, ``tea-2026-11-18T0900Z``.

    Args:
        collection: what the file is about.
        window: its number, or ``all``.
        now: seconds since 1970; the day of what is of no single window.
    """
    study = _words(collection.name) or collection.key[:12]
    if window == "all":
        return f"{study}-all-{_day(now)}"
    if collection.windows is None:
        return f"{study}-{_day(now)}"
    start, seconds = collection.windows.opens(int(window)), collection.windows.seconds
    if start % _DAY == seconds % _DAY == 0:
        return f"{study}-{_day(start)}"
    exact = "%H%MZ" if start % _MINUTE == seconds % _MINUTE == 0 else "%H%M%SZ"
    return f"{study}-{_day(start)}T{time.strftime(exact, time.gmtime(start))}"


def attachment(name: str) -> str:
    """The ``Content-Disposition`` of a file of this name, in any script."""
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def _words(name: str) -> str:
    """A text's letters and digits, of any script, with a hyphen for all between them."""
    letters = (letter if unicodedata.category(letter)[0] in "LMN" else " " for letter in name)
    return "-".join("".join(letters).split())[:_LONGEST].strip("-")
