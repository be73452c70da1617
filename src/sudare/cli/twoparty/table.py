"""``sudare table``: tables that noise is drawn from, and the proof of each."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.options import (
    PATH,
    force_option,
    json_option,
    output_option,
    progress_bar,
    refuse_idle,
)
from sudare.cli.shared.output import refuse_replacing
from sudare.cli.shared.terminal import say, say_json
from sudare.cli.twoparty.agreement import load_tables
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.results.wording import integer

if TYPE_CHECKING:
    from sudare.twoparty.noise.guarantee import Guarantee
    from sudare.twoparty.noise.law import Proof

_STOPS = ("tables", "printed")  # sudare.twoparty.noise.algorithm2.Stop, without importing it
_WIDEST = 12  # different values of a table that are all printed


@click.group(invoke_without_command=True)
@click.option("--epsilon", type=float, help="The budget ε.")
@click.option("--delta", type=float, help="The chance δ with which ε may be exceeded.")
@click.option(
    "--sensitivity",
    type=int,
    default=1,
    show_default=True,
    help="By how much one person can change the result.",
)
@click.option(
    "--digits",
    is_flag=True,
    expose_value=False,
    help="Several small tables, signed draws (the default).",
)
@click.option("--draws", type=int, help="One table of Algorithm 2, the sum of so many draws.")
@click.option(
    "--distinct",
    is_flag=True,
    help="With --draws: no entry twice, and a table that allows it; P2 then learns nothing.",
)
@click.option(
    "--stop",
    type=click.Choice(_STOPS),
    default="tables",
    show_default=True,
    help="With --draws: when Algorithm 2 ends, as its author's tables show or as printed.",
)
@click.option(
    "--entries", type=int, default=400, show_default=True, help="With --digits: at most so many."
)
@click.option("--search", is_flag=True, help="With --digits: search even if tables are shipped.")
@click.option("--attempts", type=int, default=16, show_default=True, help="Of a search.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of a search.")
@json_option
@output_option("Where the tables go, as a document for both parties.", default=None)
@force_option
@click.pass_context
def table(
    context: click.Context,
    epsilon: float | None,
    delta: float | None,
    sensitivity: int,
    draws: int | None,
    distinct: bool,
    stop: str,
    entries: int,
    search: bool,
    attempts: int,
    seed: int,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Make tables that two parties draw noise from, and prove them exactly.

    One party encrypts and shuffles the tables, the other draws from them, and neither knows the
    noise. The proof computes the law of the noise in whole numbers and the δ that each party's
    knowledge leaves, rounded up. Nothing is printed or written that fails it.

    With --digits (the default) tables are shipped for common (ε, δ, sensitivity); for others a
    search finds them in a minute or some.

    \b
    Examples:
      sudare table --epsilon 1 --delta 1e-6
      sudare table --epsilon 1 --delta 1e-6 --entries 200 --json
      sudare table --epsilon 1 --delta 1e-6 --draws 2 -o table.json
      sudare table check table.json
    """
    if context.invoked_subcommand is not None:
        makes = [str(option.name) for option in context.command.params]
        refuse_idle(f"before `{context.invoked_subcommand}`, which makes no table", *makes)
        return
    if epsilon is None or delta is None:
        raise ParameterError("a table needs --epsilon and --delta")
    if draws is None:
        refuse_idle("without --draws", "distinct", "stop")
    else:
        refuse_idle("beside --draws", "digits", "entries", "search", "attempts", "seed")
    if distinct:
        refuse_idle("beside --distinct", "stop")
    from sudare.twoparty.noise.guarantee import Guarantee
    from sudare.twoparty.noise.table_document import TableDocument

    wanted = Guarantee(epsilon, delta, sensitivity)
    if draws is None:
        source, proof = _small_tables(wanted, entries, search, attempts, seed)
    else:
        source, proof = "algorithm 2", _single_table(wanted, draws, distinct, stop)
    if output is not None:
        from sudare.formats.files import write_whole

        made = TableDocument(wanted, proof.scheme).to_json()
        refuse_replacing(output, FileKind.TABLES, force=force, begins=made)
        write_whole(output, made)
    _print(proof, source, as_json)


@table.command()
@click.argument("file", type=PATH)
@click.option(
    "--p2-blind",
    is_flag=True,
    help="P2 never sees the result, so that what it knows of its draws does no harm.",
)
@json_option
def check(file: Path, p2_blind: bool, as_json: bool) -> None:
    """Prove tables that someone else made, or say by how much they fail.

    FILE is a document as written by `sudare table --output`. Exit code 0 means that the guarantee
    it states is proved against P1, P2 and everyone who sees the result; else one sentence says
    what is exceeded, by how much, and the exit code is 2.

    \b
    Examples:
      sudare table check table.json
      sudare table check table.json --p2-blind --json
    """
    from sudare.twoparty.noise.law import require

    document = load_tables(file)
    _print(require(document.scheme, document.guarantee, p2_blind=p2_blind), str(file), as_json)


