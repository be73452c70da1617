"""Data as people have it, from the file to the estimate: by line, by person, with the truth."""

import csv
import gzip
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare.collection.document import Collection
from sudare.mechanisms.aggregate import Aggregate
from support.commands import UNTOLD, process, refused, succeed, tea

CERTAIN = 30.0  # hardly any noise: what is counted is what was read


def counts(folder: Path, collection: str, *options: object, stdin: bytes = b"") -> dict[str, int]:
    """How many people were counted behind each answer."""
    reports = succeed(
        folder, "randomize", collection, *options, "--insecure-seed", 1, stdin=stdin
    ).stdout
    total = Aggregate.from_json(succeed(folder, "aggregate", collection, stdin=reports).stdout)
    agreed = Collection.from_json((folder / collection).read_bytes())
    return dict(zip(agreed.answers, total.counts.tolist(), strict=True))


@pytest.fixture
def survey(tmp_path: Path) -> str:
    return tea(tmp_path, "--mechanism", "grr", epsilon=CERTAIN)


# Rows that are left out


MESSY = (
    "who;tea;note\r\n"
    "1;green;\r\n"
    '2;;"a note\r\nof two lines"\r\n'
    f"3;{UNTOLD};\r\n"
    "\r\n"
    "4;black;x;y\r\n"
    "5;caf\xe9;\r\n"
    "6;oolong;\r\n"
)


def test_each_row_is_named_by_its_line_and_its_cause(survey: str, tmp_path: Path) -> None:
    path = tmp_path / "tea.csv.gz"
    path.write_bytes(gzip.compress(MESSY.encode("latin-1")))
    command = ("randomize", survey, path.name, "--column", "tea", "-o", "r.arrow")
    # What is wrong with the shape of a block is known before its answers are.
    assert refused(tmp_path, *command) == (
        "line 7 of tea.csv.gz: there are more or fewer cells than in the header; --skip-bad leaves "
        "such rows out"
    )
    assert refused(tmp_path, *command, "--skip-bad") == (
        "line 3 of tea.csv.gz: the answer is missing; --skip-missing leaves such rows out"
    )
    lines = MESSY.replace("4;black;x;y", "4;black;x").encode("latin-1")
    path.write_bytes(gzip.compress(lines))
    assert refused(tmp_path, *command, "--skip-missing") == (
        "line 5 of tea.csv.gz: the answer is not one of the 3 answers of “tea” (`sudare collection "
        "show` lists them); --skip-bad leaves such rows out"
    )
    path.write_bytes(gzip.compress(lines.replace(UNTOLD.encode(), b"green")))
    assert refused(tmp_path, *command, "--skip-missing") == (
        "line 8 of tea.csv.gz: this isn't UTF-8 text (--encoding names another); --skip-bad leaves "
        "such rows out"
    )


def test_what_is_left_out_is_counted_by_its_cause(survey: str, tmp_path: Path) -> None:
    (tmp_path / "tea.csv").write_bytes(MESSY.encode("latin-1"))
    skip = ("--column", "tea", "--skip-missing", "--skip-bad")
    done = succeed(tmp_path, "randomize", survey, "tea.csv", *skip, "-o", "r.arrow")
    said = done.err.splitlines()
    assert said[0].startswith("2 answers randomised at ")
    assert said[1] == (
        "left out: 1 row with more or fewer cells than the header, 1 row not in the file's "
        "encoding, 1 row without an answer, 1 row with none of the answers that are allowed"
    )
    assert len(said) == 2
    assert counts(tmp_path, survey, "tea.csv", *skip) == {"green": 1, "black": 0, "oolong": 1}
    done = succeed(
        tmp_path, "randomize", survey, "tea.csv", *skip, "--encoding", "latin-1", "-o", "r.arrow"
    )
    assert "2 rows with none of the answers that are allowed" in done.err


def test_nothing_is_said_of_what_is_not_left_out(survey: str, tmp_path: Path) -> None:
    rows = b"answer\ngreen\nblack\n"
    done = succeed(tmp_path, "randomize", survey, "--skip-bad", "-o", "r.arrow", stdin=rows)
    assert done.err == "2 answers randomised at ε = 29.9999 each\n"


def test_all_rows_left_out_is_nothing_to_randomise(survey: str, tmp_path: Path) -> None:
    rows = f"answer\n{UNTOLD}\n".encode()
    command = ("randomize", survey, "--skip-bad", "-o", "r.arrow")
    assert "holds 0 answers" in refused(tmp_path, *command, stdin=rows)


# Rows that aren't people


