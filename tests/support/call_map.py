"""Which tests call which functions of the package, noted by tracing them once.

``support.noted_tests`` notes what each test calls, in all its threads. The processes that it
starts note it here: they find ``CHILD`` in a ``sitecustomize`` on their path. The notes are lines
of JSON in the folder that ``SUDARE_CALLS`` names.
"""

import json
import os
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

FOLDER = "SUDARE_CALLS"
CHILD = "from support.call_map import note_of_child\nnote_of_child()\n"
_PACKAGE = f"{os.sep}sudare{os.sep}"


class Noted:
    """The functions called since the last ``start``, each as its file and its name."""

    def __init__(self) -> None:
        self.calls: set[tuple[str, str]] = set()
        self._names: dict[CodeType, tuple[str, str] | None] = {}

    def trace(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; no line of it is traced."""
        code = frame.f_code
        try:
            name = self._names[code]
        except KeyError:
            name = self._names[code] = _name(code)
        if name is not None and name not in self.calls and event == "call":
            self.noted(name)

    def noted(self, name: tuple[str, str]) -> None:
        """Note a function that was not called before."""
        self.calls.add(name)

    def begin(self) -> None:
        """Trace this thread, and all that are started from now on."""
        threading.settrace(self.trace)
        sys.settrace(self.trace)

    @staticmethod
    def end() -> None:
        """Trace nothing any more."""
        threading.settrace(None)
        sys.settrace(None)


class NotedByChild(Noted):
    """Those of a process that may be killed at any time: each is written down at once."""

    def __init__(self, test: str, folder: Path) -> None:
        super().__init__()
        self._test = test
        self._file = (folder / f"child-{os.getpid()}.jsonl").open("a", encoding="utf-8")

    def noted(self, name: tuple[str, str]) -> None:
        super().noted(name)
        line = {"test": self._test, "calls": [name]}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()


def _name(code: CodeType) -> tuple[str, str] | None:
    """The file in the package and the outermost function that some code is of."""
    _, found, file = code.co_filename.rpartition(_PACKAGE)
    if not found or code.co_name == "<module>":
        return None
    return file.replace(os.sep, "/"), code.co_qualname.split(".<locals>")[0]


def note_of_child() -> None:
    """Note what a process calls that a test has started."""
    test, folder = os.environ.get("PYTEST_CURRENT_TEST"), os.environ.get(FOLDER)
    if test and folder:
        NotedByChild(test.rpartition(" (")[0], Path(folder)).begin()
