"""Who may import whom, where tests lie, kept by reading the source; and that starting is light."""

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
from sudare.mechanisms import CATEGORICAL, CONTINUAL
from sudare.mechanisms.loloha import Loloha
from sudare.mechanisms.rappor import Rappor

ROOT = Path(sudare.__file__).parent

# A module may import from earlier steps only, and from its own package.
CHAIN = [
    {"errors"},
    {"formats", "installed", "kernels"},
    {"chance", "estimation"},
    {"answers", "mechanisms", "privacy", "twoparty"},
    {"decoding", "laws"},
    {"planning"},
    {"questions"},
    {"collection"},
    {"device", "engines", "simulation"},
    {"discovery", "remote", "results"},
    {"collector"},
    {"demo"},
    {"cli"},
]
STEP = {name: step for step, names in enumerate(CHAIN) for name in names}

# Where a heavy or foreign library may be used, by the beginning of the module's name.
HOMES = {
    "matplotlib": ("results",),
    "numba": ("kernels.",),
    "pyspark": ("engines.spark",),
    "httpx": ("device.collector_client", "collector.page_check", "demo"),
    "starlette": ("collector",),
    "uvicorn": ("collector",),
    "psycopg": ("collector",),
    "nacl": ("twoparty.ciphers",),
    "rbcl": ("twoparty.ciphers",),
    "seal": ("twoparty.ciphers",),
    "segno": ("remote.survey_links",),
    "python_calamine": ("answers.sheet",),
    "mpyc": ("examples",),  # nowhere in the package
    "rich": ("cli", "results"),
    "rich_click": ("cli",),
    "click": ("cli",),
}


# One file each, none of which knows another.
MECHANISMS = {
    cls.__module__.removeprefix("sudare.")
    for cls in {**CATEGORICAL, **CONTINUAL, "": Rappor, "loloha": Loloha}.values()
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
            forbidden = module in MECHANISMS and module != name and name in MECHANISMS
        else:
            forbidden = STEP[step] >= STEP[top] or (top == "engines" and name in MECHANISMS)
        if forbidden:
            found.append(f"{module} imports {target}")
        if name.split(".")[0] in sudare.__all__:
            found.append(f"{module} imports {target} through the front door")
    return found


def sources() -> list[Path]:
    return [
        path for path in sorted(ROOT.rglob("*.py")) if path.parent != ROOT or path.stem[0] != "_"
    ]


@pytest.mark.parametrize("path", sources(), ids=lambda path: module_name(path, ROOT))
def test_arrows_point_one_way(path: Path) -> None:
    package = path.name == "__init__.py"
    assert violations(module_name(path, ROOT), path.read_text(), package=package) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("chance.exact", "from sudare.mechanisms.domain import Categories"),
        ("errors", "import sudare.formats.files"),
        ("chance.channel", "def f():\n    from sudare.mechanisms.aggregate import Aggregate"),
        ("mechanisms.grr", "from sudare.mechanisms.unary import OUE"),
        ("mechanisms.grr", "from sudare.mechanisms import unary"),
        ("mechanisms.grr", "from . import unary"),
        ("mechanisms.grr", "from .unary import OUE"),
        ("mechanisms.grr", "from ..collection import Collection"),
        ("mechanisms.interface", "from sudare import collection"),
        ("engines.local", "from sudare.mechanisms.grr import GRR"),
        (
            "chance.exact",
            "if TYPE_CHECKING:\n    from sudare.mechanisms.interface import Mechanism",
        ),
        ("chance.randomness", "import numba"),
        ("kernels", "from numba import njit"),
        ("cli.estimate", "import matplotlib.pyplot"),
        ("engines.local", "from pyspark.sql import DataFrame"),
        ("device.device", "from starlette.applications import Starlette"),
        ("estimation.estimate", "import rich.table"),
        ("utils", ""),
    ],
)
def test_a_planted_arrow_is_found(module: str, source: str) -> None:
    assert violations(module, source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("mechanisms.grr", "from sudare.mechanisms.interface import Mechanism\nimport numpy as np"),
        ("mechanisms", "from sudare.mechanisms.grr import GRR"),
        ("kernels.coins", "from sudare.kernels.compiler import compiled\nimport numba"),
        ("engines.local", "from sudare.mechanisms.aggregate import Aggregate"),
        ("cli.demo", "from sudare.cli.shared.options import PATH\nimport rich"),
        ("results.figures", "import matplotlib"),
    ],
)
def test_a_rightful_arrow_is_left_alone(module: str, source: str) -> None:
    assert violations(module, source, package=module == "mechanisms") == []


TERMINAL = "cli.shared.terminal"


