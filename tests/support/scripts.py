"""Modules of papers and of benchmarks, which are no packages: they find each other in a folder."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def paper_module(paper: str, name: str) -> Any:
    """A module of a paper; no two papers have modules of one name, so none hides another."""
    return _module(ROOT / "papers" / paper, name)


def benchmark_module(name: str) -> Any:
    return _module(ROOT / "benchmarks", name)


def _module(folder: Path, name: str) -> Any:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return import_module(name)
