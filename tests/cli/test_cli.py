"""The command line's main road: a private survey from question to estimate."""

import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sudare.collection.document import Collection
from sudare.mechanisms.aggregate import Aggregate
from support.commands import TEAS, contents, csv_of, process, run, succeed, tea

TRUTH = {"green": 15_000, "black": 9_000, "oolong": 6_000}
COMMANDS = [
    ("collection", "new"),
    ("collection", "show"),
    ("collection", "check"),
    ("collection",),
    ("randomize",),
    ("aggregate",),
    ("estimate",),
    ("compare",),
    ("decode",),
    ("epsilon",),
    ("demo",),
    ("simulate", "survey"),
    (),
]
mechanisms = pytest.mark.parametrize("mechanism", ["grr", "oue", "sue"])


def survey(folder: Path, mechanism: str, people: dict[str, int] | None = None) -> str:
    """A collection with its reports and aggregate: tea.json, reports.arrow, total.json."""
    file = tea(folder, "--mechanism", mechanism)
    (folder / "answers.csv").write_text(csv_of(people or TRUTH))
    succeed(folder, "randomize", file, "answers.csv", "-o", "reports.arrow", "--insecure-seed", 1)
    succeed(folder, "aggregate", file, "reports.arrow", "-o", "total.json")
    return file


@mechanisms
def test_the_estimate_is_close_to_the_truth(mechanism: str, tmp_path: Path) -> None:
    """Within six standard errors, which are themselves those of the theory."""
    file = survey(tmp_path, mechanism)
    found = succeed(tmp_path, "estimate", file, "total.json", "--json").json()
    assert [row["answer"] for row in found["answers"]] == list(TEAS)
    for row, people in zip(found["answers"], TRUTH.values(), strict=True):
        assert abs(row["share"] - people / 30_000) < 6 * row["stderr"] < 0.1
        assert row["low"] < row["share"] < row["high"]
        assert row["people"] == pytest.approx(row["share"] * 30_000)
        assert row["p_value"] < 1e-9
    assert found["n"] == 30_000


def test_messages_are_on_stderr_and_data_on_stdout(tmp_path: Path) -> None:
    file = tea(tmp_path)
    answers = b"green\nblack\n"
    done = succeed(tmp_path, "randomize", file, "--format", "lines", stdin=answers)
    assert done.err == "2 answers randomised at ε = 1 each\n"
    counted = succeed(tmp_path, "aggregate", file, stdin=done.stdout)
    assert counted.err == "2 reports counted\n"
    assert Aggregate.from_json(counted.stdout).n == 2
    assert "2 reports, ε = 1 each" in succeed(tmp_path, "estimate", file, stdin=counted.stdout).out


@mechanisms
def test_merged_shards_are_the_whole(mechanism: str, tmp_path: Path) -> None:
    file = tea(tmp_path, "--mechanism", mechanism)
    for name, seed, suffix in (("one", 1, "arrow"), ("two", 2, "parquet"), ("three", 3, "arrow")):
        people = csv_of({"green": 50 * seed, "black": 30})
        options = ("--insecure-seed", seed, "-o", f"{name}.{suffix}")
        succeed(tmp_path, "randomize", file, *options, stdin=people.encode())
    shards = ("one.arrow", "two.parquet", "three.arrow")
    succeed(tmp_path, "aggregate", file, *shards, "-o", "whole.json")
    for shard in shards:
        succeed(tmp_path, "aggregate", file, shard, "-o", f"{shard}.json")
    parts = [f"{shard}.json" for shard in shards]
    succeed(tmp_path, "aggregate", file, *parts, "-o", "merged.json")
    succeed(tmp_path, "aggregate", file, parts[0], *shards[1:], "-o", "mixed.json")
    files = contents(tmp_path)
    assert files["whole.json"] == files["merged.json"] == files["mixed.json"]
    whole = Aggregate.from_json(files["whole.json"])
    assert whole.n == sum(50 * seed + 30 for seed in (1, 2, 3))


def test_the_aggregate_is_that_of_the_library(tmp_path: Path) -> None:
    file = survey(tmp_path, "oue", {"green": 100})
    agreed = Collection.from_json((tmp_path / file).read_bytes())
    total = Aggregate.from_json((tmp_path / "total.json").read_bytes())
    assert (total.key, total.n, total.counts.shape) == (agreed.key, 100, (3,))


def test_a_seed_repeats_the_noise_and_the_system_does_not(tmp_path: Path) -> None:
    file = tea(tmp_path)
    people = csv_of({"green": 500}).encode()

    def reports(*options: object) -> bytes:
        return succeed(tmp_path, "randomize", file, *options, stdin=people).stdout

    assert reports("--insecure-seed", 7) == reports("--insecure-seed", 7)
    assert len({reports(), reports(), reports("--insecure-seed", 7)}) == 3