def printing(source: str) -> list[str]:
    """The calls and names in a module by which text would reach a terminal."""
    names = {"print", "click.echo", "click.secho", "rich.print", "Console", "rich.console.Console"}
    found = [
        ast.unparse(node.func)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and (
            ast.unparse(node.func) in names
            or re.search(r"\b(stdout|stderr)\.write\b", ast.unparse(node.func))
            or ast.unparse(node.func).endswith(("logging.basicConfig", ".StreamHandler"))
        )
    ]
    return sorted(found)


@pytest.mark.parametrize("path", sources(), ids=lambda path: module_name(path, ROOT))
def test_one_module_prints(path: Path) -> None:
    """Text of strangers is made visible there, so that none of it commands a terminal."""
    printed = printing(path.read_text())
    assert bool(printed) == (module_name(path, ROOT) == TERMINAL), printed


@pytest.mark.parametrize(
    "source",
    [
        "print(name)",
        "click.echo(name, err=True)",
        "from rich.console import Console\nConsole().print(name)",
        "sys.stderr.write(name)",
        "logging.basicConfig()",
    ],
)
def test_planted_printing_is_found(source: str) -> None:
    assert printing(source)


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many lines a function has below its parameters and its docstring."""
    described = ast.get_docstring(function) is not None and len(function.body) > 1
    return (function.end_lineno or 0) - function.body[described].lineno + 1


def test_a_module_is_one_thought_and_a_function_fits_a_screen() -> None:
    long = []
    for path in sources():
        tree = ast.parse(path.read_text())
        if len(path.read_text().splitlines()) > 800:
            long.append(path.name)
        long += [
            f"{path.name}: {node.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and body_lines(node) > 60
        ]
    assert long == []


def test_no_folder_has_more_than_20_modules() -> None:
    folders = {path.parent for path in sources()}
    crowded = [folder.name for folder in folders if len(list(folder.glob("*.py"))) > 20]
    assert crowded == []


def folders() -> list[Path]:
    return sorted({path.parent for path in sources()} - {ROOT})


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: module_name(folder, ROOT))
def test_each_folder_says_what_is_in_it(folder: Path) -> None:
    """Every module and every folder once, and nothing else."""
    described = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    named = [
        name
        for names in re.findall(r"^((?:``\w+``[,:]\s+)+)", described, re.MULTILINE)
        for name in re.findall(r"``(\w+)``", names)
    ]
    there = [path.stem for path in folder.iterdir() if path.suffix == ".py" and path.stem[0] != "_"]
    there += [path.parent.name for path in folder.glob("*/__init__.py")]
    assert sorted(named) == sorted(there)


TESTS = Path(__file__).parent
APART = {"docs", "golden", "support", "web"}  # of tests/, and not folders of the package


def misplaced(tests: Path, package: Path) -> list[str]:
    """Where tests and package differ: folders of one only, and tests that belong further down.

    A test named after a module lies in that module's folder. Where several folders below have a
    module of the name, it may be a test of all of them.
    """
    files = [path.relative_to(tests) for path in sorted(tests.rglob("test_*.py"))]
    files = [path for path in files if path.parts[0] not in APART]
    modules = [path.relative_to(package) for path in package.rglob("*.py")]
    tested = {folder for path in files for folder in path.parents}
    there = {folder for path in modules for folder in path.parents}
    found = [f"{folder} is no folder of the package" for folder in sorted(tested - there)]
    found += [f"{folder} has no tests" for folder in sorted(there - tested)]
    for path in files:
        name = path.name.removeprefix("test_")
        homes = {module.parent for module in modules if module.name == name}
        below = [home for home in homes if path.parent in home.parents]
        if path.parent not in homes and len(below) == 1:
            found.append(f"{path} belongs in {below[0]}")
    return found


def test_tests_have_the_folders_of_the_package() -> None:
    assert misplaced(TESTS, ROOT) == []


@pytest.mark.parametrize(
    ("tests", "found"),
    [
        (["a/test_x.py", "a/b/test_y.py", "test_all.py", "web/test_web.py"], []),
        (["a/test_several.py", "a/b/test_y.py", "a/b/test_other.py"], []),
        (["a/test_x.py"], ["a/b has no tests"]),
        (["a/test_x.py", "a/b/helper.py"], ["a/b has no tests"]),
        (["a/b/test_y.py", "c/test_z.py"], ["c is no folder of the package"]),
        (["a/b/test_y.py", "a/b/c/test_z.py"], ["a/b/c is no folder of the package"]),
        (["a/test_y.py", "a/b/test_z.py"], ["a/test_y.py belongs in a/b"]),
        (["a/b/test_y.py", "test_x.py"], ["test_x.py belongs in a"]),
    ],
)
def test_a_planted_test_is_found(tests: list[str], found: list[str], tmp_path: Path) -> None:
    modules = [f"src/{name}" for name in ("a/__init__.py", "a/x.py", "a/b/__init__.py", "a/b/y.py")]
    for name in [*modules, *(f"tests/{test}" for test in tests)]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert misplaced(tmp_path / "tests", tmp_path / "src") == found


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
