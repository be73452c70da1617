"""One language of options: a name means the same in every command that has it."""

from collections.abc import Iterator
from typing import Any

import click
import pytest

from sudare.cli import cli
from sudare.cli.shared import candidates, options

SHARED = {
    "--json": options.json_option,
    "--csv": options.csv_option,
    "--force": options.force_option,
    "--level": options.level_option,
    "--false-discoveries": options.false_discoveries_option,
    "--store": options.store_option,
    "--port": options.port_option,
    "--candidates": candidates.candidates_option,
    "--memory": candidates.memory_option,
}
"""Options that are defined once, and are the same to the letter wherever they are."""

APART = {
    "--window": "a length where a collection is made, a number where one of its windows is meant",
    "--page": "the address of a survey page in invitations, and to plan on a page",
    "--count": "a number of invitations, and with two parties the document of a joint count",
}
"""Names of more than one type, each with the reason."""


def commands(command: click.Command = cli, *path: str) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(path), command
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            yield from commands(each, *path, name)


def meaning(option: click.Option) -> dict[str, Any]:
    """Whatever makes an option what it is."""
    return {
        "names": option.opts,
        "type": repr(option.type.to_info_dict()),
        "flag": option.is_flag,
        "help": option.help,
        "default": option.default,
        "variable": option.envvar,
        "required": option.required,
    }


def occurrences(name: str) -> dict[str, click.Option]:
    return {
        path: option
        for path, command in commands()
        for option in command.params
        if isinstance(option, click.Option) and name in option.opts
    }


NAMES = sorted(
    {
        name
        for _, command in commands()
        for option in command.params
        if isinstance(option, click.Option)
        for name in option.opts
    }
)


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_option_is_the_shared_one_everywhere(name: str) -> None:
    command = click.command()(SHARED[name](lambda: None))
    (shared,) = command.params
    assert isinstance(shared, click.Option)
    found = occurrences(name)
    assert found
    for path, option in found.items():
        assert meaning(option) == meaning(shared), path


@pytest.mark.parametrize("name", NAMES)
def test_a_name_takes_the_same_everywhere(name: str) -> None:
    kinds = {
        (option.type.name, option.is_flag, option.name)
        for option in occurrences(name).values()
        if not isinstance(option.type, click.Choice)
    }
    types = {(kind, flag) for kind, flag, _ in kinds}
    # A range of numbers is a number.
    types = {(kind.removesuffix(" range"), flag) for kind, flag in types}
    assert len(types) <= (2 if name in APART else 1), (types, list(occurrences(name)))


def test_outputs_have_one_name() -> None:
    found = occurrences("-o")
    assert {tuple(option.opts) for option in found.values()} == {("-o", "--output")}
    assert set(found) == set(occurrences("--output"))
    assert {option.type for option in found.values()} == {options.PATH}


def test_whoever_writes_can_be_forced() -> None:
    """But who writes a new folder, a secret or what is made up: these replace nothing, ever."""
    writing = {*occurrences("-o"), *occurrences("--plot")}
    unforced = {"discover randomize", "example-data", "remote invitations", "remote token new"}
    assert writing - set(occurrences("--force")) == unforced


def test_whoever_prints_csv_has_all_forms() -> None:
    printing = set(occurrences("--csv"))
    assert printing <= set(occurrences("--json"))
    assert printing <= set(occurrences("-o"))
    shown = {"estimate", "decode", "associate", "compare", "discover decode", "simulate stream"}
    assert printing == {*shown, "remote results"}


def test_plots_are_said_alike() -> None:
    for path, option in occurrences("--plot").items():
        assert option.type is options.PATH, path
        assert option.help is not None
        assert option.help.startswith("Also save a plot: .png, .svg"), path
