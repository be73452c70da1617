"""``sudare warm-up``: everything compiled once, before anybody waits for it."""

import io
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import rich_click as click
from click import get_current_context

from sudare.cli.shared.options import json_option
from sudare.cli.shared.terminal import say, say_json
from sudare.kernels import COMPILE_FROM
from sudare.results.wording import counted

_PEOPLE = 2 * COMPILE_FROM + 1  # who answer: also a last, shorter chunk of them is compiled
_ROUNDS = 20
_FEW, _WIDE, _MANY, _MOST = 3, 300, 5000, 70_000  # answers: of 8, 16 and 32 bits, drawn by 16 or 32
_TEXTS = 1000


@click.command("warm-up")
@json_option
def warm_up(as_json: bool) -> None:
    """Compile what other commands need, so that the first one doesn't have to wait for it.

    Counting, randomising and decoding run as machine code, which is compiled on first use (some
    seconds) and kept. This rehearses the commands on made-up answers, in a folder that is thrown
    away, once after installing or updating. Machine code is kept beside the package, or where
    that can't be written in the user's cache (NUMBA_CACHE_DIR names another folder); where none
    can be written, nothing is kept, and each command compiles for itself.

    \b
    Example:
      sudare warm-up
    """
    from sudare.kernels.compiler import compilations

    began = time.monotonic()
    _rehearse()
    seconds = round(time.monotonic() - began, 1)
    done = compilations()
    if as_json:
        say_json(
            {
                "compiled": done.made,
                "found": done.found,
                "seconds": seconds,
                "folders": list(done.folders),
            }
        )
        return
    kept = f"kept in {', '.join(done.folders)}" if done.folders else "kept nowhere: see --help"
    say(
        f"{counted(done.made, 'kernel')} compiled and {done.found:,} found in {seconds:g} s, {kept}"
    )


def _rehearse() -> None:
    """Run the commands that need kernels, without a word, in a folder of their own."""
    root = get_current_context().find_root().command
    with tempfile.TemporaryDirectory(prefix="sudare-") as folder, chdir(folder):
        _write_answers()
        for command in _commands():
            with (
                redirect_stdout(io.TextIOWrapper(io.BytesIO())),
                redirect_stderr(io.TextIOWrapper(io.BytesIO())),
            ):
                root.main(list(command), prog_name="sudare", standalone_mode=False)


def _write_answers() -> None:
    """Answers to every rehearsed question, one column each, and lists of possible ones."""
    for number in (_FEW, _WIDE, _MANY, _MOST, _TEXTS):
        _write_lines(f"{number}.txt", (f"answer {i}" for i in range(number)))
    columns = (_FEW, _WIDE, _MANY, _MOST)
    _write_lines(
        "answers.csv",
        [
            ",".join(["person", "text", *map(str, columns)]),
            *(
                f"{i // 2},answer {i % 17}," + ",".join(f"answer {i % k}" for k in columns)
                for i in range(_PEOPLE)
            ),
        ],
    )
    rounds = [",".join(map(str, range(1, _ROUNDS + 1)))]
    rounds += [",".join("01"[i % (j + 1) > j // 2] for j in range(_ROUNDS)) for i in range(_PEOPLE)]
    _write_lines("states.csv", rounds)


def _write_lines(name: str, lines: Iterator[str] | Sequence[str]) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _commands() -> Iterator[Sequence[str]]:
    """What is rehearsed: each mechanism from answers to shares, then what takes reports."""
    for k, mechanism in (
        (_FEW, "grr"),
        (_WIDE, "grr"),
        (_MANY, "grr"),
        (_MOST, "grr"),
        (_WIDE, "oue"),
        (_WIDE, "subset"),
        (_MANY, "subset"),
        (_FEW, "hadamard"),
        (_WIDE, "hadamard"),
        (_MOST, "hadamard"),
        (_FEW, "projective"),
        (_WIDE, "projective"),
        (_MOST, "projective"),
        (_FEW, "olh"),
        (_WIDE, "olh"),
        (_MOST, "olh"),
    ):
        yield from _survey(
            f"{mechanism}-{k}",
            ["--answers-file", f"{k}.txt", "--mechanism", mechanism],
            ["answers.csv", "--column", str(k)],
            shares=k == _FEW,
        )
    several = ["--answers-file", f"{_FEW}.txt", "--most", "2"]
    yield from _survey("set", several, ["answers.csv", "--column", str(_FEW)])
    for bins in ("32", "300"):  # of 8 and 16 bits
        options = ["--from", "0", "--to", "100000", "--step", "1", "--mechanism", "wave"]
        answers = ["answers.csv", "--column", "person"]
        yield from _survey(f"wave-{bins}", [*options, "--bins", bins], answers)
    for mechanism in ("kshot", "glance", "harmony", "borappor"):
        options = ["--rounds", str(_ROUNDS), "--mechanism", mechanism]
        yield from _survey(mechanism, options, ["states.csv"])
    for cohorts, hashes in ((64, 1), (1024, 2)):
        name = f"text-{cohorts}"
        options = ["--free-text", "--cohorts", str(cohorts), "--hashes", str(hashes)]
        yield from _survey(name, options, ["answers.csv", "--column", "text"], shares=False)
        decode = ["decode", f"{name}.json", f"{name}.arrow", "--candidates", f"{_TEXTS}.txt"]
        yield from (decode, [*decode, "--complete"])
        yield [*decode[:-1], f"{_FEW}.txt", "--likelihood"]
    one_each = ["--column", str(_FEW), "--person", "person", "--keep", "random"]
    yield ["randomize", f"grr-{_FEW}.json", "answers.csv", *one_each, "-o", "each.arrow"]
    yield [
        *("associate", f"grr-{_FEW}.json", f"grr-{_FEW}.arrow", "text-64.json", "text-64.arrow"),
        *("--second-candidates", f"{_FEW}.txt"),
    ]
    yield ["discover", "new", "plan", "--question", "?", "--epsilon", "4", "-o", "plan.json"]
    yield [
        *("discover", "randomize", "plan.json", "answers.csv", "--column", "text"),
        *("-o", "discovered"),
    ]
    yield ["discover", "decode", "plan.json", "discovered"]


def _survey(
    name: str, options: Sequence[str], answers: Sequence[str], *, shares: bool = True
) -> Iterator[Sequence[str]]:
    """A collection, its reports, their total and, unless it has to be decoded, its shares."""
    agreed, reports, total = f"{name}.json", f"{name}.arrow", f"{name}-total.json"
    asked = ["--question", "?", "--epsilon", "4"]
    yield ["collection", "new", name, *asked, *options, "-o", agreed]
    yield ["randomize", agreed, *answers, "-o", reports]
    yield ["aggregate", agreed, reports, "-o", total]
    if shares:
        yield ["estimate", agreed, total, "--json"]