VISITS = [
    ("a", "green"),
    ("b", "black"),
    ("a", "black"),
    ("c", ""),
    ("a", "oolong"),
    ("b", "green"),
]


def visits(path: Path) -> None:
    path.write_text("user\tanswer\n" + "".join(f"{who}\t{tea}\n" for who, tea in VISITS))


@pytest.mark.parametrize(
    ("keep", "wanted"), [("first", [1, 1, 0]), ("last", [1, 0, 1])], ids=["first", "last"]
)
def test_one_answer_of_each_person(
    keep: str, wanted: list[int], survey: str, tmp_path: Path
) -> None:
    """Of those that are answers: a row that is left out is nobody's first."""
    visits(tmp_path / "visits.tsv")
    options = ("visits.tsv", "--person", "user", "--keep", keep, "--skip-missing")
    assert list(counts(tmp_path, survey, *options).values()) == wanted
    done = succeed(tmp_path, "randomize", survey, *options, "-o", "r.arrow")
    assert f"5 rows of 2 people; the {keep} answer of each was kept\n" in done.err
    assert "left out: 1 row without an answer\n" in done.err


def test_one_answer_at_random(survey: str, tmp_path: Path, seed: int) -> None:
    """Of 3,000 people with three teas each, every tea within 7 standard errors (10⁻⁹)."""
    rows = [f"{who},{tea}\n" for tea in ("green", "black", "oolong") for who in range(3000)]
    (tmp_path / "a.csv").write_text("who,answer\n" + "".join(rows))
    options = ("a.csv", "--person", "who", "--keep", "random", "-o", "r.arrow")
    done = succeed(tmp_path, "randomize", survey, *options, "--insecure-seed", seed)
    assert "9,000 rows of 3,000 people; one answer, drawn at random, of each was kept" in done.err
    total = succeed(tmp_path, "aggregate", survey, "r.arrow").stdout
    found = Aggregate.from_json(total).counts.tolist()
    assert sum(found) == 3000
    assert all(abs(count - 1000) < 7 * (3000 * 2 / 9) ** 0.5 for count in found)


def test_the_first_answer_can_be_kept_from_a_pipe_and_the_last_cannot(
    survey: str, tmp_path: Path
) -> None:
    rows = b"user,answer\na,green\na,black\n"
    command = ("randomize", survey, "--person", "user", "-o", "r.arrow")
    succeed(tmp_path, *command, stdin=rows)
    (tmp_path / "r.arrow").unlink()
    sentence = refused(tmp_path, *command, "--keep", "last", stdin=rows)
    assert sentence == (
        "--keep last reads the answers twice, which a pipe doesn't allow: name a file"
    )


def test_a_person_that_is_missing(survey: str, tmp_path: Path) -> None:
    rows = b"user,answer\na,green\n,black\n"
    command = ("randomize", survey, "--person", "user", "-o", "r.arrow")
    sentence = refused(tmp_path, *command, stdin=rows)
    assert sentence.startswith("line 3 of standard input: the person is missing; --skip-missing")
    done = succeed(tmp_path, *command, "--skip-missing", stdin=rows)
    assert "left out: 1 row without a person" in done.err


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_rows_that_may_not_be_people_are_asked_about(
    form: str, survey: str, tmp_path: Path
) -> None:
    path = tmp_path / f"a.{form}"
    table = pa.table({"session ID": [7, 7, 8], "answer": ["green", "black", "black"]})
    if form == "parquet":
        pq.write_table(table, path)
    elif form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        path.write_text("session ID,answer\n7,green\n7,black\n8,black\n")
    done = succeed(tmp_path, "randomize", survey, path.name, "-o", "r.arrow")
    warning = done.err.splitlines()[1]
    assert warning.startswith(f"Warning: 'session ID' in {path.name} looks like an id, and repeats")
    assert warning.endswith('--person "session ID" takes one answer of each')
    done = succeed(
        tmp_path, "randomize", survey, path.name, "--person", "session ID", "-o", "r.arrow"
    )
    assert "Warning" not in done.err


