"""``sudare decode``: from people's own words to a table of them."""

import csv
import io
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from matplotlib.figure import Figure

from sudare import Aggregate, Collection, Seeded, decode
from sudare.estimation.estimate import Interval
from sudare.questions.text import Discoveries
from sudare.results.renderers import save_plot
from sudare.results.text import sentences
from support import free_text
from support.commands import Result, contents, process, succeed
from support.free_text import CANDIDATES, HELD, PEOPLE, UNLISTED, N
from support.markup import number, read

FIELDS = ["candidate", "share", "stderr", "low", "high", "p_value_alone", "p_value"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """words.json, reports.arrow, total.json, candidates.txt: only read."""
    path = tmp_path_factory.mktemp("survey")
    free_text.survey(path)
    return path


def decoded(folder: Path, *options: object, reports: str = "total.json") -> Result:
    candidates = () if "--candidates" in options else ("--candidates", "candidates.txt")
    return succeed(folder, "decode", "words.json", reports, *candidates, *options)


def agreed(folder: Path) -> Collection:
    return Collection.from_json((folder / "words.json").read_bytes())


def test_what_people_wrote_is_found(folder: Path) -> None:
    """Within six standard errors of the truth, and with it what nobody thought of."""
    result = decoded(folder, "--json").json()
    rows = {row["candidate"]: row for row in result["found"]}
    assert set(HELD) <= rows.keys() <= set(CANDIDATES)
    assert len(rows) <= len(HELD) + 2
    for text in HELD:
        assert abs(rows[text]["share"] - PEOPLE[text] / N) < 6 * rows[text]["stderr"] < 0.1
        assert rows[text]["low"] < rows[text]["share"] < rows[text]["high"]
    rest = result["unexplained"]
    assert abs(rest["share"] - PEOPLE[UNLISTED] / N) < 6 * rest["stderr"] < 0.15


def test_json_is_what_the_library_says(folder: Path) -> None:
    result = decoded(folder, "--json", "--false-discoveries", 0.01, "--level", 0.9).json()
    found, collection = result.pop("found"), agreed(folder)
    total = Aggregate.from_json((folder / "total.json").read_bytes())
    library = decode(collection, total, CANDIDATES, false_discoveries=0.01, level=0.9)
    assert found == library.rows()
    assert [list(row) for row in found] == [FIELDS] * len(found)
    shares = [row["share"] for row in found]
    assert shares == sorted(shares, reverse=True)
    assert result == {
        "collection": "words",
        "key": collection.key,
        "mechanism": "rappor",
        "epsilon": collection.epsilon,
        "n": N,
        "candidates": len(CANDIDATES),
        "false_discoveries": 0.01,
        "correction": "benjamini-hochberg",
        "level": 0.9,
        "smallest_detectable": library.smallest,
        "excess_noise": library.findings.excess,
        "discoveries": len(found),
        "unexplained": {
            "share": library.unexplained,
            "stderr": library.findings.explained_stderr,
        },
    }


# Where reports and candidates come from


def test_reports_and_their_aggregate_give_the_same(folder: Path, tmp_path: Path) -> None:
    expected = decoded(folder, "--json").stdout
    assert decoded(folder, "--json", reports="reports.arrow").stdout == expected
    piped = (folder / "reports.arrow").read_bytes()
    options = ("--candidates", "candidates.txt", "--json")
    assert succeed(folder, "decode", "words.json", *options, stdin=piped).stdout == expected
    seeded = ("--insecure-seed", 1, "-o", tmp_path / "reports.parquet")
    succeed(folder, "randomize", "words.json", "answers.csv", *seeded)
    assert decoded(folder, "--json", reports=str(tmp_path / "reports.parquet")).stdout == expected


def test_several_shards_are_counted_together(folder: Path, tmp_path: Path) -> None:
    seeded = ("--insecure-seed", 2, "-o", tmp_path / "more.arrow")
    succeed(folder, "randomize", "words.json", "answers.csv", *seeded)
    both = ("total.json", tmp_path / "more.arrow", "--candidates", "candidates.txt")
    assert succeed(folder, "decode", "words.json", *both, "--json").json()["n"] == 2 * N


@pytest.mark.parametrize(
    ("before", "end", "last"),
    [("", "\n", "\n"), ("", "\n", ""), ("\ufeff", "\r\n", "\r\n"), ("\ufeff", "\r\n", "")],
)
def test_candidates_as_any_editor_writes_them(
    before: str, end: str, last: str, folder: Path, tmp_path: Path
) -> None:
    expected = decoded(folder, "--json").stdout
    data = (before + end.join(CANDIDATES) + last).encode()
    (tmp_path / "list").write_bytes(data)
    assert decoded(folder, "--candidates", tmp_path / "list", "--json").stdout == expected
    arguments = ("decode", "words.json", "total.json", "--candidates", "-", "--json")
    assert succeed(folder, *arguments, stdin=data).stdout == expected


def test_candidates_down_a_pipe(folder: Path) -> None:
    arguments = ("decode", "words.json", "total.json", "--candidates", "-", "--csv")
    with process(folder, *arguments) as command:
        out, err = command.communicate("\n".join(CANDIDATES).encode())
    assert (command.returncode, err) == (0, b"")
    assert out == decoded(folder, "--csv").stdout


def test_spelling_matters_and_the_keyboard_does_not(tmp_path: Path) -> None:
    """Composed or not, a letter is the same; capitals and spaces are others."""
    file = free_text.collection(tmp_path)
    answers = "が\n".encode() * 200  # as one letter, and as a letter with its mark
    answers += "か\u3099\n".encode() * 200
    seeded = ("--format", "lines", "--insecure-seed", 1, "-o", "r.arrow")
    succeed(tmp_path, "randomize", file, *seeded, stdin=answers)
    (tmp_path / "list").write_text("か\u3099\nか\nが \n", "utf-8")
    options = ("r.arrow", "--candidates", "list", "--all", "--json")
    rows = succeed(tmp_path, "decode", file, *options).json()["all"]
    assert rows[0]["candidate"] == "か\u3099"
    assert rows[0]["share"] > 0.8
    assert max(row["share"] for row in rows[1:]) < 0.2


# How much is shown


def test_csv_is_the_rows(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(decoded(folder, "--csv").out)))
    expected = decoded(folder, "--json").json()["found"]
    assert [list(row) for row in rows] == [FIELDS] * len(expected)
    for row, other in zip(rows, expected, strict=True):
        assert row.pop("candidate") == other.pop("candidate")
        assert {name: float(value) for name, value in row.items()} == other


