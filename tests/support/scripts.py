"""Modules of papers. A paper is no package: its modules find each other in its folder."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

PAPERS = Path(__file__).parents[2] / "papers"


def paper_module(paper: str, name: str) -> Any:
    """A module of a paper; no two papers have modules of one name, so none hides another."""
    folder = str(PAPERS / paper)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return import_module(name)