@pytest.mark.parametrize("column", ["session ID", "satisfaction"])
def test_other_rows_are_not(column: str, survey: str, tmp_path: Path) -> None:
    """Ids that don't repeat, and what repeats and is no id."""
    second = 8 if "ID" in column else 7
    rows = f"{column},answer\n7,green\n{second},black\n".encode()
    assert "Warning" not in succeed(tmp_path, "randomize", survey, "-o", "r.arrow", stdin=rows).err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--keep", "last"), "--keep has no effect without --person"),
        (("--delimiter", "::"), "--delimiter is one character"),
        (("--encoding", "latin"), None),
        (("--encoding", "base64"), "--encoding is the name of an encoding such as latin-1"),
        (("--encoding", "martian"), "--encoding is the name of an encoding such as latin-1"),
        (("--format", "lines", "--person", "x"), "--person has no effect beside --format lines"),
        (("--person", "who"), "there is no column 'who'; name the column with --person"),
    ],
)
def test_options_that_make_no_sense(
    options: tuple[str, ...], sentence: str | None, survey: str, tmp_path: Path
) -> None:
    command = ("randomize", survey, *options, "-o", "r.arrow")
    if sentence is None:
        succeed(tmp_path, *command, stdin=b"answer\ngreen\n")
    else:
        assert sentence in refused(tmp_path, *command, stdin=b"answer\ngreen\n")


# Answers out of data


COUNTRIES = {"10": 500, "2": 300, "9": 20, "33": 1, "4": 1}


def countries(path: Path) -> None:
    rows = [f"{number};{country}\n" for country, n in COUNTRIES.items() for number in range(n)]
    path.write_bytes(gzip.compress(("n;country\n" + "".join(rows)).encode("utf-16")))


def made(folder: Path, *options: object) -> tuple[tuple[str, ...], str]:
    done = succeed(
        folder,
        *("collection", "new", "c", "--question", "?", "--answers-from", "data.gz"),
        *("--column", "country", "--epsilon", 1, "-o", "c.json", "--force", *options),
    )
    return Collection.from_json((folder / "c.json").read_bytes()).answers, done.err


def test_the_answers_of_a_column(tmp_path: Path) -> None:
    countries(tmp_path / "data.gz")
    answers, said = made(tmp_path)
    assert answers == ("2", "4", "9", "10", "33")
    assert said == (
        "Warning: 3 answers of the list are given by fewer than 100 rows, 2 of them by a single "
        "one: a collection is public, and says that somebody gave each of its answers; --at-least "
        "100 leaves them out, and with --other LABEL they are one answer\n"
    )
    answers, said = made(tmp_path, "--at-least", 100)
    assert answers == ("2", "10")
    assert said == "2 answers of 5 listed; those of fewer than 100 rows left out\n"
    answers, said = made(tmp_path, "--at-least", 2, "--other", "elsewhere")
    assert answers == ("2", "9", "10", "elsewhere")
    assert said.startswith("3 answers of 5 listed; those of fewer than 2 rows are “elsewhere”\n")
    assert "Warning: 1 answer of the list is given by fewer than 100 rows: a collection" in said
    assert made(tmp_path, "--minimum-reports", 1)[1] == ""


def test_answers_that_are_not_listed_count_as_one_that_is(tmp_path: Path) -> None:
    countries(tmp_path / "data.gz")
    made(tmp_path, "--at-least", 2, "--other", "elsewhere", "--mechanism", "grr", "--epsilon", 30)
    data = ("data.gz", "--column", "country")
    assert "not one of the 4 answers" in refused(
        tmp_path, "randomize", "c.json", *data, "-o", "r.arrow"
    )
    found = counts(tmp_path, "c.json", *data, "--other", "elsewhere")
    assert found == {"2": 300, "9": 20, "10": 500, "elsewhere": 2}
    succeed(tmp_path, "randomize", "c.json", *data, "--other", "elsewhere", "-o", "r.arrow")
    succeed(tmp_path, "aggregate", "c.json", "r.arrow", "-o", "t.json")
    shown = succeed(
        tmp_path, "estimate", "c.json", "t.json", "--truth", *data, "--other", "elsewhere", "--json"
    ).json()
    assert [row["truth"] * 822 for row in shown["answers"]] == pytest.approx([300, 20, 500, 2])
    sentence = refused(tmp_path, "randomize", "c.json", *data, "--other", "x", "-o", "r.arrow")
    assert sentence == ("--other is one of a list of answers; “c” (4 answers) has no answer 'x'")
    rows = b"country\n2\n\n"
    command = ("randomize", "c.json", "--column", "country", "--other", "9", "-o", "n.arrow")
    assert "the answer is missing" in refused(tmp_path, *command, stdin=rows)


