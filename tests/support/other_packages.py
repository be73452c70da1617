"""Packages of others, installed for a test: as pip would leave them, without pip or a network."""

import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.pages import ROOT

TEMPLATE = ROOT / "examples" / "dice_ldp"
SOURCE = (TEMPLATE / "dice_ldp.py").read_text("utf-8")
PROJECT = tomllib.loads((TEMPLATE / "pyproject.toml").read_text("utf-8"))["project"]
GROUP = "sudare.mechanisms"


def changed(*changes: tuple[str, str]) -> str:
    """The template's module with some words replaced, each of which must be there."""
    source = SOURCE
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return source


def install(
    folder: Path,
    patch: pytest.MonkeyPatch,
    source: str = SOURCE,
    *,
    package: str = "dice-ldp",
    module: str = "dice_ldp",
    entries: Mapping[str, str] | None = None,
) -> Path:
    """Put a package where Python finds it until the test ends; the folder it is in."""
    made = folder / package
    offered = PROJECT["entry-points"][GROUP] if entries is None else entries
    info = made / f"{package.replace('-', '_')}-{PROJECT['version']}.dist-info"
    info.mkdir(parents=True)
    (made / f"{module}.py").write_text(source, "utf-8")
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: {PROJECT['version']}\n", "utf-8"
    )
    lines = [f"[{GROUP}]", *(f"{name} = {target}" for name, target in offered.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
    patch.syspath_prepend(made)
    patch.setattr(sys, "dont_write_bytecode", True)  # two variants in one second look alike
    patch.delitem(sys.modules, module, raising=False)
    return made
