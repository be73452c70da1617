"""Who may import whom, kept by reading the source; and that starting is light."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import sudare

ROOT = Path(sudare.__file__).parent

# A module may import from earlier steps only, and from its own package.
CHAIN = [
    {"errors", "amounts", "rows"},
    {"kernels", "domain", "files", "documents"},
    {"keystream", "strings", "sealed", "states", "windows"},
    {"randomness", "bloom", "packed", "lines"},
    {"exact", "populations", "dealing"},
    {"channel", "aggregate", "estimate", "wire"},
    {"named"},
    {"bounds"},
    {"estimation"},
    {"mechanism", "twoparty"},
    {"continual"},
    {"repeated"},
    {"mechanisms"},
    {"collection", "comparison", "scenarios", "absorption"},
    {"experiments"},
    {"decoding", "likelihoods"},
    {"likelihood_decoding", "association"},
    {"privacy"},
    {"client", "shelf", "moments", "sent"},
    {"outbox"},
    {"engines", "planner", "stream_planner", "device", "plots", "page", "live", "crowd"},
    {"discovery", "participant", "analysis", "stream_analysis", "text_analysis"},
    {"collector"},
    {"demo"},
    {"cli"},
    {"__main__"},
]
STEP = {name: step for step, names in enumerate(CHAIN) for name in names}

# Where a heavy or foreign library may be used, by the beginning of the module's name.
HOMES = {
    "matplotlib": ("plots",),
    "numba": ("kernels.",),
    "pyspark": ("engines.spark",),
    "httpx": ("client", "demo"),
    "starlette": ("collector",),
    "uvicorn": ("collector",),
    "psycopg": ("collector",),
    "nacl": ("twoparty.cipher",),
    "rbcl": ("twoparty.cipher",),
    "seal": ("twoparty.cipher",),
    "mpyc": ("twoparty.sharing",),
    "rich": ("cli",),
    "rich_click": ("cli",),
    "click": ("cli",),
}


def module_name(path: Path, root: Path) -> str:
    """``mechanisms.grr`` for mechanisms/grr.py; a package's own name for its __init__."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports(source: str, module: str, *, package: bool) -> Iterator[str]:
    """Every module that a source imports anywhere, also lazily and for types, absolutely."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = ["sudare", *module.split(".")]
            base = home[: len(home) - node.level + package] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield origin
            # `from sudare import x` and `from sudare.mechanisms import grr` may name modules.
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def violations(module: str, source: str, *, package: bool = False) -> list[str]:
    """The arrows of one module that point the wrong way."""
    top = module.split(".", maxsplit=1)[0]
    if top not in STEP:
        return [f"{module} has no place in the chain"]
    found = []
    for target in imports(source, module, package=package):
        library, _, name = target.partition(".")
        if library != "sudare":
            homes = HOMES.get(library)
            if homes and not module.startswith(homes):
                found.append(f"{module} imports {library}")
            continue
        step = name.split(".")[0]
        if step not in STEP:
            continue  # the package itself: what is taken from it is judged by its full name
        if step == top:
            forbidden = top == "mechanisms" and module not in {"mechanisms", name}
        else:
            forbidden = STEP[step] >= STEP[top] or (top == "engines" and step == "mechanisms")
        if forbidden:
            found.append(f"{module} imports {target}")
        if name.split(".")[0] in sudare.__all__:
            found.append(f"{module} imports {target} through the front door")
    return found


def sources() -> list[Path]:
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


@pytest.mark.parametrize("path", sources(), ids=lambda path: module_name(path, ROOT))
def test_arrows_point_one_way(path: Path) -> None:
    package = path.name == "__init__.py"
    assert violations(module_name(path, ROOT), path.read_text(), package=package) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("randomness", "from sudare.exact import dyadic"),
        ("errors", "import sudare.domain"),
        ("channel", "def f():\n    from sudare.aggregate import Aggregate"),
        ("mechanisms.grr", "from sudare.mechanisms.unary import OUE"),
        ("mechanisms.grr", "from sudare.mechanisms import unary"),
        ("mechanisms.grr", "from . import unary"),
        ("mechanisms.grr", "from .unary import OUE"),
        ("mechanisms.grr", "from ..collection import Collection"),
        ("mechanism", "from sudare import collection"),
        ("engines.local", "from sudare.mechanisms.grr import GRR"),
        ("domain", "if TYPE_CHECKING:\n    from sudare.mechanism import Mechanism"),
        ("randomness", "import numba"),
        ("kernels", "from numba import njit"),
        ("cli.estimate", "import matplotlib.pyplot"),
        ("engines.local", "from pyspark.sql import DataFrame"),
        ("device", "from starlette.applications import Starlette"),
        ("estimate", "import rich.table"),
        ("utils", ""),
    ],
)
def test_a_planted_arrow_is_found(module: str, source: str) -> None:
    assert violations(module, source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("mechanisms.grr", "from sudare.mechanism import Mechanism\nimport numpy as np"),
        ("mechanisms", "from sudare.mechanisms.grr import GRR"),
        ("kernels.coins", "from sudare.kernels.compiler import compiled\nimport numba"),
        ("engines.local", "from sudare.aggregate import Aggregate"),
        ("cli.demo", "from sudare.cli.options import PATH\nimport rich"),
        ("plots", "import matplotlib"),
    ],
)
def test_a_rightful_arrow_is_left_alone(module: str, source: str) -> None:
    assert violations(module, source, package=module == "mechanisms") == []


def test_no_module_is_longer_than_300_lines() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in sources()}
    assert {name: length for name, length in lengths.items() if length > 300} == {}


def test_the_collectors_map_names_each_of_its_modules_once() -> None:
    folder = ROOT / "collector"
    mapped = re.findall(r"``(\w+)``", import_module("sudare.collector").__doc__ or "")
    assert sorted(mapped) == sorted(path.stem for path in folder.glob("[!_]*.py"))


def test_the_public_names_are_sorted_there_and_lazy() -> None:
    assert sorted(sudare.__all__, key=_ruffs_order) == sudare.__all__
    assert set(sudare.__all__) == sudare._HOMES.keys()
    for name in sudare.__all__:
        assert getattr(sudare, name).__name__ == name
        assert getattr(sudare, name) is getattr(import_module(sudare._HOMES[name]), name)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = sudare.Nothing


def _ruffs_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions, each by name."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


HEAVY = ("numpy", "scipy", "numba", "pyarrow", "matplotlib", "cryptography")


@pytest.mark.parametrize("module", ["sudare", "sudare.cli", "sudare.errors"])
def test_starting_imports_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, env=os.environ
    )
    assert done.stdout.split() == []
