"""``sudare table``: what it prints, writes, proves and refuses."""

import math
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from sudare.twoparty.noise import table_search
from support.commands import refused, run, succeed

ASKED = ("table", "--epsilon", 1, "--delta", "1e-6")


def test_shipped_tables_are_printed_with_their_proof(tmp_path: Path) -> None:
    found = succeed(tmp_path, *ASKED, "--digits", "--json").json()
    assert found["source"] == "shipped"
    assert found["entries"] == sum(sum(table.values()) for table in found["tables"]) <= 400
    assert found["draws"] == 2 * len(found["tables"])
    assert found["mean"]["relative"] <= 1.10
    assert found["mean"]["best"] == pytest.approx(1 / math.sinh(1))
    assert float(Fraction(found["mean"]["exact"])) == found["mean"]["value"]
    assert found["mean"]["own_noise"] == pytest.approx(1.3672349)
    assert found["mean"]["own_noise_relative"] == pytest.approx(1.3672349 * math.sinh(1))
    deltas = found["exact_delta"]
    assert 0 < deltas["result"] == deltas["p1"] == deltas["p2"] <= 1e-6
    assert all(found["proved"].values())
    assert found["verdict"].startswith("proved: (ε = 1, δ = 1e-06) at sensitivity 1 is kept")


def test_fewer_entries_are_kept_to(tmp_path: Path) -> None:
    found = succeed(tmp_path, *ASKED, "--entries", 200, "--json").json()
    assert found["entries"] <= 200
    assert found["mean"]["relative"] <= 1.25


def test_the_documents_table_is_printed_with_what_p2_learns(tmp_path: Path) -> None:
    found = succeed(tmp_path, *ASKED, "--draws", 2, "--json").json()
    assert (found["entries"], found["draws"], found["signs"]) == (2454, 2, [1, 1])
    assert all(found["conditions"].values())
    assert found["proved"] == {"result": True, "p1": True, "p2": False}
    assert found["exact_delta"]["p2"] > 400 * found["delta"]
    distinct = succeed(tmp_path, *ASKED, "--draws", 2, "--distinct", "--json").json()
    assert all(distinct["proved"].values())


def test_people_are_told_the_same(tmp_path: Path) -> None:
    text = succeed(tmp_path, *ASKED).out
    for part in ("entries in all (shipped)", "no entry twice", "δ, P2", "verdict     proved"):
        assert part in text
    own = "own noise   1.3672, 1.607 of the best, if each party adds its own: no table, δ = 0"
    assert f"{own}, more noise\n" in text
    long = succeed(tmp_path, *ASKED, "--draws", 2).out
    assert f"{own}, less noise\n" in long
    assert "{−9: 1, −8: 1, −7: 2, …, −1: 418, 0: 1,082, 1: 418, …" in long
    assert "not against P2 if it sees the result" in long


def test_a_written_table_is_proved_elsewhere(tmp_path: Path) -> None:
    succeed(tmp_path, *ASKED, "-o", "table.json")
    made = succeed(tmp_path, *ASKED, "--json").json()
    checked = succeed(tmp_path, "table", "check", "table.json", "--json").json()
    assert checked["key"] == made["key"]
    assert checked["verdict"] == made["verdict"]


def test_a_table_that_fails_is_refused_by_how_much(tmp_path: Path) -> None:
    succeed(tmp_path, *ASKED, "-o", "table.json")
    document = msgspec.json.decode((tmp_path / "table.json").read_bytes())
    document["epsilon"] = 0.9
    (tmp_path / "worse.json").write_bytes(msgspec.json.encode(document))
    sentence = refused(tmp_path, "table", "check", "worse.json")
    assert sentence.startswith("refused: (ε = 0.9, δ = 1e-06) at sensitivity 1 is not kept, δ is ")
    assert "times what is claimed" in sentence


def test_a_table_that_p2_can_read_is_refused_unless_p2_is_blind(tmp_path: Path) -> None:
    succeed(tmp_path, *ASKED, "--draws", 2, "-o", "table.json")
    assert "not against P2 if it sees the result" in refused(
        tmp_path, "table", "check", "table.json"
    )
    succeed(tmp_path, "table", "check", "table.json", "--p2-blind")


