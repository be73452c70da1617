"""The command line: a module for each command, each short; heavy libraries load when used.

``aggregate``, ``associate``, ``bounds``, ``collection``, ``compare``, ``decode``, ``demo``,
``device``, ``discover``, ``epsilon``, ``estimate``, ``ledger``, ``page``, ``plan``, ``randomize``,
``serve``, ``simulate``, ``token``: the commands of these names.
``trials``: example-data and laws.
``store``: backup, restore and export.
``twoparty``: table, party and joint-count.
``upkeep``: warm-up.
``remote``: a collector elsewhere.
``shared``: arguments, options and habits of several commands.
"""

import sys
from collections.abc import Sequence

import rich_click as click
from click.exceptions import Abort, Exit

from sudare.cli.aggregate import aggregate
from sudare.cli.associate import associate
from sudare.cli.bounds import bounds
from sudare.cli.collection import collection
from sudare.cli.compare import compare
from sudare.cli.decode import decode
from sudare.cli.demo import demo
from sudare.cli.device import device
from sudare.cli.discover import discover
from sudare.cli.epsilon import epsilon
from sudare.cli.estimate import estimate
from sudare.cli.ledger import ledger
from sudare.cli.page import page
from sudare.cli.plan import plan
from sudare.cli.randomize import randomize
from sudare.cli.remote.group import remote
from sudare.cli.serve import serve
from sudare.cli.shared.files import trouble
from sudare.cli.shared.terminal import put_lines, say, shortened, show_mistake
from sudare.cli.simulate import simulate
from sudare.cli.store import backup, export, restore
from sudare.cli.token import token
from sudare.cli.trials.example_data import example_data
from sudare.cli.trials.laws import laws
from sudare.cli.twoparty.joint_count import joint_count
from sudare.cli.twoparty.party import party
from sudare.cli.twoparty.table import table
from sudare.cli.upkeep.warm_up import warm_up
from sudare.errors import MechanismUnavailable, ParameterError, SudareError
from sudare.installed import blamed, forget, suspected

SHELLS = ("bash", "zsh", "fish")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(None, "-V", "--version", package_name="sudare")
def cli() -> None:
    """Learn statistics about people without having to be trusted with their answers.

    \b
    A private survey, end to end:
      sudare example-data tea                                  (makes answers.csv)
      sudare collection new tea --question "Which tea?" \\
        --answer green --answer black --answer oolong --epsilon 1 -o tea.json
      sudare randomize tea.json answers.csv -o reports.arrow   (on the devices)
      sudare aggregate tea.json reports.arrow -o total.json    (at the collector)
      sudare estimate  tea.json total.json --plot tea.html     (by the analyst)
    """


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def help_(context: click.Context, words: tuple[str, ...]) -> None:
    """Show what a command does, as --help after it would.

    \b
    Examples:
      sudare help
      sudare help collection new
    """
    found = root = context.find_root().command
    for number, word in enumerate(words):
        known = found.commands if isinstance(found, click.Group) else {}
        if word not in known:
            asked = " ".join(["sudare", *words[: number + 1]])
            beyond = " ".join(["sudare", "help", *words[:number]])
            raise ParameterError(f"there is no command `{asked}`; `{beyond}` says what there is")
        found = known[word]
    root.main([*words, "--help"], prog_name="sudare", standalone_mode=False)


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and file names in a shell.

    \b
    Examples:
      eval "$(sudare completion bash)"                 (in ~/.bashrc)
      eval "$(sudare completion zsh)"                  (in ~/.zshrc)
      sudare completion fish > ~/.config/fish/completions/sudare.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is None:
        raise ParameterError(f"there is no completion for {shell}")
    script = made(context.find_root().command, {}, "sudare", "_SUDARE_COMPLETE")
    put_lines(script.source() + "\n")


COMMANDS = (
    demo,
    example_data,
    collection,
    device,
    randomize,
    aggregate,
    estimate,
    decode,
    associate,
    discover,
    compare,
    epsilon,
    laws,
    bounds,
    plan,
    simulate,
    table,
    party,
    joint_count,
    serve,
    remote,
    page,
    token,
    ledger,
    backup,
    restore,
    export,
    warm_up,
    help_,
    completion,
)
for command in COMMANDS:
    cli.add_command(command)


_TOLD = (click.ClickException, Exit, Abort, SystemExit, UnicodeError, MemoryError, OSError)
"""Errors that ``main`` has words for, whoever's code raises them."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; a mistake is one sentence on stderr and exit code 2."""
    try:
        _run(arguments)
    except click.ClickException as error:
        show_mistake(error)
        sys.exit(2)
    except Exit as stop:
        sys.exit(stop.exit_code)
    except Abort:
        sys.exit(130)
    except SudareError as error:
        _fail(str(error))
    except BrokenPipeError:
        # The reader went away: say nothing more to it, not even at interpreter exit.
        sys.stdout = None
        sys.exit(1)
    except UnicodeError:
        _fail("a text is not valid UTF-8, or this terminal can't show it (PYTHONIOENCODING=utf-8)")
    except MemoryError:
        _fail("there is not enough memory for so much at once")
    except OSError as error:
        _fail(trouble(error))


def _run(arguments: Sequence[str] | None) -> None:
    """Run a command; a failure in the code of an installed package is an error of ours."""
    forget()
    try:
        cli.main(arguments, prog_name="sudare", standalone_mode=False)
    except SudareError:
        raise
    except (Exception, SystemExit) as error:
        sentence = blamed(error)
        if sentence is None and not isinstance(error, _TOLD):
            sentence = suspected(error)
        if sentence is None:
            raise
        raise MechanismUnavailable(sentence) from error


def _fail(sentence: str) -> None:
    say(f"Error: {shortened(sentence)}", err=True)
    sys.exit(2)
