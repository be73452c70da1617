"""The options of a new collection's mechanism on the command line."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any

import rich_click as click

from sudare.cli.shared.options import MECHANISMS, OVER_TIME, MechanismName
from sudare.errors import ParameterError

DESIGNS = ("sample", "split", "joint")  # planning.several_questions.DESIGNS
FORMS = ("full", "one-time", "instant")  # of RAPPOR; "basic" is what listed answers make of it

_ANY = 1.0  # an ε for what is the same at all
_ASKED = ("most", "least", "largest", "step", "found_out", "bins")
_QUESTION = (
    click.option(
        "--most",
        type=int,
        help="Check all that apply: a person may select up to so many of the answers, or none.",
    ),
    click.option(
        "--from",
        "least",
        metavar="NUMBER",
        help="People answer by a number: the least that there is, such as 18 or -1.5.",
    ),
    click.option("--to", "largest", metavar="NUMBER", help="Of a number: the largest there is."),
    click.option(
        "--step",
        metavar="NUMBER",
        help="Of a number: its distance to the next; steps of it lead from --from to --to.",
    ),
    click.option(
        "--estimate",
        "found_out",
        type=click.Choice(("mean", "distribution")),
        help="Of numbers: what is to be found out; their mean, unless it says otherwise.",
    ),
    click.option(
        "--bins",
        type=int,
        help="Of a distribution: how many bins the range has; more make each share less precise. "
        "16, or 32 above ε = 2; fewer where few numbers fall evenly into bins.",
    ),
)
_OPTIONS = (
    click.option(
        "--epsilon",
        type=float,
        help="The most one report may cost; over time, all reports of a person together.",
    ),
    click.option(
        "--people",
        type=int,
        help="With --error, instead of --epsilon: so many are asked, and the least ε is found.",
    ),
    click.option(
        "--error",
        type=float,
        help="With --people: half the width of the 95 % interval that is wished for, as "
        "`sudare plan` has it; of texts, the share that one needs to be found.",
    ),
    click.option(
        "--mechanism",
        type=MechanismName(
            ["auto", "small", *MECHANISMS, "set", "window", "wave", "loloha", "rappor", *OVER_TIME]
        ),
        default="auto",
        show_default=True,
        help="auto takes the one with the least error for a single report, among those whose "
        "report has at most 128 bytes; of two as good, the one with the shorter report. small does "
        "the same among those that report a number of at most 4 bytes. With "
        "--most, it takes set; with --from, window, or wave for a distribution; with --rounds, "
        "kshot. loloha is for answers that change. One that an installed package adds goes by "
        "its name.",
    ),
    click.option(
        "--design",
        type=click.Choice(("auto", *DESIGNS)),
        help="Of --questions. sample: each person answers one of them, drawn by chance; split: "
        "all, each with a part of EPSILON; joint: all answers together are one. auto, the default, "
        "takes the one with the least error.",
    ),
    click.option(
        "--associate",
        is_flag=True,
        default=None,
        help="Of --questions: the relation of two of them is asked for. auto then takes the least "
        "error of two answers together, which sample can't tell.",
    ),
    *_QUESTION,
    click.option(
        "--free-text", "own_words", is_flag=True, help="People answer in their own words (RAPPOR)."
    ),
    click.option(
        "--form",
        type=click.Choice(FORMS),
        help="Of RAPPOR. full, the default: permanent noise below that of each report bounds what "
        "all reports of one answer cost, and costs no accuracy; instant: fresh noise alone, for "
        "people who report once; one-time: permanent noise alone, every report of an answer is the "
        "same.",
    ),
    click.option(
        "--lifetime",
        type=float,
        help="The most that all reports of one answer may cost together (of loloha, and of "
        "RAPPOR's full form; by default twice EPSILON).",
    ),
    click.option(
        "--bits", type=int, help="Of a free text's filter, a power of two; 128 by default."
    ),
    click.option("--hashes", type=int, help="Bits that a text sets; 1, the default, is best."),
    click.option("--cohorts", type=int, help="Hash families that people are divided among; 64."),
    click.option(
        "--rounds",
        type=int,
        help="Count over time: in so many rounds each person is in one of two states, named by two "
        "--answer (no and yes unless given; the share of the second is estimated).",
    ),
    click.option("--low", type=float, help="Of kshot: the share is expected to be at least this."),
    click.option("--high", type=float, help="Of kshot: and at most this; the closer, the better."),
    click.option(
        "--shots", type=int, help="Of kshot: rounds a person reports in; chosen by itself."
    ),
    click.option("--flips", type=int, help="Of kshot: how many lies are few, with --shots; 0."),
)


def question_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how a question is answered, which reach the command as ``asked``."""

    @wraps(command)
    def gathered(**given: Any) -> None:  # noqa: ANN401 - whatever the command's options are
        from sudare.planning.mechanism_choice import MechanismOptions

        own = {name: given.pop(name) for name in _ASKED}
        command(asked=MechanismOptions(_ANY, **own), **given)

    for option in reversed(_QUESTION):
        gathered = option(gathered)
    return gathered


def mechanism_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a new collection's mechanism, which reach the command as ``options``.

    Where people and an error are given instead of ε they come as ``aim``, else None does.
    """

    @wraps(command)
    def gathered(**given: Any) -> None:  # noqa: ANN401 - whatever the command's options are
        from sudare.planning.mechanism_choice import MechanismOptions

        people, error = given.pop("people"), given.pop("error")
        own = {field.name: given.pop(field.name) for field in fields(MechanismOptions)}
        if (own["epsilon"] is None) is (people is None) or (people is None) is not (error is None):
            raise ParameterError(
                "say --epsilon, or --people and --error, for which the least ε is then found"
            )
        aim = None if people is None else (people, error)
        own["epsilon"] = own["epsilon"] if aim is None else _ANY
        command(options=MechanismOptions(**own), aim=aim, **given)

    for option in reversed(_OPTIONS):  # the last is applied first, and so stands first
        gathered = option(gathered)
    return gathered