def test_all_and_top(folder: Path) -> None:
    found = decoded(folder, "--json").json()["found"]
    every = decoded(folder, "--json", "--all").json()
    assert every["found"] == found
    assert sorted(row["candidate"] for row in every["all"]) == sorted(CANDIDATES)
    assert [row for row in map(dict, every["all"]) if row.pop("found")] == found
    few = decoded(folder, "--json", "--top", 2).json()
    assert (few["found"], few["discoveries"]) == (found[:2], len(found))
    assert "all" not in few
    both = decoded(folder, "--json", "--all", "--top", 2).json()
    assert both["all"] == every["all"][:2]
    assert len(decoded(folder, "--csv", "--all").out.splitlines()) == len(CANDIDATES) + 1
    assert len(decoded(folder, "--csv", "--top", 3).out.splitlines()) == 4
    assert f"{len(found)} of 200 candidates found; the 2 largest" in decoded(folder, "--top", 2).out


def words(text: str) -> str:
    """As one line: what is printed is wrapped."""
    return " ".join(text.split()).replace("\N{NO-BREAK SPACE}", " ")


def test_the_table_is_for_people(folder: Path) -> None:
    shown = decoded(folder).out
    result = decoded(folder, "--json").json()
    assert all(
        text in shown for text in (*HELD, "Which tea?", "95\N{NO-BREAK SPACE}% interval", "█")
    )
    assert max(map(len, shown.splitlines())) <= 80
    told = words(shown)
    rest = 100 * result["unexplained"]["share"]
    assert f"{len(result['found'])} of 200 candidates found." in told
    rest_said = f"the other {rest:.1f} % ± "
    assert f"the answers of {100 - rest:.1f} % of people (less the luck" in told
    assert rest_said in told
    assert f"A text that {100 * result['smallest_detectable']:.2f} % of people answered" in told
    assert "At most about 5 % of those found are there by chance." in told
    assert f"{N:,} reports, ε = 6 each." in told


@pytest.mark.parametrize(
    ("correction", "meaning"),
    [
        ("benjamini-hochberg", "At most about 1 % of those found are there by chance."),
        ("bonferroni", "The chance that any of those found is there by chance is at most 1 %."),
        ("none", "not adjusted: of 200 texts that nobody answered, about 2.00 would be found"),
    ],
)
def test_the_level_is_explained(correction: str, meaning: str, folder: Path) -> None:
    options = ("--correction", correction, "--false-discoveries", 0.01)
    assert meaning in words(decoded(folder, *options).out)
    rows = decoded(folder, "--json", "--all", *options).json()["all"]
    raised = [row["p_value"] / row["p_value_alone"] for row in rows]
    assert min(raised) >= 1
    assert (max(raised) > 1) == (correction != "none")


