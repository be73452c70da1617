"""``sudare laws``: whether a mechanism, perhaps somebody else's, obeys the laws of ours."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.options import FiniteRange, json_option, progress_bar
from sudare.cli.shared.terminal import put_table, say, say_json
from sudare.errors import ParameterError
from sudare.formats.numbers import counted
from sudare.installed import told

if TYPE_CHECKING:
    from sudare.laws.verdict import Finding

_ANSWERS, _EPSILONS = (2, 3, 4), (0.5, 1.0, 2.0)  # sudare.laws.verdict has them


@click.command()
@click.argument("mechanism", metavar="MECHANISM")
@click.option(
    "--answers",
    type=click.IntRange(2, 8),
    multiple=True,
    default=_ANSWERS,
    show_default=True,
    help="How many there are to choose from; repeat it for several.",
)
@click.option(
    "--epsilon",
    "epsilons",
    type=FiniteRange(min=0, min_open=True),
    multiple=True,
    default=_EPSILONS,
    show_default=True,
    help="What calibrate is given; repeat it for several.",
)
@json_option
def laws(
    mechanism: str, answers: tuple[int, ...], epsilons: tuple[float, ...], as_json: bool
) -> None:
    """Try the laws of every mechanism on one of your own, and say which it breaks.

    MECHANISM is a class, as package.module:Class, or a name that documents have. Its code is run
    down every path of chance: so its ε, the independence of people and the mean of its estimates
    are found exactly. It is tried on what its classmethod calibrate makes of ANSWERS and EPSILON,
    or on its own examples(), if it has them. A module in this folder is found, too.

    The exit code is 0 if all laws hold, 1 if one is broken, and 2 if they can't be tried.

    \b
    Examples:
      sudare laws sudare.mechanisms.grr:GRR
      sudare laws my_package.my_module:MyMechanism --answers 3 --epsilon 1
    """
    from sudare.laws.verdict import LAWS, check_class, instances_of, judge

    with _this_folder():
        family = check_class(_class_of(mechanism), mechanism)
        instances = instances_of(family, answers, epsilons)
        with progress_bar() as progress:
            task = progress.add_task("", total=len(LAWS) + 1)

            def trying(law: str) -> None:
                progress.update(task, description=law, advance=law != LAWS[0].name)

            findings = list(judge(family, instances, trying))
    broken = [finding for finding in findings if not finding.holds]
    tried = [str(each) for each in instances]
    if as_json:
        rows = [_row(finding) for finding in findings]
        say_json({"mechanism": family.name, "holds": not broken, "tried_on": tried, "laws": rows})
    else:
        _print(findings)
        what = f"{family.name}, tried on {counted(len(tried), 'instance')}"
        verdict = f"{counted(len(broken), 'law')} broken" if broken else "every law holds"
        say(f"{what}: {verdict}")
    if broken:
        sys.exit(1)


def _row(finding: "Finding") -> dict[str, Any]:
    row: dict[str, Any] = {"law": finding.law, "says": finding.says, "holds": finding.holds}
    return row if finding.holds else row | {"broken": finding.sentence, "case": finding.case}


def _print(findings: "list[Finding]") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1))
    table.add_column("law")
    table.add_column("verdict")
    table.add_column("what it says; of a broken one, the smallest case found", overflow="fold")
    for finding in findings:
        if finding.holds:
            table.add_row(finding.law, Text("holds", style="green"), finding.says)
            continue
        case = [f"{name}: {value}" for name, value in finding.case.items()]
        told_of = "\n".join([f"{finding.sentence}", *(f"  {line}" for line in case)])
        table.add_row(finding.law, Text("broken", style="bold red"), Text(told_of))
    put_table(table)


@contextmanager
def _this_folder() -> Iterator[None]:
    """Modules in the current folder are found, as Python itself finds them beside a script."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)


def _class_of(named: str) -> object:
    """What a name means: of a mechanism in documents, or of a place in a module."""
    module, colon, path = named.partition(":")
    if not colon:
        from sudare.mechanisms import REGISTRY, categorical
        from sudare.mechanisms.interface import CategoricalMechanism

        ours = REGISTRY.get(named)
        if ours is not None and issubclass(ours, CategoricalMechanism):
            return ours  # some are for one answer of k, and not taken for any such question
        return categorical(named)
    if not module or not path or not all(part.isidentifier() for part in module.split(".")):
        raise ParameterError(f"{named!r} is no package.module:Class")
    try:
        found: object = import_module(module)
    except (Exception, SystemExit) as error:
        raise ParameterError(f"{module} can't be imported: {told(error)}") from error
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise ParameterError(f"{module} has no {path}") from None
    return found