def test_an_output_file_is_replaced(tmp_path: Path) -> None:
    file = survey(tmp_path, "grr", {"green": 10})
    (tmp_path / "total.json").write_text("old")
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json", "--force")
    assert Aggregate.from_json((tmp_path / "total.json").read_bytes()).n == 10
    assert not [name for name in contents(tmp_path) if name.startswith(".")]


# Collections


@pytest.mark.parametrize(
    ("answers", "epsilon", "best"), [(3, 1.0, "grr"), (43, 1.0, "subset"), (43, 4.0, "grr")]
)
def test_auto_takes_the_mechanism_with_the_least_error(
    answers: int, epsilon: float, best: str, tmp_path: Path
) -> None:
    (tmp_path / "labels.txt").write_text("\n".join(f"model {i}" for i in range(answers)))
    made = succeed(
        tmp_path,
        *("collection", "new", "models", "--question", "Which?", "--answers-file", "labels.txt"),
        *("--epsilon", epsilon),
    )
    agreed = Collection.from_json(made.stdout)
    assert agreed.mechanism.name == best
    assert agreed.answers == tuple(f"model {i}" for i in range(answers))
    assert epsilon * (1 - 1e-9) < agreed.epsilon <= epsilon


def test_show_and_check_tell_the_whole_document(tmp_path: Path) -> None:
    file = tea(tmp_path)
    agreed = Collection.from_json((tmp_path / file).read_bytes())
    shown = succeed(tmp_path, "collection", "show", file).out
    assert all(fact in shown for fact in (*TEAS, "Which tea?", "ε per report       1 "))
    document = succeed(tmp_path, "collection", "show", file, "--json").json()
    assert document["key"] == agreed.key
    assert document["answers"] == list(TEAS)
    checked = succeed(tmp_path, "collection", "check", file).out
    assert checked.startswith("tea.json: sound; one report spends ε = ")
    assert checked.count("\n") == 1


@pytest.mark.parametrize("label", ["[red]tea[/red]", "[/]", "[link=x]", ":tea:", "抹茶", 'a, "b"'])
def test_labels_are_shown_as_they_are(label: str, tmp_path: Path) -> None:
    """Nothing in a label or a question is markup."""
    succeed(
        tmp_path,
        *("collection", "new", label, "--question", f"{label}?", "--answer", label),
        *("--answer", "other", "--epsilon", 1, "--minimum-reports", 1, "-o", "odd.json"),
    )
    reports = succeed(
        tmp_path, "randomize", "odd.json", "--format", "lines", stdin=f"{label}\n".encode()
    ).stdout
    total = succeed(tmp_path, "aggregate", "odd.json", stdin=reports).stdout
    shown = succeed(tmp_path, "collection", "show", "odd.json").out
    estimated = succeed(tmp_path, "estimate", "odd.json", stdin=total).out
    assert shown.count(label) >= 3
    assert estimated.count(label) >= 2


@mechanisms
def test_epsilon_is_exact_and_enumerated(mechanism: str, tmp_path: Path) -> None:
    file = tea(tmp_path, "--mechanism", mechanism)
    found = succeed(tmp_path, "epsilon", file, "--json").json()
    assert found["enumerated"] == found["worst_ratio"]
    assert math.log(Fraction(found["worst_ratio"])) <= found["epsilon"] <= 1
    told = succeed(tmp_path, "epsilon", file).out
    assert found["worst_ratio"] in told
    assert "equal: every path of the code that ships was walked" in told


def test_epsilon_of_a_large_collection_is_not_enumerated(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("\n".join(map(str, range(100))))
    made = succeed(
        tmp_path,
        *("collection", "new", "n", "--question", "?", "--answers-file", "labels.txt"),
        *("--epsilon", 1),
    )
    (tmp_path / "n.json").write_bytes(made.stdout)
    assert succeed(tmp_path, "epsilon", "n.json", "--json").json()["enumerated"] is None
    assert "not at 100 answers" in succeed(tmp_path, "epsilon", "n.json").out


# Help


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_has_an_example(command: tuple[str, ...], option: str, tmp_path: Path) -> None:
    result = run(tmp_path, *command, option)
    assert (result.code, result.err) == (0, "")
    assert f"sudare {' '.join(command)}".strip() in result.out
    assert "Example" in result.out or not command
    assert "sudare collection new tea" in result.out or command


def test_the_version_is_told(tmp_path: Path) -> None:
    assert "0.1.0" in succeed(tmp_path, "--version").out


def test_help_loads_nothing_heavy() -> None:
    heavy = {"numpy", "pyarrow", "scipy", "numba", "matplotlib", "cryptography", "msgspec"}
    code = f"""
import sys
from sudare.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
print(*({heavy!r} & sys.modules.keys()), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""


def test_the_module_is_the_command(tmp_path: Path) -> None:
    with process(tmp_path, "--help") as command:
        out, err = command.communicate()
    assert (command.returncode, err) == (0, b"")
    assert "A private survey, end to end" in out.decode()
    assert np.all([name in out.decode() for name in ("randomize", "aggregate", "estimate")])
