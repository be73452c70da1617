"""What is printed, whatever a command forgot: no text in it commands the terminal."""

import io

import pytest
import rich_click as click
from rich.table import Table
from rich.text import Text

from sudare.cli.shared.terminal import put_json, put_lines, put_table, say, show_mistake
from support.strangers import ALL, TEXTS, assert_harmless, commands


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "3000")


def raw() -> Table:
    """A table whose maker thought of nothing."""
    table = Table(ALL, title=ALL, caption=Text(ALL))
    table.add_row(ALL)
    table.add_row(Text(ALL, style="red"))
    return table


@pytest.mark.parametrize("coloured", [False, True], ids=["plain", "coloured"])
def test_a_table_of_raw_texts(coloured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if coloured:
        monkeypatch.setenv("FORCE_COLOR", "1")
    target = io.StringIO()
    put_table(raw(), target)
    shown = target.getvalue()
    # Ends of lines are known where cells are made: here only commands can be found.
    ours = {"U+001B"} if coloured else set()
    assert commands(shown) <= ours
    assert "\x1b[8m" not in shown
    assert "\x1b[2K" not in shown
    assert "[bold red]tea[/]" in shown
    assert ("\x1b[31m" in shown) == coloured


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_sentence_is_a_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    say(f"name: {text}")
    say(f"name: {text}", err=True)
    told = capsys.readouterr()
    for stream in told:
        assert_harmless(stream)
        assert stream.count("\n") == 1


def test_lines_and_documents(capsys: pytest.CaptureFixture[str]) -> None:
    put_lines("a\x1b[2K\nb\u202e\n")
    put_json(b'{"a": "\xc2\x9b\xe2\x80\xae"}\n')
    assert capsys.readouterr().out == 'a<U+001B>[2K\nb<U+202E>\n{"a": "\\u009b\\u202e"}\n'


def test_a_wrong_call_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    choice = click.Option(["--role"], type=click.Choice(["admin", "relay"]))
    for error in (
        click.UsageError(ALL),
        click.NoSuchOption(ALL),
        click.BadParameter(ALL),
        click.FileError(ALL, ALL),
        click.MissingParameter(param=choice),
    ):
        show_mistake(error)
        said = capsys.readouterr().err
        assert_harmless(said)
        assert said.count("\n") == 1
    assert "Choose from: admin, relay" in said
