"""Where results go: one form at a time, and nothing is lost that is something else."""

from pathlib import Path

import pytest

from support.commands import csv_of, refused, succeed, tea

LOST = "and would be lost: name another file, or say --force"


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """A folder with two collections, answers, reports and aggregates."""
    (tmp_path / "answers.csv").write_text(csv_of({"green": 300, "black": 100}))
    for file in (tea(tmp_path), tea(tmp_path, epsilon=2, name="other")):
        name = file.removesuffix(".json")
        succeed(tmp_path, "randomize", file, "answers.csv", "-o", f"{name}.arrow")
        succeed(tmp_path, "aggregate", file, f"{name}.arrow", "-o", f"{name}-total.json")
    succeed(tmp_path, "estimate", "tea.json", "tea-total.json", "--plot", "tea.png", "-o", "e.json")
    succeed(tmp_path, "estimate", "tea.json", "tea-total.json", "--plot", "tea.html", "-o", "e.csv")
    return tmp_path


COMMANDS = {
    "collection new": (
        "collection",
        "new",
        "tea",
        "--question",
        "?",
        "--rounds",
        2,
        "--epsilon",
        1,
    ),
    "discover new": ("discover", "new", "words", "--question", "?", "--epsilon", 4),
    "randomize": ("randomize", "tea.json", "answers.csv"),
    "aggregate": ("aggregate", "tea.json", "tea.arrow"),
    "table": ("table", "--epsilon", 1, "--delta", 1e-6),
    "estimate as JSON": ("estimate", "tea.json", "tea-total.json", "--json"),
    "estimate as CSV": ("estimate", "tea.json", "tea-total.json", "--csv"),
    "estimate as text": ("estimate", "tea.json", "tea-total.json"),
    "compare as JSON": ("compare", "answers.csv", "--repetitions", 2, "--json"),
}
"""Commands that write, each into a file that is named."""

OWN = {
    "tea.json": (),
    "answers.csv": (),
    "other.arrow": (),
    "other-total.json": (),
    "tea.png": (),
    "tea.html": (),
    "tea.arrow": ("randomize",),
    "tea-total.json": ("aggregate",),
    "e.json": ("estimate as JSON",),
    "e.csv": ("estimate as CSV",),
}
"""Files that are there, and who may replace each of them."""


def may_meet(command: str, file: str) -> bool:
    """Whether a command could write there: it doesn't read the file, and the suffix fits."""
    suffix = file[file.index(".") :]
    if command.startswith(("estimate", "compare")):
        form = {"JSON": ".json", "CSV": ".csv"}.get(command.rpartition(" ")[2])
        fits = suffix == form or suffix not in {".json", ".csv"}
    else:
        fits = command != "randomize" or suffix == ".arrow"
    return fits and file not in COMMANDS[command]


MEETINGS = [(command, file) for command in COMMANDS for file in OWN if may_meet(command, file)]


@pytest.mark.parametrize(("command", "file"), MEETINGS)
def test_only_its_own_kind_is_replaced(command: str, file: str, survey: Path) -> None:
    arguments = (*COMMANDS[command], "-o", file)
    before = (survey / file).read_bytes()
    if command in OWN[file]:
        succeed(survey, *arguments)
        return
    said = refused(survey, *arguments)
    assert said.startswith(f"{file} is ")
    assert said.endswith(LOST)
    assert (survey / file).read_bytes() == before
    succeed(survey, *arguments, "--force")
    assert (survey / file).read_bytes() != before


def test_what_would_be_lost_is_named(survey: Path) -> None:
    def said(*arguments: object) -> str:
        return refused(survey, *arguments)

    aggregate = ("aggregate", "tea.json", "tea.arrow", "-o")
    assert said(*aggregate, "answers.csv") == f"answers.csv is a text file, {LOST}"
    assert said(*aggregate, "other.json") == f"other.json is a collection, {LOST}"
    another = "an aggregate of another collection"
    assert said(*aggregate, "other-total.json") == f"other-total.json is {another}, {LOST}"
    estimate = ("estimate", "tea.json", "tea-total.json")
    assert said(*estimate, "-o", "answers.csv") == (
        f"answers.csv is a text file of something else, {LOST}"
    )
    (survey / "picture.png").write_bytes((survey / "other.json").read_bytes())
    assert said(*estimate, "--plot", "picture.png") == f"picture.png is a collection, {LOST}"
    anew = ("collection", "new", "tea", "--question", "?", "--free-text", "--epsilon", 1)
    assert said(*anew, "-o", "other.json") == f"other.json is another collection, {LOST}"


def test_the_result_of_another_collection_stays(survey: Path) -> None:
    said = refused(survey, "estimate", "other.json", "other-total.json", "-o", "e.json")
    assert said == f"e.json is a JSON document of something else, {LOST}"


def test_columns_tell_results_apart(survey: Path) -> None:
    estimate = ("estimate", "tea.json", "tea-total.json", "-o", "e.csv")
    assert "of something else" in refused(survey, *estimate, "--consistent", "clip")


def test_a_plot_replaces_a_plot(survey: Path) -> None:
    for file in ("tea.png", "tea.html"):
        succeed(survey, "estimate", "tea.json", "tea-total.json", "--plot", file)


def test_an_empty_file_is_nothing_to_lose(survey: Path) -> None:
    (survey / "new.json").touch()
    succeed(survey, "aggregate", "tea.json", "tea.arrow", "-o", "new.json")


def test_the_same_collection_may_be_made_anew(tmp_path: Path) -> None:
    first = (tmp_path / tea(tmp_path)).read_bytes()
    assert (tmp_path / tea(tmp_path)).read_bytes() == first


def test_a_survey_spares_the_files_of_another(survey: Path) -> None:
    (survey / "collection.json").write_bytes((survey / "tea.json").read_bytes())
    said = refused(survey, "simulate", "survey", "--people", 100, "--output", ".")
    assert said == f"collection.json is another collection, {LOST}"


# Forms


@pytest.mark.parametrize(
    "command",
    [
        ("estimate", "tea.json", "tea-total.json"),
        ("associate", "tea.json", "tea.arrow", "other.json", "other.arrow"),
        ("compare", "answers.csv", "--repetitions", 2),
        ("simulate", "stream", "--people", 10, "--rounds", 2),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_one_form_at_a_time(command: tuple[object, ...], survey: Path) -> None:
    both = "the result is either JSON or CSV: choose one of --json and --csv"
    assert refused(survey, *command, "--json", "--csv") == both
    for form, name in (("--json", "x.csv"), ("--csv", "x.json")):
        said = refused(survey, *command, form, "-o", name)
        assert said.endswith(f"the name {name} {name[2:].upper()}: choose one")
    for name in ("x.json", "x.csv"):  # the name alone is enough
        succeed(survey, *command, "-o", name)
        alone = succeed(survey, *command, f"--{name[2:]}").stdout
        assert (survey / name).read_bytes() == alone
    succeed(survey, *command, "-o", "x.txt")
    assert (survey / "x.txt").read_text() == succeed(survey, *command).out


def test_the_result_and_its_plot_are_two_files(survey: Path) -> None:
    command = ("estimate", "tea.json", "tea-total.json", "-o", "x.html", "--plot", "x.html")
    assert refused(survey, *command) == "the result and the plot can't both be x.html"


def test_there_must_be_a_folder(survey: Path) -> None:
    said = refused(survey, "estimate", "tea.json", "tea-total.json", "-o", "none/e.json")
    assert said == "there is no folder none to save e.json in"
