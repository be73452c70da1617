"""``sudare discover``: words that nobody listed, from reports of them and of their parts."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

import rich_click as click

from sudare.cli.shared.answers import (
    AnswerOptions,
    answer_options,
    reading_bar,
    say_reading,
    seed_option,
)
from sudare.cli.shared.budgets import remark_budget
from sudare.cli.shared.files import load, naming, refuse_ours, require_folder
from sudare.cli.shared.options import (
    PATH,
    false_discoveries_option,
    force_option,
    is_pipe,
    level_option,
    output_option,
)
from sudare.cli.shared.output import Output, refuse_folder, refuse_replacing, result_options
from sudare.cli.shared.terminal import put_json, put_table, say
from sudare.errors import InvalidDocument, ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.strangers import refuse_unseen
from sudare.formats.tables import arrow_types, csv_text
from sudare.results.cells import whole_text
from sudare.results.wording import counted, percent, percent_range

if TYPE_CHECKING:
    import pyarrow as pa

    from sudare.answers.reading import Judged
    from sudare.discovery import Discovered, Discovery
    from sudare.mechanisms.aggregate import Aggregate

_SUFFIXES = (".arrow", ".parquet")


@click.group()
def discover() -> None:
    """Find words that nobody has listed.

    \b
    From the plan to the words:
      sudare discover new searches --question "What did you look for?" --epsilon 4 -o plan.json
      sudare discover randomize plan.json answers.csv -o monday   (on the devices)
      sudare discover decode plan.json monday                     (by the analyst)
    """


@discover.command()
@click.argument("name")
@click.option("--question", required=True, help="What people are asked.")
@click.option("--epsilon", type=float, required=True, help="The most that taking part may cost.")
@click.option(
    "--length", type=int, default=8, show_default=True, help="Characters of a word looked at."
)
@click.option("--gram", type=int, default=3, show_default=True, help="Characters of a part.")
@click.option(
    "--stride", type=int, help="From one part to the next; they share a character unless given."
)
@click.option(
    "--alphabet",
    default="abcdefghijklmnopqrstuvwxyz",
    show_default=True,
    help="The letters; any other character becomes one sign (and a capital its small letter).",
)
@click.option(
    "--asks",
    type=click.Choice(["either", "both"]),
    default="either",
    show_default=True,
    help="A report of the word or of a part at the full budget, or one of each that share it.",
)
@click.option(
    "--split", type=float, default=0.4, show_default=True, help="With both: the word's share of ε."
)
@click.option(
    "--lifetime",
    type=float,
    help="The most that taking part for ever may cost; unless given, each time costs anew.",
)
@click.option(
    "--minimum-reports",
    type=int,
    default=100,
    show_default=True,
    help="Nothing is decoded of fewer, of the words or of a part.",
)
@output_option("Where the plan goes (JSON).")
@force_option
def new(
    name: str,
    question: str,
    epsilon: float,
    length: int,
    gram: int,
    stride: int | None,
    alphabet: str,
    asks: str,
    split: float,
    lifetime: float | None,
    minimum_reports: int,
    output: Path,
    force: bool,
) -> None:
    """Make a plan that costs each person at most EPSILON.

    \b
    Example:
      sudare discover new towns --question "Where were you born?" --epsilon 4 --length 10 \\
        -o plan.json
    """
    from sudare.chance.exact import text_up
    from sudare.discovery import Discovery
    from sudare.formats.files import write_whole

    refuse_unseen("a name", name)
    refuse_unseen("a question", question)
    made = Discovery.calibrate(
        name,
        question,
        epsilon=epsilon,
        length=length,
        gram=gram,
        stride=stride,
        alphabet=alphabet,
        asks="both" if asks == "both" else "either",
        split=split,
        lifetime=lifetime,
        minimum_reports=minimum_reports,
    )
    refuse_replacing(output, FileKind.PLAN, force=force, begins=made.to_json())
    remark_budget(epsilon, made.epsilon, made.words)
    if is_pipe(output):
        put_json(made.to_json())
        return
    write_whole(output, made.to_json())
    joint = "and" if asks == "both" else "or"
    say(
        f"{output}: the word {joint} one of {counted(len(made.collections) - 1, 'part')}, "
        f"ε = {text_up(made.epsilon)}, key {made.key[:12]}…"
    )


@discover.command()
@click.argument("plan", type=PATH)
@click.argument("answers", type=PATH, default="-")
@output_option("A new folder for the reports.", required=True)
@answer_options
@seed_option
def randomize(
    plan: Path, answers: Path, output: Path, source: AnswerOptions, insecure_seed: int | None
) -> None:
    """Randomise answers into reports: the step that belongs on the devices.

    ANSWERS is a file as `sudare randomize` takes it, or stdin. The folder gets a file of reports
    for the words and one for each part.

    \b
    Example:
      sudare discover randomize plan.json answers.csv --column search -o monday
    """
    from sudare.answers.table import columns_named
    from sudare.chance.exact import text_up
    from sudare.chance.randomness import Seeded, System
    from sudare.formats.files import new_folder
    from sudare.formats.report_files import report_file

    agreed = _load(plan)
    refuse_ours(answers, FileKind.DATA)
    rng = System() if insecure_seed is None else Seeded(insecure_seed)
    refuse_folder(output)
    with new_folder(output) as folder, reading_bar("randomising") as advance:
        layout = columns_named(source.name)
        reading = source.reading(answers, layout, _Texts(), rng, advance)
        with ExitStack() as stack:
            sinks = [
                stack.enter_context(
                    report_file(folder / f"{stem}.arrow", collection.report_dtype, collection.key)
                )
                for stem, collection in zip(_stems(agreed), agreed.collections, strict=True)
            ]
            for texts in reading:
                sent = agreed.randomize(texts.tolist(), rng)
                for sink, (_, reports) in zip(sinks, sent, strict=True):
                    sink.write(reports)
        if not reading.people:
            raise InvalidDocument(f"{reading.table.name} holds 0 answers; nothing was randomised")
    seeded = "" if insecure_seed is None else " (from a seed: no privacy)"
    epsilon = text_up(agreed.epsilon)
    say(f"{counted(reading.people, 'answer')} randomised at ε = {epsilon} each{seeded}", err=True)
    say_reading(reading)


class _Texts:
    """The judge of words: any text that can be hashed."""

    def encode_columns(self, columns: "list[pa.Array]") -> "Judged":
        """The texts themselves."""
        import numpy as np

        from sudare.answers.reading import Judged
        from sudare.mechanisms.strings import is_hashable

        texts = np.array([*columns[0].to_pylist(), None], object)[:-1]  # never a table of letters
        known = {text: is_hashable(text) for text in set(texts.tolist())}
        return Judged(texts, np.array([not known[text] for text in texts], np.bool_))

    def refusal(self, columns: "list[pa.Array]") -> str:
        """That a text is missing, or too long."""
        from sudare.answers.reading import is_empty
        from sudare.mechanisms.strings import LONGEST

        if is_empty(columns[0])[0]:
            return "the answer is missing"
        return f"the answer is not a text of 1 to {LONGEST} bytes"


@discover.command()
@click.argument("plan", type=PATH)
@click.argument("folders", type=PATH, nargs=-1, required=True)
@false_discoveries_option
@level_option
@click.option(
    "--most", type=int, default=100_000, show_default=True, help="Joined words put to the test."
)
@result_options
def decode(
    plan: Path,
    folders: tuple[Path, ...],
    false_discoveries: float,
    level: float,
    most: int,
    output: Output,
) -> None:
    """Find the words, and the share of people behind each.

    FOLDERS are those of `sudare discover randomize`.

    \b
    Examples:
      sudare discover decode plan.json monday tuesday
      sudare discover decode plan.json monday --json
    """
    from sudare.discovery import discover as find
    from sudare.formats.files import real
    from sudare.questions.text import TextRow

    agreed = _load(plan)
    for number, folder in enumerate(folders):
        if real(folder) in map(real, folders[:number]):
            raise ParameterError(f"{folder} is named twice; its reports would count twice")
    totals = [total for folder in folders for total in _counted(agreed, folder)]
    found = find(agreed, totals, false_discoveries=false_discoveries, level=level, most=most)
    rows = found.rows()
    output.put(
        document=lambda: _document(agreed, found),
        csv=lambda: csv_text(rows, list(arrow_types(TextRow))),
        table=lambda target: _print(agreed, found, level, target),
    )


def _print(agreed: "Discovery", found: "Discovered", level: float, target: IO[str] | None) -> None:
    """The words found, and what else must be said of them."""
    if found.rows():
        from rich.table import Table

        title = whole_text(agreed.question)
        table = Table("candidate", "share", f"{percent(level)} interval", title=title)
        for row in found.rows():
            interval = percent_range(row["low"], row["high"], 3)
            table.add_row(whole_text(row["candidate"]), percent(row["share"], 3), interval)
        put_table(table, target)
    for note in found.notes():
        say(note, target=target)


def _document(agreed: "Discovery", found: "Discovered") -> dict[str, object]:
    return {
        "discovery": agreed.name,
        "key": agreed.key,
        "epsilon": agreed.epsilon,
        "reports": dict(zip(_stems(agreed), found.n, strict=True)),
        "grams": dict(zip(_stems(agreed)[1:], found.grams, strict=True)),
        "joined": found.joined,
        "capped": found.capped,
        "found": found.rows(),
        "unexplained": 1.0 if found.decoded is None else found.decoded.unexplained,
    }


def _stems(agreed: "Discovery") -> list[str]:
    """The names of the files in a folder of reports, without suffix."""
    spelling = agreed.spelling
    parts = [f"characters-{place + 1}-{place + spelling.gram}" for place in spelling.places]
    return ["whole", *parts]


def _counted(agreed: "Discovery", folder: Path) -> Iterator["Aggregate"]:
    from sudare.engines import local
    from sudare.formats.report_files import read_reports

    require_folder(folder, FileKind.PARTS)
    for stem, collection in zip(_stems(agreed), agreed.collections, strict=True):
        files = [path for suffix in _SUFFIXES if (path := folder / f"{stem}{suffix}").exists()]
        if not files:
            raise InvalidDocument(
                f"{folder} has no {stem}.arrow, so it isn't a whole folder of `sudare discover "
                f"randomize`: a part without reports has a file too"
            )
        for path in files:
            with naming(path, FileKind.REPORTS):
                yield local.aggregate(
                    collection, read_reports(path, collection.report_dtype, collection.key)
                )


def _load(path: Path) -> "Discovery":
    from sudare.discovery import Discovery

    return load(path, FileKind.PLAN, Discovery.from_json)
