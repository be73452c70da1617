"""The reference of the command line, written from the commands' own help.

``python tests/cli_page.py`` writes ``docs/reference/cli.md`` anew; a test compares them.
"""

import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from sudare.cli import cli

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "cli.md"

HEAD = """\
# The command line

What `--help` says, command by command. This page is written from the commands themselves by
`python tests/cli_page.py`; a test fails when the two differ.

Every command ends with exit code 0 if it did what was asked, and 2 with one sentence on stderr
if not; see [automate](../how-to/automate.md#exit-codes). `-` as a path means stdin or stdout.
`-h` or `--help` after any command prints its part of this page.

Nothing that somebody wrote can command your terminal: in names, questions, labels, file names and
the like, characters that can't be seen are [made visible](formats.md#texts-of-strangers).
"""


def commands(
    command: click.Command = cli, path: tuple[str, ...] = ("sudare",)
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with the words that call it, groups before their members."""
    yield path, command
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from commands(command.commands[name], (*path, name))


def option_names(option: click.Parameter) -> list[str]:
    """All spellings of an option, short ones first."""
    return sorted([*option.opts, *option.secondary_opts], key=len)


def section(path: tuple[str, ...], command: click.Command) -> str:
    """One command: usage, prose, examples, options."""
    # Click keeps a command's help option from its first use: it must be the real one.
    context = click.Context(command, info_name=" ".join(path), **cli.context_settings)
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    parts = [f"## {' '.join(path)}", f"```text\n{usage}\n```", *_prose(command.help or "")]
    rows = [
        _row(parameter, context)
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and "--help" not in parameter.opts
    ]
    if rows:
        head = "| option | takes | default | meaning |\n| --- | --- | --- | --- |"
        parts.append("\n".join([head, *rows]))
    if isinstance(command, click.Group):
        parts.append(
            "\n".join(
                f"- [`{name}`](#{'-'.join((*path, name))}): {child.get_short_help_str(200)}"
                for name, child in sorted(command.commands.items())
            )
        )
    return "\n\n".join(parts)


def _prose(help_text: str) -> Iterator[str]:
    """Paragraphs as they are; those that click leaves alone (\\b) as blocks of text."""
    for paragraph in inspect.cleandoc(help_text).split("\n\n"):
        if not paragraph.startswith("\b\n"):
            yield paragraph
            continue
        title, _, lines = paragraph.removeprefix("\b\n").partition("\n")
        yield f"{title}\n\n```text\n{textwrap.dedent(lines)}\n```"


def _row(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{name}`" for name in option_names(option))
    if option.is_flag:
        takes = ""
    elif isinstance(option.type, click.Choice):
        takes = ", ".join(f"`{choice}`" for choice in option.type.choices)
    else:
        takes = option.type.name
    return f"| {names} | {takes} | {_default(option, context)} | {_meaning(option)} |"


def _default(option: click.Option, context: click.Context) -> str:
    if option.required:
        return "required"
    default = option.get_default(context)
    if option.is_flag or not isinstance(default, (str, int, float, tuple, Path)):
        return ""
    values = default if isinstance(default, tuple) else (default,)
    return ", ".join(f"`{value}`" for value in values)


def _meaning(option: click.Option) -> str:
    repeated = option.multiple and "epeat" not in (option.help or "")
    return " ".join(filter(None, (option.help, "May be repeated." if repeated else "")))


def text() -> str:
    """The whole page."""
    return "\n\n".join([HEAD.rstrip(), *(section(*entry) for entry in commands())]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