def test_a_search_runs_where_nothing_is_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_search, "_MOST_STEPS", 50_000)
    command = ("table", "--epsilon", 1.5, "--delta", 1e-4, "--entries", 90, "--attempts", 1)
    found = succeed(tmp_path, *command, "--json").json()
    assert found["source"] == "searched"
    assert all(found["proved"].values())
    assert succeed(tmp_path, *command, "--json").json() == found


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--epsilon", 1), "a table needs --epsilon and --delta"),
        (("--epsilon", 0, "--delta", 1e-6), "epsilon must be above 0 and finite, got 0.0"),
        (("--epsilon", "nan", "--delta", 1e-6), "epsilon must be above 0 and finite, got nan"),
        (("--epsilon", 1, "--delta", 0), "delta must lie between 0 and 0.5, got 0.0"),
        (("--epsilon", 1, "--delta", 1e-6, "--sensitivity", 0), "at least 1, got 0"),
        (("--epsilon", 1, "--delta", 1e-6, "--draws", 9), "from 1 to 8 times, got 9"),
        (
            ("--epsilon", 1, "--delta", 1e-6, "--draws", 2, "--digits"),
            "--digits has no effect beside --draws",
        ),
        (
            ("--epsilon", 1, "--delta", 1e-6, "--distinct"),
            "--distinct has no effect without --draws",
        ),
        (
            ("--epsilon", 1, "--delta", 1e-6, "--stop", "tables"),
            "--stop has no effect without --draws",
        ),
        (
            ("--epsilon", 1, "--delta", 1e-6, "--draws", 2, "--distinct", "--stop", "printed"),
            "--stop has no effect beside --distinct",
        ),
        (("--epsilon", 1, "--delta", 1e-6, "--draws", 2, "--entries", 400), "--entries has no"),
        (("--epsilon", 1, "--delta", 1e-6, "--draws", 2, "--search"), "--search has no effect"),
        (("--epsilon", 1, "--delta", 1e-6, "--draws", 2, "--attempts", 16), "--attempts has no"),
        (("--epsilon", 1, "--delta", 1e-6, "--draws", 2, "--seed", 0), "--seed has no effect"),
        (
            ("--epsilon", 1, "--delta", 1e-6, "--seed", 3),
            "--seed has no effect on tables that are shipped: add --search",
        ),
        (("--epsilon", 1, "--delta", 1e-6, "--attempts", 3), "--attempts has no effect on"),
        (("--epsilon", 1, "--delta", 1e-7, "--entries", 9), "from 40 to 1000000 entries, got 9"),
        (
            ("--epsilon", 1, "--delta", 1e-7, "--attempts", 0),
            "at least 1 attempt and a seed from 0 on, got 0 and 0",
        ),
        (("--epsilon", 1, "--delta", 1e-7, "--seed", -1), "a seed from 0 on, got 16 and -1"),
        (("--epsilon", 1e-9, "--delta", 1e-6), "tables are made and proved up to ±4000"),
        (
            ("--epsilon", 0.1, "--delta", 6.2e-5, "--draws", 4, "--stop", "printed"),
            "is not kept, δ is 7.37e-05, 1.19 times what is claimed and 1.17e-05 too much",
        ),
    ],
)
def test_bad_input_is_a_sentence(
    tmp_path: Path, options: tuple[object, ...], sentence: str
) -> None:
    assert sentence in refused(tmp_path, "table", *options, "-o", "table.json")


def test_bad_files_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_bytes(b"")
    (tmp_path / "other.json").write_bytes(b'{"sudare": "aggregate"}')
    assert "empty.json is empty" in refused(tmp_path, "table", "check", "empty.json")
    assert "other.json is an aggregate, not a document of noise tables" in refused(
        tmp_path, "table", "check", "other.json"
    )
    assert "nowhere.json" in refused(tmp_path, "table", "check", "nowhere.json")


@pytest.mark.parametrize(
    "options",
    [
        ("--epsilon", -1),
        ("--delta", "1e-6"),
        ("--sensitivity", 1),
        ("--digits",),
        ("--draws", 2),
        ("--distinct",),
        ("--stop", "tables"),
        ("--entries", 400),
        ("--search",),
        ("--attempts", 16),
        ("--seed", 0),
        ("--json",),
        ("--output", "other.json"),
    ],
    ids=lambda options: options[0],
)
def test_options_of_making_are_refused_before_a_check(
    tmp_path: Path, options: tuple[object, ...]
) -> None:
    succeed(tmp_path, *ASKED, "-o", "table.json")
    assert refused(tmp_path, "table", *options, "check", "table.json") == (
        f"{options[0]} has no effect before `check`, which makes no table"
    )


@pytest.mark.parametrize("value", ["00", "-0", "+1", "01", " 1", "1_0", "1.0", "", "٣", "9" * 5000])
def test_a_value_in_another_form_is_refused(tmp_path: Path, value: str) -> None:
    """Two forms of one number would be two lines of a table, of which one was lost."""
    succeed(tmp_path, *ASKED, "-o", "table.json")
    document = msgspec.json.decode((tmp_path / "table.json").read_bytes())
    document["tables"][0][value] = 5
    (tmp_path / "table.json").write_bytes(msgspec.json.encode(document))
    assert refused(tmp_path, "table", "check", "table.json") == (
        "table.json: a value of a table is a whole number from -2147483648 to 2147483648 in its "
        "shortest form, "
        f"such as -1, 0 or 1, got {value[:11]!r}"
    )


def test_help_has_examples(tmp_path: Path) -> None:
    assert "sudare table --epsilon 1 --delta 1e-6" in run(tmp_path, "table", "--help").out
    assert "sudare table check table.json" in run(tmp_path, "table", "check", "--help").out
