"""Files that an earlier version made, and what it said of them: ``golden/before``.

``expected.json`` holds steps: a command with what it said, or a request to a collector with its
answer. ``make_before.py`` wrote them down; tests take them again and compare.
"""

import math
import signal
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from support.commands import process, run

FOLDER = Path(__file__).parents[1] / "golden" / "before"
Step = dict[str, Any]
"""What is done (``run`` or ``ask``), what came of it, and the names of what chance decides."""

_NEAR = 1e-6  # relative: another processor adds up in another order
_ZERO = 1e-9


@contextmanager
def served(store: Path, *options: object) -> Iterator[httpx.Client]:
    """A client of a collector on a store, which is told to stop in the end."""
    command = ("serve", *options, "--store", store, "--port", 0, "--json")
    with process(store.parent, *command, stdin=None, stderr=None) as collector:
        assert collector.stdout is not None
        try:
            address = msgspec.json.decode(collector.stdout.readline())["address"]
            with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
                yield client
        finally:
            collector.send_signal(signal.SIGTERM)


def address_of(collector: httpx.Client) -> str:
    """Where a collector listens."""
    return str(collector.base_url).rstrip("/")


def moved(device: Path, address: str) -> None:
    """A collector has a free port, and so another address than the reports that wait for it."""
    with closing(sqlite3.connect(device / "outbox.db")) as base, base:
        base.execute("UPDATE waiting SET address = ?", (address,))


def run_again(step: Step, folder: Path, address: str = "") -> Step:
    """A command's step again: its exit code, and the JSON or the sentence that it says."""
    again = " --again" * step["run"].startswith("device answer")  # each was answered before
    done = run(folder, *(step["run"] + again).replace("{address}", address).split())
    return {**step, "code": done.code, "says": done.err if done.code else done.json()}


def ask_again(step: Step, collector: httpx.Client, tokens: Mapping[str, str]) -> Step:
    """A request's step again: its status, and the JSON or the text of its answer."""
    method, path = step["ask"].split()
    headers = {"Content-Type": step["type"]} if "type" in step else {}
    if "as" in step:
        headers["Authorization"] = f"Bearer {tokens[step['as']]}"
    if "invitation" in step:
        headers["Sudare-Invitation"] = step["invitation"]
    content = bytes.fromhex(step.get("body", ""))
    answer = collector.request(method, path, headers=headers, content=content)
    is_json = answer.headers.get("content-type") == "application/json"
    return {**step, "status": answer.status_code, "says": answer.json() if is_json else answer.text}


def take(step: Step, folder: Path, collector: httpx.Client, tokens: Mapping[str, str]) -> Step:
    """A step again, whichever it is."""
    if "ask" in step:
        return ask_again(step, collector, tokens)
    return run_again(step, folder, address_of(collector))


_SKEWED_SINCE = 1.2
"""Times as large as it was the smallest share found may be: few reports are skewed."""
_SAID_SINCE = {"changes", "change_shows"}  # of `sudare epsilon`, where noise is kept


def assert_same(found: Step, expected: Step) -> None:
    """What is said is what was said, but for what chance decides and the last digits of sums."""
    named = {**expected, "says": _named_anew(expected["says"])}
    if "any more" in str(expected["says"]) and "was answered already" in str(found["says"]):
        named["says"] = found["says"]  # the same refusal, in the words of the survey page
    differing = list(_differing(found, named, frozenset(expected.get("chance", ())), ""))
    assert not differing, "\n".join(differing)


def _named_anew(said: Any) -> Any:
    """What was said before, with the names that fields have got since."""
    if isinstance(said, list):
        return [_named_anew(each) for each in said]
    if isinstance(said, str):
        return said.replace("there are 1 reports", "there is 1 report")
    if not isinstance(said, dict):
        return said
    names = {"estimate": "share"}
    if "adjusted" in said:
        names |= {"p_value": "p_value_alone", "adjusted": "p_value"}
    if "confidence" in said:
        names |= {"level": "false_discoveries", "confidence": "level"}
    return {names.get(name, name): _named_anew(value) for name, value in said.items()}


def _differing(found: Any, expected: Any, chance: frozenset[str], place: str) -> Iterator[str]:
    """Where two values differ, and how."""
    if place.endswith("/smallest_detectable"):
        near = (1 - _NEAR) * expected <= found <= _SKEWED_SINCE * expected
    elif isinstance(found, float) and isinstance(expected, float):
        near = math.isclose(found, expected, rel_tol=_NEAR, abs_tol=_ZERO)
    elif isinstance(found, dict) and isinstance(expected, dict):
        near = found.keys() - _SAID_SINCE == expected.keys()
        for name in (found.keys() & expected.keys()) - chance:
            yield from _differing(found[name], expected[name], chance, f"{place}/{name}")
    elif isinstance(found, list) and isinstance(expected, list):
        near = len(found) == len(expected)
        for number, pair in enumerate(zip(found, expected, strict=False)):
            yield from _differing(*pair, chance, f"{place}/{number}")
    else:
        near = type(found) is type(expected) and found == expected
    if not near:
        yield f"{place}: {found!r}, before {expected!r}"


def rows(path: Path) -> pa.Table:
    """The reports of a file, with the collection's key that it names."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return pa.ipc.open_stream(path.read_bytes()).read_all()
