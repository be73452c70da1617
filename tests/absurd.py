"""Absurd values for every option and argument of every command: ``python tests/absurd.py``.

All of them take half an hour; ``--command simulate`` takes those of a command. The tests take a
share. What is found is printed at once; the last line is a JSON object, and the code is 1 if
anything was.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from fuzz import ended_in
from support.absurd import Try, problem, sound_folder, tries

PATIENCE = 60  # seconds for one call, on a machine that does much else


def findings(chosen: Iterable[Try], parent: Path) -> Iterator[tuple[str, str]]:
    """Each call that something is wrong with, and what it is."""
    with sound_folder(parent) as (folder, filled):
        for one in chosen:
            try:
                with ended_in(PATIENCE):
                    wrong = problem(one, folder, filled)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
                wrong = f"{type(error).__name__}: {error}"
            if wrong is not None:
                yield str(one), wrong


def main() -> None:
    """Try all values, or those of some commands; the code is 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", action="append", help="may be repeated (all)")
    wanted = tuple(parser.parse_args().command or [""])
    chosen = [one for one in tries() if one.command.startswith(wanted)]
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        for call, wrong in findings(chosen, Path(folder)):
            found += 1
            print(f"{call}: {wrong}", flush=True)  # noqa: T201 - what was asked for
    print(json.dumps({"tried": len(chosen), "findings": found}))  # noqa: T201 - likewise
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
