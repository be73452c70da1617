"""Texts are drawn as far as fonts can, and files are what their suffix says."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from sudare import GRR, OUE, Estimate, Seeded
from sudare.errors import ParameterError
from sudare.results import figures
from sudare.results.figures import frame
from sudare.simulation.comparison import error_curves
from support.figures import names_of
from support.tools import JAPANESE_FONT

TEAS = ("お〜いお茶", "伊右衛門", "綾鷹", "生茶", "明大茶")


@pytest.fixture
def fresh_fonts() -> Iterator[None]:
    yield
    frame.family.cache_clear()
    frame._drawable.cache_clear()


def shares_of(names: Sequence[str]) -> Estimate:
    """The same share for each of these."""
    shares = np.full(len(names), 1 / len(names))
    return Estimate(1000, shares, shares / 10, 0 * shares, tuple(names))


def test_japanese_names_are_drawn(tmp_path: Path) -> None:
    JAPANESE_FONT.path()
    figure = figures.estimate_figure(shares_of(TEAS), title="お茶")
    assert names_of(figure) == list(TEAS)
    for suffix in ("png", "svg", "pdf"):  # a glyph that is missing would warn
        figures.save(figure, tmp_path / f"teas.{suffix}")


@pytest.mark.usefixtures("fresh_fonts")
def test_without_a_japanese_font_nothing_warns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(frame, "_JAPANESE", ())
    frame.family.cache_clear()
    frame._drawable.cache_clear()
    figure = figures.estimate_figure(shares_of((*TEAS[:4], "tea")), title="お茶 tea")
    assert names_of(figure) == ["0", "1", "2", "3", "tea"]
    assert figure.get_suptitle() == "?? tea"
    figures.save(figure, tmp_path / "teas.png")


def test_names_are_text_not_mathematics(tmp_path: Path) -> None:
    hard = ("$5 to $x^{", "a\tb\nc", "x" * 99, "\U0001f375\x00")
    figure = figures.estimate_figure(shares_of(hard), title="$5", level=0.99)
    assert names_of(figure) == ["$5 to $x^{", "a b c", "x" * 39 + "…", "3"]
    figures.save(figure, tmp_path / "hard.svg")


@pytest.mark.parametrize(
    ("suffix", "signature"),
    [("png", rb"\x89PNG\r\n"), ("svg", rb"<\?xml"), ("pdf", rb"%PDF-"), ("PNG", rb"\x89PNG")],
)
def test_a_file_is_what_its_suffix_says_and_repeats(
    suffix: str, signature: bytes, tmp_path: Path
) -> None:
    first, second = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    for path in (first, second):
        curves = error_curves([GRR, OUE], [9, 5, 2], [0.5, 1.0, 2.0], 10, Seeded(1))
        figures.save(figures.error_figure(curves, title="twice"), path)
    assert re.match(signature, first.read_bytes())
    assert first.read_bytes() == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first, second]


@pytest.mark.parametrize("name", ["plot.gif", "plot", "plot.html"])
def test_another_suffix_is_refused_and_nothing_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"saved as \.png, \.svg, \.pdf; got .*plot"):
        figures.save(figures.error_figure([]), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(_: Figure, path: Path, **_options: object) -> None:
        path.write_text("half")
        raise OSError("no space left")

    path = tmp_path / "plot.svg"
    path.write_text("old")
    monkeypatch.setattr(Figure, "savefig", full)
    with pytest.raises(OSError, match="no space"):
        figures.save(figures.error_figure([]), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
