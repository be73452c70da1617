"""``sudare demo``: a private survey, end to end, on this machine."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from sudare.cli.options import MECHANISMS, PATH, echo_json, json_option, progress_bar
from sudare.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sudare.collection import Collection
    from sudare.keystream import Keystream

# The five teas of the document's survey; its shares are only in a figure, these stand in.
_TEAS = {
    "Oi Ocha": 0.36,
    "Iemon": 0.14,
    "Ayataka": 0.29,
    "Namacha": 0.14,
    "Meidai-cha": 0.07,
}
_CHUNK = 1 << 18


@click.command()
@click.option("--people", type=int, default=20_000, show_default=True, help="Who answer.")
@click.option("--epsilon", type=float, default=1.0, show_default=True, help="Of each report.")
@click.option(
    "--mechanism",
    type=click.Choice(MECHANISMS),
    default="grr",
    show_default=True,
    help="How answers are randomised.",
)
@click.option(
    "-o",
    "--output",
    type=PATH,
    default="sudare-demo",
    show_default=True,
    help="The folder for the survey's files and the HTML report.",
)
@click.option("--seed", type=int, help="Make the run repeatable.")
@json_option
def demo(
    people: int,
    epsilon: float,
    mechanism: str,
    output: Path,
    seed: int | None,
    as_json: bool,
) -> None:
    """Run a private survey end to end: ask, randomise, report, aggregate, estimate.

    Simulated people name their favourite tea. Each answer is randomised as on its own device;
    only the reports are counted. The shares come out with honest error bars, beside the truth,
    which only a simulation knows.

    \b
    Examples:
      sudare demo
      sudare demo --people 1000000 --epsilon 0.5 --mechanism oue
    """
    from sudare.analysis import analyse
    from sudare.cli.analysis import answers_table
    from sudare.collection import Collection
    from sudare.engines import local
    from sudare.exact import text_up
    from sudare.files import write_whole
    from sudare.mechanisms import CATEGORICAL
    from sudare.page import estimate_page
    from sudare.randomness import Seeded, System
    from sudare.wire import read_reports

    if people < 1:
        raise ParameterError(f"a survey needs at least 1 person, got {people}")
    survey = Collection(
        name="tea",
        question="Which tea do you like best?",
        answers=tuple(_TEAS),
        mechanism=CATEGORICAL[mechanism].calibrate(len(_TEAS), epsilon),
    )
    rng = System() if seed is None else Seeded(seed)
    say = (lambda _: None) if as_json else click.echo
    output.mkdir(parents=True, exist_ok=True)
    write_whole(output / "collection.json", survey.to_json())
    say(f"1. The question: {survey.question} {len(_TEAS)} answers, ε = {text_up(survey.epsilon)}")

    answers = rng.generator().choice(len(_TEAS), size=people, p=list(_TEAS.values()))
    reports = output / "reports.arrow"
    _report(survey, answers, reports, rng)
    say(f"2. {people:,} people answered; each answer was randomised before it left its device")
    say(f"   {_first_device(survey, answers, reports)}")

    total = local.aggregate(survey, read_reports(reports, survey.report_dtype, survey.key))
    write_whole(output / "aggregate.json", total.to_json())
    say(f"3. The collector counted {total.n:,} reports; it never saw an answer")

    analysis = analyse(survey, total, consistent="norm-sub")
    truth = _shares(answers)
    page = output / "report.html"
    shown = estimate_page(
        survey,
        analysis.estimate,
        consistent=analysis.consistent,
        p_values=analysis.p_values,
        truth=truth,
        notes=["A simulation: the truth is known here, and only here.", *analysis.notes()],
    )
    write_whole(page, shown.encode())
    if as_json:
        echo_json({**analysis.document(), "truth": truth.tolist(), "report": str(page)})
        return
    from rich.console import Console

    Console().print(answers_table(replace(analysis, consistent=None), truth))
    inside = int(((analysis.interval.low <= truth) & (truth <= analysis.interval.high)).sum())
    say(f"4. {inside} of {len(_TEAS)} truths lie inside their 95 % intervals")
    say(f"   Report with plots: {page}   Try: sudare epsilon {output / 'collection.json'}")


def _report(
    survey: "Collection", answers: "NDArray[np.int64]", path: Path, rng: "Keystream"
) -> None:
    from sudare.wire import report_file

    with progress_bar() as progress, report_file(path, survey.report_dtype, survey.key) as sink:
        task = progress.add_task("randomising", total=len(answers))
        for start in range(0, len(answers), _CHUNK):
            chunk = answers[start : start + _CHUNK]
            sink.write(survey.mechanism.randomize(chunk, rng))
            progress.advance(task, len(chunk))


def _first_device(survey: "Collection", answers: "NDArray[np.int64]", path: Path) -> str:
    """What left the first device, beside what its owner answered: a simulation may tell."""
    from sudare.wire import read_reports, to_bytes

    first = next(read_reports(path, survey.report_dtype, survey.key))[:1]
    sent = to_bytes(first).hex(" ")
    if survey.mechanism.name == "grr":
        sent += f" (“{survey.answers[int(first['answer'][0])]}”)"
    return f"the first one answered “{survey.answers[answers[0]]}” and its device sent {sent}"


def _shares(answers: "NDArray[np.int64]") -> "NDArray[np.float64]":
    import numpy as np

    return np.bincount(answers, minlength=len(_TEAS)) / len(answers)