def _small_tables(
    wanted: "Guarantee", entries: int, search: bool, attempts: int, seed: int
) -> tuple[str, "Proof"]:
    """Shipped tables where there are any, else those that a search finds."""
    from sudare.twoparty.noise import table_search
    from sudare.twoparty.noise.shipped_tables import shipped

    known = None if search else shipped(wanted, entries)
    if known is not None:
        refuse_idle("on tables that are shipped: add --search", "attempts", "seed")
        return "shipped", known
    with progress_bar() as progress:
        task = progress.add_task("searching", total=table_search.steps_of(attempts))
        found = table_search.search(
            wanted,
            entries,
            seed=seed,
            attempts=attempts,
            progress=lambda: progress.advance(task),
        )
    return "searched", found


def _single_table(wanted: "Guarantee", draws: int, distinct: bool, stop: str) -> "Proof":
    """A table of Algorithm 2 that is proved, at least against all but P2."""
    from sudare.twoparty.noise.algorithm2 import Stop, algorithm2, distinct_table
    from sudare.twoparty.noise.law import require

    if distinct:
        return distinct_table(wanted, draws)
    return require(algorithm2(wanted, draws, Stop(stop)), wanted, p2_blind=True)


def _as_json(proof: "Proof", source: str) -> dict[str, Any]:
    from sudare.chance.exact import float_up
    from sudare.twoparty.noise.table_document import TableDocument

    claimed, scheme = proof.guarantee, proof.scheme
    return {
        "key": TableDocument(claimed, scheme).key,
        "source": source,
        "epsilon": claimed.epsilon,
        "delta": claimed.delta,
        "sensitivity": claimed.sensitivity,
        "tables": scheme.readable,
        "signs": scheme.signs,
        "distinct": scheme.distinct,
        "entries": scheme.entries,
        "draws": scheme.draws,
        "mean": {
            "exact": str(proof.mean),
            "value": float(proof.mean),
            "best": claimed.best_mean,
            "relative": proof.relative_mean,
            "own_noise": claimed.own_noise_mean,
            "own_noise_relative": claimed.own_noise_mean / claimed.best_mean,
        },
        "exact_delta": {
            "result": float_up(proof.delta),
            "p1": float_up(proof.delta_p1),
            "p2": float_up(proof.delta_p2),
        },
        "conditions": proof.conditions,
        "proved": {"result": proof.holds, "p1": proof.holds, "p2": proof.holds_for_p2},
        "verdict": proof.verdict,
    }


def _print(proof: "Proof", source: str, as_json: bool) -> None:
    if as_json:
        say_json(_as_json(proof, source))
        return
    from sudare.chance.exact import scientific_up

    claimed, scheme = proof.guarantee, proof.scheme
    signs = " ".join("+" if sign > 0 else "−" for sign in scheme.signs)
    drawn = "no entry twice" if scheme.distinct else "each among all entries"
    say(f"tables      {len(scheme.tables)}, {scheme.entries:,} entries in all ({source})")
    for held in scheme.tables:
        say(f"            {_shown(dict(held))}")
    say(f"draws       {scheme.draws}: {signs} from each table, {drawn}")
    say(
        f"mean |Z|    {float(proof.mean):.4f}, {proof.relative_mean:.3f} of the best there is "
        f"({claimed.best_mean:.4f} = 1/sinh(ε/Δ))"
    )
    own = claimed.own_noise_mean
    say(
        f"own noise   {own:.4f}, {own / claimed.best_mean:.3f} of the best, if each party adds its "
        f"own: no table, δ = 0, {'more' if own > proof.mean else 'less'} noise"
    )
    say(f"δ, result   {scientific_up(proof.delta)}   (whoever sees only the result)")
    say(f"δ, P1       {scientific_up(proof.delta_p1)}   (if P2 re-randomises the sum)")
    say(f"δ, P2       {scientific_up(proof.delta_p2)}   (if P2 sees the result)")
    held_conditions = [name for name, holds in proof.conditions.items() if holds]
    say(f"conditions  {', '.join(held_conditions) or 'none'} of (i) to (v) hold")
    say(f"verdict     {proof.verdict}")


def _shown(held: dict[int, int]) -> str:
    """A table as value: count; of a long one its ends and its middle."""
    cells = [f"{integer(value)}: {count:,}" for value, count in held.items()]
    if len(cells) > _WIDEST:
        middle = len(cells) // 2
        cells = [*cells[:3], "…", *cells[middle - 1 : middle + 2], "…", *cells[-3:]]
    return "{" + ", ".join(cells) + "}"