def test_one_candidate_needs_fewer_reports_than_many(folder: Path) -> None:
    """Without adjustment the smallest share is that of a single test."""
    smallest = [
        decoded(folder, "--json", "--correction", name).json()["smallest_detectable"]
        for name in ("none", "bonferroni")
    ]
    assert smallest[0] < 0.6 * smallest[1]


def test_nothing_found(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("coffee\ncocoa\n")
    shown = words(decoded(folder, "--candidates", tmp_path / "list").out)
    result = decoded(folder, "--candidates", tmp_path / "list", "--json").json()
    assert shown.startswith(
        "0 of 2 candidates found. For all that is known, everybody answered something else"
    )
    assert (result["found"], result["unexplained"]) == ([], {"share": 1, "stderr": 0})
    assert (
        decoded(folder, "--candidates", tmp_path / "list", "--csv").out == ",".join(FIELDS) + "\n"
    )


def test_common_texts_that_are_missing_are_noticed(folder: Path, tmp_path: Path) -> None:
    hint = "something that many people answered is missing from the candidates"
    (tmp_path / "whole.txt").write_text("\n".join([*CANDIDATES, UNLISTED]), "utf-8")
    assert hint not in words(decoded(folder, "--candidates", tmp_path / "whole.txt").out)
    many = {f"unlisted {number}": 20_000 for number in range(400)}
    total = agreed(folder).simulate({**PEOPLE, **many}, Seeded(1))
    (tmp_path / "total.json").write_bytes(total.to_json())
    assert hint in words(decoded(folder, reports=str(tmp_path / "total.json")).out)


def test_what_is_unexplained_is_clipped_in_words_alone(folder: Path) -> None:
    collection = agreed(folder)
    total = collection.simulate(PEOPLE, Seeded(1))
    result = decode(collection, total, CANDIDATES)
    for explained, said in (
        (1.02, "100.0 % of people (less the luck of being found); the other 0.0 % ± 2.0 %"),
        (-0.01, "0.0 %"),
    ):
        findings = replace(result.findings, explained=explained, explained_stderr=0.02)
        shown = Discoveries(collection, replace(result, findings=findings), False, None)
        assert f"the answers of {said}" in words(" ".join(sentences(shown)))
        assert shown.document()["unexplained"]["share"] == 1 - explained


def test_candidates_are_text_and_nothing_else(tmp_path: Path) -> None:
    file = free_text.collection(tmp_path)
    hard = ["[red]tea[/red]", "\x1b[31mtea", "x" * 9999, "長い" * 900]
    text = "".join(f"{answer}\n" * 300 for answer in hard).encode()
    seeded = ("--format", "lines", "--insecure-seed", 1, "-o", "r.arrow")
    succeed(tmp_path, "randomize", file, *seeded, stdin=text)
    (tmp_path / "list").write_text("\n".join(hard), "utf-8")
    options = ("r.arrow", "--candidates", "list")
    shown = succeed(tmp_path, "decode", file, *options, "--plot", "page.html").out
    assert "[red]tea[/red]" in shown
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert (tmp_path / "page.html").stat().st_size < 20_000
    rows = succeed(tmp_path, "decode", file, *options, "--json").json()["found"]
    assert {row["candidate"] for row in rows} == set(hard)


# Files


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)])
def test_an_output_file_holds_what_stdout_would(
    form: tuple[str, ...], folder: Path, tmp_path: Path
) -> None:
    count = decoded(folder, "--json").json()["discoveries"]
    done = decoded(folder, *form, "-o", tmp_path / "out")
    assert (done.stdout, done.err) == (b"", f"{count} of 200 candidates found\n")
    assert (tmp_path / "out").read_bytes() == decoded(folder, *form).stdout