def test_the_answers_of_people(tmp_path: Path) -> None:
    """Counted by people, not by rows."""
    rows = ["a;x\n"] * 200 + ["b;y\n"] * 200 + [f"{n};z\n" for n in range(100)]
    (tmp_path / "data.gz").write_text("user;country\n" + "".join(rows))
    answers, said = made(tmp_path, "--person", "user")
    assert answers == ("x", "y", "z")
    assert "500 rows of 102 people; the first answer of each was kept" in said
    assert "2 answers of the list are given by fewer than 100 people, 2 of them by a" in said


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--at-least", 2), "--at-least has no effect without --answers-from"),
        (("--column", "x"), "--column has no effect without --answers-from"),
        (("--answers-from", "data.gz"), "there is no column 'answer'"),
        (
            ("--answers-from", "data.gz", "--column", "country", "--other", "x"),
            "--other has no effect without --at-least",
        ),
        (
            ("--answers-from", "data.gz", "--column", "country", "--at-least", 9, "--other", "33"),
            "--other is an answer of the file already",
        ),
    ],
)
def test_answers_that_make_no_list(
    options: tuple[object, ...], sentence: str, tmp_path: Path
) -> None:
    countries(tmp_path / "data.gz")
    command = ("collection", "new", "c", "--question", "?", "--epsilon", 1, "-o", "c.json")
    assert sentence in refused(tmp_path, *command, *options)


# The truth beside the estimate


