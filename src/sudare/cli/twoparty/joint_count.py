"""``sudare joint-count``: counts that devices encrypt to P1 and send to P2."""

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from sudare.cli.shared.answers import AnswerOptions, answer_options, say_reading
from sudare.cli.shared.files import refuse_ours
from sudare.cli.shared.options import (
    PATH,
    force_option,
    json_option,
    output_option,
    progress_bar,
    refuse_overwriting,
)
from sudare.cli.shared.output import refuse_replacing
from sudare.cli.shared.terminal import say, say_json
from sudare.cli.twoparty.agreement import (
    agreed,
    agreement_options,
    load_count,
    tables_text,
)
from sudare.errors import ParameterError
from sudare.formats.file_kinds import FileKind
from sudare.formats.strangers import refuse_unseen
from sudare.results.wording import counted
from sudare.twoparty.ciphers.interface import cipher_named

if TYPE_CHECKING:
    import pyarrow as pa

    from sudare.answers.reading import Judged

_LONGEST = 12  # digits of a value
_OFTEN = 256  # records between two steps of the bar


@click.group("joint-count")
def joint_count() -> None:
    """Count over encrypted answers: P2 adds them up unread, P1 opens only the noisy total.

    \b
    A count, end to end:
      sudare joint-count new smokers --epsilon 1 --delta 1e-6 --people 100000 \\
        -o count.json --secret secret.json                        (P1)
      sudare joint-count encrypt count.json bits.csv -o records.bin   (the devices)
      sudare party one --listen HOST:PORT --count count.json --secret secret.json …    (P1)
      sudare party two --connect HOST:PORT --count count.json --records records.bin …  (P2)
    """


@joint_count.command()
@click.argument("name")
@agreement_options
@click.option("--proofs", is_flag=True, help="Each record proves that it holds 0 or 1.")
@output_option("The document for devices and P2 (JSON).", required=True)
@force_option
@click.option("--secret", type=PATH, required=True, help="The document that P1 keeps.")
@json_option
def new(
    name: str,
    proofs: bool,
    output: Path,
    force: bool,
    secret: Path,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - the options of an agreement, used by name
) -> None:
    """P1: make a count's keys. They open one total, once.

    \b
    Examples:
      sudare joint-count new smokers --epsilon 1 --delta 1e-6 -o count.json --secret secret.json
      sudare joint-count new "cups of tea" --epsilon 1 --delta 1e-6 --most 10 \\
        -o count.json --secret secret.json
    """
    from sudare.formats.files import write_whole
    from sudare.twoparty.protocol.joint_count import JointCount

    refuse_unseen("a name", name)
    if output.absolute() == secret.absolute():
        raise ParameterError("--output and --secret must be two files: one of them is published")
    if secret.exists():
        raise ParameterError(f"{secret} is there already, and a secret is not written over")
    _, agreement = agreed(count_file=None, **options)
    _ = agreement.proof
    keys = cipher_named(agreement.cipher).keys()
    count = JointCount(name, agreement, keys.public, proofs)
    refuse_replacing(output, FileKind.COUNT, force=force, begins=count.to_json())
    write_whole(secret, count.secret_json(keys), private=True)
    try:
        write_whole(output, count.to_json())
    except OSError:
        secret.unlink()
        raise
    guarantee = agreement.document.guarantee
    if as_json:
        say_json(
            {"key": count.key, "epsilon": guarantee.epsilon, "delta": guarantee.delta}
            | {"people": agreement.people, "most": agreement.most, "proofs": proofs}
            | {"candidates": agreement.candidates}
        )
        return
    people = counted(agreement.people, "person", "people")
    say(f"“{name}”: up to {people}, 0 to {agreement.most} each")
    say(f"cost    {guarantee}")
    enforced = "proved by each record" if proofs else "trusted: nothing proves a device's value"
    say(f"range   {enforced}")
    say(f"tables  {tables_text(agreement)}")


@joint_count.command()
@click.argument("count", type=PATH)
@click.argument("values", type=PATH)
@answer_options
@output_option("Where the records go, for P2.", required=True)
@force_option
@json_option
def encrypt(
    count: Path, values: Path, source: AnswerOptions, output: Path, force: bool, as_json: bool
) -> None:
    """The devices: a record for each person's value.

    VALUES is a file with one whole number per person. A value outside the count's range is
    refused here, on the device; what other programs encrypt is only bounded by --proofs.

    \b
    Examples:
      sudare joint-count encrypt count.json bits.csv -o records.bin
      sudare joint-count encrypt count.json bits.txt --format lines -o records.bin
    """
    from sudare.answers.table import columns_named
    from sudare.chance.randomness import System
    from sudare.formats.files import replacing
    from sudare.twoparty.protocol.joint_count import encrypted

    known = load_count(count)
    refuse_overwriting(output, count, values)
    refuse_replacing(output, FileKind.RECORDS, force=force)
    refuse_ours(values, FileKind.DATA)
    cipher = cipher_named(known.agreement.cipher)
    judge = _Numbers(known.agreement.most)
    reading = source.reading(values, columns_named(source.name), judge, System())
    number = 0
    with progress_bar() as progress, replacing(output) as temporary:
        task = progress.add_task("encrypting", total=None)
        with temporary.open("wb") as file:
            for record in encrypted(known, cipher, chain.from_iterable(reading)):
                file.write(record)
                number += 1
                if not number % _OFTEN:
                    progress.update(task, completed=number)
        if not 1 <= number <= known.agreement.people:
            raise ParameterError(
                f"the count is for 1 to {counted(known.agreement.people, 'person', 'people')}, "
                f"{values} has {counted(number, 'value')}"
            )
    size = output.stat().st_size
    if as_json:
        say_json({"key": known.key, "records": number, "bytes": size})
    else:
        say(f"{counted(number, 'record')}, {counted(size, 'byte')}")
    say_reading(reading)


class _Numbers:
    """The judge of values: whole numbers from 0 to the most that a person may have."""

    def __init__(self, most: int) -> None:
        self._most = most

    def encode_columns(self, columns: "list[pa.Array]") -> "Judged":
        """The numbers themselves."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        from sudare.answers.reading import Judged

        digits = pc.match_substring_regex(columns[0], f"^[0-9]{{1,{_LONGEST}}}$").fill_null(False)
        numbers = pc.cast(pc.if_else(digits, columns[0], "0"), pa.int64()).to_numpy()
        wrong = ~digits.to_numpy(zero_copy_only=False) | (numbers > self._most)
        return Judged(np.asarray(numbers, object), wrong)  # Python's own: they are encrypted

    def refusal(self, columns: "list[pa.Array]") -> str:
        """That a value is no whole number that is allowed."""
        from sudare.answers.reading import is_empty

        missing = is_empty(columns[0])[0]
        return (
            f"the value is {'missing' if missing else f'not a whole number from 0 to {self._most}'}"
        )