@pytest.mark.parametrize("suffix", ["html", "png", "svg", "pdf"])
@pytest.mark.parametrize("candidates", [CANDIDATES, ["coffee"]], ids=["some", "none"])
def test_plots(candidates: list[str], suffix: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("\n".join(candidates), "utf-8")
    path = tmp_path / f"tea.{suffix}"
    options = ("--candidates", tmp_path / "list", "--plot", path)
    assert decoded(folder, *options).out
    starts = {"html": b"<!DOCTYPE html>", "png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    assert path.read_bytes().startswith(starts[suffix])
    if suffix == "svg":
        assert ET.fromstring(path.read_bytes()).tag.endswith("svg")  # noqa: S314 - our own file
    assert contents(tmp_path).keys() == {"list", path.name}


@pytest.mark.parametrize("complete", [(), ("--complete",)], ids=["found", "complete"])
def test_the_page_and_the_table_say_what_the_rows_say(
    complete: tuple[str, ...], folder: Path, tmp_path: Path
) -> None:
    options = ("--level", 0.8, "--top", 3, *complete)
    decoded(folder, *options, "--plot", tmp_path / "tea.html", "-o", tmp_path / "tea.txt")
    result = decoded(folder, *options, "--json").json()
    text = (tmp_path / "tea.html").read_text("utf-8")
    head, *rows = read(text).table()
    assert head[3] == "80\N{NO-BREAK SPACE}% interval"
    assert [row[0] for row in rows] == [row["candidate"] for row in result["found"]]
    printed = words((tmp_path / "tea.txt").read_text("utf-8"))
    for row, other in zip(rows, result["found"], strict=True):
        said = [number(part) for part in (row[1], row[2], *row[3].split(" to "))]
        meant = [100 * other[name] for name in ("share", "stderr", "low", "high")]
        assert said == pytest.approx(meant, abs=0.051)
        assert words(f"{row[0]} │ {row[1]} │ {row[3]} │") in printed
    assert f"200, of which {result['discoveries']} found" in text
    assert f"{result['discoveries']} of 200" in words(text)
    assert "; the 3 largest are listed" in words(text)


def test_the_picture_has_the_rows_intervals(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Interval] = []

    def figure(*given: Interval, **_: object) -> Figure:
        drawn.append(given[1])
        return Figure()

    monkeypatch.setattr("sudare.results.figures.decoded_figure", figure)
    total = Aggregate.from_json((folder / "total.json").read_bytes())
    for complete in (False, True):
        result = decode(agreed(folder), total, CANDIDATES, complete=complete)
        save_plot(Discoveries(agreed(folder), result, everyone=False, top=None), tmp_path / "x.png")
        rows = result.rows()
        assert drawn[-1].low.tolist() == [row["low"] for row in rows]
        assert drawn[-1].high.tolist() == [row["high"] for row in rows]


def test_a_list_that_is_complete(folder: Path, tmp_path: Path) -> None:
    """Every candidate has a share; nothing is said of others, or of luck."""
    (tmp_path / "all.txt").write_text("\n".join([*CANDIDATES, UNLISTED]), "utf-8")
    whole = ("--candidates", tmp_path / "all.txt")
    plain = decoded(folder, *whole, "--json").json()
    result = decoded(folder, *whole, "--json", "--complete").json()
    assert "complete" not in plain
    assert result.pop("complete") is True
    assert result.keys() == plain.keys()
    assert result["discoveries"] == plain["discoveries"]
    assert result["unexplained"] == {"share": 0, "stderr": 0}
    assert len(result["found"]) == len(CANDIDATES) + 1
    assert [list(row) for row in result["found"]] == [FIELDS] * len(result["found"])
    assert sum(row["share"] for row in result["found"]) == pytest.approx(1)
    for row in result["found"][: len(PEOPLE)]:
        share = PEOPLE[row["candidate"]] / N
        assert abs(row["share"] - share) < 6 * row["stderr"]
    every = decoded(folder, *whole, "--json", "--complete", "--all", "--top", 7).json()
    assert [row for row in every["all"] if row.pop("found") or True] == result["found"][:7]
    told = words(decoded(folder, *whole, "--complete").out)
    assert "The candidates are taken for all there are: no share is below 0" in told
    assert f"{plain['discoveries']} of 201 are found by the test." in told
    assert not any(said in told for said in ("other", "luck", "missing from the candidates"))


def test_a_list_taken_for_complete_that_is_not_is_noticed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text("\n".join(CANDIDATES[2:]), "utf-8")
    told = words(decoded(folder, "--candidates", tmp_path / "few.txt", "--complete").out)
    assert "something that many people answered is missing from the candidates, and others" in told


def test_single_reports_can_be_weighed(folder: Path) -> None:
    result = decoded(folder, "--json", "--likelihood", reports="reports.arrow").json()
    plain = decoded(folder, "--json", reports="reports.arrow").json()
    rows = {row["candidate"]: row for row in result["found"]}
    assert result.keys() == plain.keys()
    for text in HELD:
        assert abs(rows[text]["share"] - PEOPLE[text] / N) < 6 * rows[text]["stderr"]
