"""What is said of an ε when it is chosen: nothing is refused, and nothing is hidden."""

from pathlib import Path

import pytest

from support.commands import Result, succeed

NEW = ("collection", "new", "it", "--question", "?")
TWO = ("--answer", "yes", "--answer", "no")


def made(folder: Path, *options: object) -> Result:
    return succeed(folder, *NEW, *options)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 4, 10])
def test_a_usual_budget_needs_no_word(epsilon: float, tmp_path: Path) -> None:
    assert made(tmp_path, *TWO, "--epsilon", epsilon).err == ""


def test_little_is_questioned(tmp_path: Path) -> None:
    assert made(tmp_path, *TWO, "--epsilon", 0.001).err == (
        "Is ε = 0.001 meant? It says next to nothing of anybody: of 10,000 people with an answer, "
        "5,002 reports say it; of 10,000 without it, 4,998. It takes very many people to see "
        "through so much noise; usual are 0.5 to 4.\n"
    )


def test_much_is_questioned(tmp_path: Path) -> None:
    assert made(tmp_path, *TWO, "--epsilon", 12).err == (
        "Is ε = 12 meant? It hides next to nothing: of 100,000 people with an answer, 99,999 "
        "reports say it; of 100,000 without it, 1. What is sent may be 163,000 times likelier "
        "under one answer than under another; usual are 0.5 to 4.\n"
    )


def test_a_budget_that_is_lowered_is_told(tmp_path: Path) -> None:
    lowered, questioned = made(tmp_path, *TWO, "--epsilon", 1e9).err.splitlines()
    assert lowered == (
        "Note: ε = 1000000000 was lowered to 36.7369, the most that grr can spend with chances "
        "that are multiples of 2⁻⁵³."
    )
    assert "all 1,000,000 reports say it; of 1,000,000 without it, none." in questioned


@pytest.mark.parametrize(
    ("options", "cost"),
    [
        ((), "ε = 2 for a report, 4 for life"),
        (("--lifetime", 3), "ε = 2 for a report, 3 for life"),
        (("--form", "instant"), "ε = 2 for each report, without a bound for life"),
    ],
)
def test_free_text_says_its_lifetime_at_once(
    options: tuple[object, ...], cost: str, tmp_path: Path
) -> None:
    arguments = ("--free-text", "--epsilon", 2, *options)
    piped = made(tmp_path, *arguments)
    assert piped.err.startswith(f"rappor, {cost}, key ")
    assert made(tmp_path, *arguments, "-o", "it.json").out == f"it.json: {piped.err}"


def test_serving_rounds_needs_windows(tmp_path: Path) -> None:
    said = made(tmp_path, "--rounds", 4, "--epsilon", 2, "-o", "it.json").err
    assert said.startswith("Note: `sudare serve` takes rounds only in windows of time")
    assert "--window 1d" in said
    assert not made(tmp_path, "--rounds", 4, "--epsilon", 2, "--window", "1h").err


def test_a_plan_of_words_is_questioned_as_a_whole(tmp_path: Path) -> None:
    plan = ("discover", "new", "it", "--question", "?", "--asks", "both")
    assert not succeed(tmp_path, *plan, "--epsilon", 4).err
    assert succeed(tmp_path, *plan, "--epsilon", 0.009).err.startswith("Is ε = 0.009 meant?")