def test_four_commands_from_a_file_to_its_truth(tmp_path: Path) -> None:
    """Semicolons, gzip, sessions: by row and by session, without unpacking or editing."""
    succeed(tmp_path, "example-data", "clicks")
    data = ("clicks.csv.gz", "--column", "country")
    with gzip.open(tmp_path / "clicks.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    sessions = {row["session ID"]: row["country"] for row in rows}
    for person, held in (
        ((), [row["country"] for row in rows]),
        (("--person", "session ID"), list(sessions.values())),
    ):
        succeed(
            tmp_path,
            *("collection", "new", "country", "--question", "Which country?", "--answers-from"),
            *(*data, *person, "--epsilon", 2, "-o", "c.json"),
        )
        seeded = ("--insecure-seed", 5)
        succeed(tmp_path, "randomize", "c.json", *data, *person, *seeded, "-o", "r.arrow")
        succeed(tmp_path, "aggregate", "c.json", "r.arrow", "-o", "t.json")
        found = succeed(
            tmp_path, "estimate", "c.json", "t.json", "--truth", *data, *person, "--json"
        ).json()
        assert found["n"] == len(held)
        assert len(found["answers"]) == 8
        for row in found["answers"]:
            assert row["truth"] == pytest.approx(held.count(row["answer"]) / len(held))
            assert row["holds_truth"] == (row["low"] <= row["truth"] <= row["high"])
            assert abs(row["share"] - row["truth"]) < 6 * row["stderr"]


def test_the_truth_in_every_output(tmp_path: Path) -> None:
    succeed(tmp_path, "example-data", "tea")
    noisy = tea(tmp_path, epsilon=1.0, name="noisy")
    succeed(tmp_path, "randomize", noisy, "answers.csv", "--insecure-seed", 3, "-o", "r.arrow")
    succeed(tmp_path, "aggregate", noisy, "r.arrow", "-o", "t.json")
    command = ("estimate", noisy, "t.json", "--truth", "answers.csv")
    rows = list(csv.DictReader(io.StringIO(succeed(tmp_path, *command, "--csv").out)))
    assert [float(row["truth"]) for row in rows] == pytest.approx([0.52, 0.31, 0.17], abs=0.02)
    held = [row["holds_truth"] == "True" for row in rows]
    assert held == [float(r["low"]) <= float(r["truth"]) <= float(r["high"]) for r in rows]
    out = succeed(tmp_path, *command, "--plot", "tea.html").out
    assert "truth" in out
    assert f"{sum(held)} of 3 truths lie inside their 95 % intervals" in out
    page = (tmp_path / "tea.html").read_text()
    assert 'class="truth"' in page
    assert "no survey knows them" in page
    succeed(tmp_path, *command, "--plot", "tea.svg")
    plain = succeed(tmp_path, "estimate", noisy, "t.json", "--csv").out.splitlines()[0]
    assert "truth" not in plain


def test_an_empty_file_is_no_truth(tmp_path: Path) -> None:
    """Not of answers that nobody gave, and not of a mean at the least number of the range."""
    number = ("--question", "?", "--from", 0, "--to", 9, "--step", 1, "--epsilon", 1)
    succeed(tmp_path, "collection", "new", "age", *number, "-o", "age.json")
    (tmp_path / "none.csv").write_text("answer\n")
    for name, answer in ((tea(tmp_path, epsilon=1.0), "green\n"), ("age.json", "3\n")):
        people = ("answer\n" + 200 * answer).encode()
        succeed(tmp_path, "randomize", name, "-o", "r.arrow", "--force", stdin=people)
        succeed(tmp_path, "aggregate", name, "r.arrow", "-o", "t.json", "--force")
        said = refused(tmp_path, "estimate", name, "t.json", "--truth", "none.csv")
        assert "none.csv holds 0 answers; there is no truth in it" in said


def test_the_truth_of_rounds(tmp_path: Path) -> None:
    succeed(tmp_path, "example-data", "states")
    succeed(
        tmp_path,
        *("collection", "new", "online", "--question", "Online?", "--rounds", 50),
        *("--epsilon", 4, "-o", "c.json"),
    )
    succeed(tmp_path, "randomize", "c.json", "states.csv", "--insecure-seed", 1, "-o", "r.arrow")
    succeed(tmp_path, "aggregate", "c.json", "r.arrow", "-o", "t.json")
    command = ("estimate", "c.json", "t.json", "--truth", "states.csv")
    found = succeed(tmp_path, *command, "--json").json()["estimates"]
    with (tmp_path / "states.csv").open() as file:
        states = [list(map(int, row)) for row in list(csv.reader(file))[1:]]
    truth = [sum(column) / len(states) for column in zip(*states, strict=True)]
    assert [row["truth"] for row in found] == pytest.approx(truth)
    assert all(row["holds_truth"] == (row["low"] <= row["truth"] <= row["high"]) for row in found)
    assert "of 50 truths lie inside" in succeed(tmp_path, *command, "--plot", "o.html").out
    assert "known here" in (tmp_path / "o.html").read_text()
    succeed(tmp_path, *command, "--plot", "o.svg")


def test_the_truth_is_of_the_collections_answers(survey: str, tmp_path: Path) -> None:
    rows = b"answer\n" + b"green\n" * 9
    succeed(tmp_path, "randomize", survey, "-o", "r.arrow", stdin=rows)
    succeed(tmp_path, "aggregate", survey, "r.arrow", "-o", "t.json")
    (tmp_path / "truth.csv").write_text(f"answer\ngreen\n{UNTOLD}\n")
    command = ("estimate", survey, "t.json")
    sentence = refused(tmp_path, *command, "--truth", "truth.csv")
    assert sentence.startswith("line 3 of truth.csv: the answer is not one of the 3 answers")
    assert "--column has no effect without --truth" in refused(tmp_path, *command, "--column", "x")


# The other readers


def test_compare_reads_the_same_files(tmp_path: Path) -> None:
    countries(tmp_path / "data.gz")
    command = ("compare", "data.gz", "--column", "country", "--epsilon", 1, "--repetitions", 2)
    assert succeed(tmp_path, *command, "--json").json()["n"] == sum(COUNTRIES.values())
    (tmp_path / "sums.csv").write_text("tea;n\ngreen;5\nblack;x\n")
    sums = ("compare", "sums.csv", "--column", "tea", "--counts", "n", "--epsilon", 1)
    sentence = refused(tmp_path, *sums)
    assert sentence.startswith("line 3 of sums.csv: the column 'n' must hold a whole number")
    assert "goes without --person" in refused(tmp_path, *sums, "--person", "tea")


def test_joint_counts_read_the_same_files(tmp_path: Path) -> None:
    succeed(
        tmp_path,
        *("joint-count", "new", "n", "--epsilon", 1, "--delta", 1e-6, "--people", 10),
        *("-o", "count.json", "--secret", "secret.json"),
    )
    (tmp_path / "bits.csv").write_bytes(gzip.compress(b"who;answer\na;1\na;0\nb;2\n"))
    command = ("joint-count", "encrypt", "count.json", "bits.csv", "-o", "records.bin")
    sentence = refused(tmp_path, *command)
    assert sentence == (
        "line 4 of bits.csv: the value is not a whole number from 0 to 1; --skip-bad leaves such "
        "rows out"
    )
    done = succeed(tmp_path, *command, "--skip-bad", "--person", "who")
    assert done.out.startswith("1 record, ")
    assert "2 rows of 1 person; the first answer of each was kept" in done.err


def test_a_pipe_is_read_as_it_comes(survey: str, tmp_path: Path) -> None:
    """Packed text down a pipe, of more than one block."""
    data = gzip.compress(b"n;answer\n" + b"1;green\n" * 700_000 + b"1;black\n")
    with process(tmp_path, "randomize", survey, "-o", "r.arrow") as running:
        out, err = running.communicate(data)
    assert (running.returncode, out) == (0, b"")
    assert err.decode().startswith("700,001 answers randomised")
