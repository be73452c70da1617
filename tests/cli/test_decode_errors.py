"""What ``sudare decode`` turns down, and free text that can't be randomised."""

from pathlib import Path

import pytest

from sudare import Aggregate
from support import free_text
from support.commands import UNTOLD, contents, csv_of, refused, run, succeed, tea
from support.free_text import CANDIDATES

ARGUMENTS = ("decode", "words.json", "total.json", "--candidates")
OUTPUT = ("-o", "found.json", "--json")


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """A folder with words.json, total.json and candidates.txt; few people, to be quick."""
    file = free_text.collection(tmp_path)
    people = csv_of({"green": 300, UNTOLD: 50}).encode()
    succeed(tmp_path, "randomize", file, "-o", "reports.arrow", stdin=people)
    succeed(tmp_path, "aggregate", file, "reports.arrow", "-o", "total.json")
    (tmp_path / "candidates.txt").write_text("\n".join(CANDIDATES), "utf-8")
    return tmp_path


# Candidates


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "there are 0 candidates; decoding needs at least 1"),
        (b"\n", "line 1 of list.txt is empty"),
        (b"\xef\xbb\xbf", "line 1 of list.txt is empty"),
        (b"green\n\nblack\n", "line 2 of list.txt is empty"),
        (b"green\r\n\r\nblack", "line 2 of list.txt is empty"),
        (b"green\nblack\n\n", "line 3 of list.txt is empty"),
        (b"green\nblack\ngreen\n", "candidates number 1 and 3 are the same text"),
        ("が\nb\nか\u3099\n".encode(), "candidates number 1 and 3 are the same text"),
        (b"green\ncaf\xe9\n", "line 2 of list.txt is not UTF-8 text"),
        ("green\n".encode("utf-16"), "line 1 of list.txt is not UTF-8 text"),
        ("green\n".encode("utf-16-le"), "line 1 of list.txt is not UTF-8 text"),
        (b"\x1f\x8b\x08\x00", "line 1 of list.txt is not UTF-8 text"),
        (
            b"green\n" + b"x" * 10_001,
            "line 2 of list.txt has 10001 bytes; 1 to 10000 are allowed",
        ),
        (
            "\u0958".encode() * 3000,  # two letters when composed
            "line 1 of list.txt has 18000 bytes; 1 to 10000 are allowed",
        ),
        (
            b"green\n" + b"x" * 1_000_000,
            "line 2 of list.txt has over 30000 bytes; 1 to 10000 are allowed",
        ),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, bytes) else "",
)
def test_a_list_that_is_none(data: bytes, sentence: str, survey: Path) -> None:
    (survey / "list.txt").write_bytes(data)
    assert refused(survey, *ARGUMENTS, "list.txt", *OUTPUT) == sentence
    piped = refused(survey, *ARGUMENTS, "-", *OUTPUT, stdin=data)
    assert piped == sentence.replace("list.txt", "stdin")


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_longest_candidate_is_read(end: str, survey: Path) -> None:
    """Also one that is longer as it stands in the file than when it is composed."""
    for text in ("x" * 10_000, "\u1112\u1161\u11ab" * 3333):  # Hangul in parts: 9 bytes for 3
        (survey / "list.txt").write_text("\ufeff" + text + end, "utf-8", newline="")
        rows = succeed(survey, *ARGUMENTS, "list.txt", "--all", "--json").json()["all"]
        assert [row["candidate"] for row in rows] == [text]


def test_a_bad_line_far_behind(survey: Path) -> None:
    """Found by its number, after several chunks of hashing."""
    lines = "".join(f"{number}\n" for number in range(40_000))
    data = lines.encode() + b"\xff\n"
    sentence = refused(survey, *ARGUMENTS, "-", *OUTPUT, stdin=data)
    assert sentence == "line 40001 of stdin is not UTF-8 text"
    sentence = refused(survey, *ARGUMENTS, "-", *OUTPUT, stdin=lines.encode() + b"17\n")
    assert sentence == "candidates number 18 and 40001 are the same text"


def test_more_candidates_than_memory_allows(survey: Path) -> None:
    """Each takes 256 bytes; weighed for single reports, four per cohort and hash, here 64."""
    data = "".join(f"{number}\n" for number in range(16_385)).encode()
    for reports, most in (("total.json", "4,096"), ("reports.arrow", "16,384")):
        weighing = ("--likelihood",) if reports == "reports.arrow" else ()
        asked = ("decode", "words.json", reports, *weighing, "--candidates", "-", *OUTPUT)
        sentence = refused(survey, *asked, "--memory", "1MiB", stdin=data)
        assert sentence.startswith(f"more than {most} candidates need over 1,048,576 bytes")
    refused(survey, *ARGUMENTS, "candidates.txt", *OUTPUT, "--memory", "0.001")
    for enough in ("2", "1.5", "2 MiB", "2mib", "1GiB", "0.1gib"):
        succeed(survey, *ARGUMENTS, "-", "--memory", enough, "--json", stdin=data[:20_000] + b"x")


@pytest.mark.parametrize("memory", ["", "0", "-1", "4GB", "much", "1e9", "0GiB", "nan", "9" * 20])
def test_a_memory_that_is_none(memory: str, survey: Path) -> None:
    sentence = refused(survey, *ARGUMENTS, "candidates.txt", *OUTPUT, "--memory", memory)
    assert sentence == f"memory is written as 4GiB, 512MiB or a number of MiB, got {memory!r}"


def test_stdin_holds_one_thing(survey: Path) -> None:
    arguments = ("decode", "words.json", "--candidates", "-", *OUTPUT)
    for reports in ((), ("-",), ("total.json", "-")):
        sentence = refused(survey, *arguments, *reports, stdin=b"green\n")
        assert sentence == "stdin can't hold both reports and candidates: name a file for one"


# Options


@pytest.mark.parametrize("value", ["0", "1", "-0.5", "2", "nan", "inf"])
def test_false_discoveries_outside_their_range(value: str, survey: Path) -> None:
    options = ("--false-discoveries", value, *OUTPUT, "--plot", "tea.html")
    sentence = refused(survey, *ARGUMENTS, "candidates.txt", *options)
    assert sentence.startswith("the share of false discoveries must lie between 0 and 1, got ")


@pytest.mark.parametrize("value", ["0", "0.05", "0.499", "1", "-0.5", "2", "nan", "inf"])
def test_a_level_is_a_confidence(value: str, survey: Path) -> None:
    options = ("--level", value, *OUTPUT, "--plot", "tea.html")
    sentence = refused(survey, *ARGUMENTS, "candidates.txt", *options)
    assert sentence == (
        f"the level is the confidence of the intervals, from 0.5 to below 1, got {float(value)}; "
        "what may be found by chance is said by false_discoveries (--false-discoveries)"
    )


@pytest.mark.parametrize("top", [0, -3])
def test_a_top_of_nobody(top: int, survey: Path) -> None:
    sentence = refused(survey, *ARGUMENTS, "candidates.txt", *OUTPUT, "--top", top)
    assert sentence == f"--top must be at least 1, got {top}"


def test_json_or_csv(survey: Path) -> None:
    sentence = refused(survey, *ARGUMENTS, "candidates.txt", *OUTPUT, "--csv")
    assert sentence == "the result is either JSON or CSV: choose one of --json and --csv"


@pytest.mark.parametrize(
    "options",
    [(), ("--candidates",), ("--candidates", "list", "--correction", "magic")],
    ids=["none", "no file", "another correction"],
)
def test_usage(options: tuple[str, ...], survey: Path) -> None:
    before = contents(survey)
    result = run(survey, "decode", "words.json", "total.json", *options)
    assert (result.code, result.stdout) == (2, b"")
    assert result.err.strip().splitlines()[-1].startswith("Error: ")
    assert contents(survey) == before


# Reports


def test_too_few_reports(survey: Path) -> None:
    """Too few to show anything, or fewer than the collection releases."""
    file = free_text.collection(survey, "shy", epsilon=0.1)
    people = csv_of({UNTOLD: 20}).encode()
    succeed(survey, "randomize", file, "-o", "shy.arrow", stdin=people)
    sentence = refused(survey, "decode", file, "shy.arrow", "--candidates", "candidates.txt")
    assert sentence.startswith(
        "20 reports can't show even a text that everybody answered, in 200 tests"
    )
    free_text.collection(survey, "strict", minimum=21)
    succeed(survey, "randomize", "strict.json", "-o", "few.arrow", stdin=people)
    options = ("few.arrow", "--candidates", "candidates.txt", *OUTPUT)
    sentence = refused(survey, "decode", "strict.json", *options)
    assert sentence == "there are 20 reports; “strict” releases nothing below 21"


def test_no_reports_at_all(survey: Path) -> None:
    total = Aggregate.from_json((survey / "total.json").read_bytes())
    (survey / "zero.json").write_bytes(Aggregate(total.key, 0, 0 * total.counts).to_json())
    arguments = ("decode", "words.json", "zero.json", "--candidates", "candidates.txt")
    assert refused(survey, *arguments, *OUTPUT).startswith("there are 0 reports")


def test_a_collection_with_a_list_of_answers(survey: Path) -> None:
    file = tea(survey)
    succeed(survey, "randomize", file, "-o", "tea.arrow", stdin=csv_of({"green": 9}).encode())
    sentence = refused(survey, "decode", file, "tea.arrow", "--candidates", "candidates.txt")
    assert sentence == (
        "“tea” has no texts to find (3 answers): `sudare estimate` gives its result"
    )


def test_reports_that_are_none_or_another_collections(survey: Path) -> None:
    options = ("--candidates", "candidates.txt", *OUTPUT)
    whole = (survey / "reports.arrow").read_bytes()
    (survey / "cut.arrow").write_bytes(whole[:-20])
    refused(survey, "decode", "words.json", "cut.arrow", *options)
    refused(survey, "decode", "words.json", *options, stdin=whole[:500])
    refused(survey, "decode", "words.json", *options)
    refused(survey, "decode", "words.json", "candidates.txt", *options)
    assert "named twice" in refused(survey, "decode", "words.json", *["total.json"] * 2, *options)
    other = free_text.collection(survey, "other")
    for reports in ("reports.arrow", "total.json"):
        assert "collection" in refused(survey, "decode", other, reports, *options)


# Files


@pytest.mark.parametrize(
    "arguments",
    [
        ("none.json", "total.json", "--candidates", "candidates.txt"),
        ("words.json", "none.arrow", "--candidates", "candidates.txt"),
        ("words.json", "none.json", "--candidates", "candidates.txt"),
        ("words.json", "total.json", "--candidates", "none.txt"),
    ],
    ids=" ".join,
)
def test_a_missing_file_is_named(arguments: tuple[str, ...], survey: Path) -> None:
    sentence = refused(survey, "decode", *arguments, *OUTPUT)
    assert sentence.startswith("none")
    assert sentence.endswith(" isn't there")


def test_a_folder_of_candidates(survey: Path) -> None:
    assert refused(survey, *ARGUMENTS, ".", *OUTPUT).startswith("./ is a folder;")


@pytest.mark.parametrize(
    "options",
    [
        ("--plot", "tea.docx"),
        ("--plot", "none/tea.html"),
        ("--plot", "none/tea.png"),
        ("-o", "none/found.txt", "--plot", "tea.html"),
        ("-o", "found.txt", "--plot", "none/tea.html"),
    ],
    ids=" ".join,
)
def test_an_output_that_cannot_be_written(options: tuple[str, ...], survey: Path) -> None:
    """Of two outputs, neither is left."""
    refused(survey, *ARGUMENTS, "candidates.txt", *options)


@pytest.mark.parametrize("output", ["words.json", "total.json", "candidates.txt"])
def test_an_input_is_not_overwritten(output: str, survey: Path) -> None:
    sentence = refused(survey, *ARGUMENTS, "candidates.txt", "-o", output)
    assert "is one of the inputs" in sentence


# Free text that can't be randomised


LINES = ("--format", "lines", "-o", "new.arrow")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("", "is missing"),
        (UNTOLD * 1000, "is not a text of 1 to 10000 bytes"),
        ("緑" * 3334, "is not a text of 1 to 10000 bytes"),
    ],
    ids=["empty", "long", "long in Japanese"],
)
def test_an_answer_that_no_device_takes(bad: str, reason: str, survey: Path) -> None:
    lines = f"{UNTOLD}\n緑茶\n{bad}\n緑茶\n".encode()
    sentence = refused(survey, "randomize", "words.json", *LINES, stdin=lines)
    assert sentence.startswith(f"line 3 of standard input: the answer {reason}")
    rows = f'answer,n\n緑茶,1\n"{bad}",2\n'.encode()
    sentence = refused(survey, "randomize", "words.json", "-o", "new.arrow", stdin=rows)
    assert sentence.startswith(f"line 3 of standard input: the answer {reason}")


def test_its_line_counts_from_the_start(survey: Path) -> None:
    """Also far behind the first block of text."""
    lines = (f"{UNTOLD}\n" * 400_000 + "\n").encode()
    assert len(lines) > 1 << 22
    sentence = refused(survey, "randomize", "words.json", *LINES, stdin=lines)
    assert sentence.startswith("line 400001 of standard input: the answer is missing")


def test_text_that_is_not_utf8(survey: Path) -> None:
    for data in (f"{UNTOLD}\ncaf\xe9\n".encode("latin-1"), f"{UNTOLD}\n".encode("utf-16-le")):
        refused(survey, "randomize", "words.json", *LINES, stdin=data)


def test_reports_of_japanese_hold_no_answers(survey: Path) -> None:
    answers = ["緑茶", "ほうじ茶", "緑茶 🍵", "a, b", '"']
    lines = "".join(f"{answer}\n" for answer in answers).encode()
    done = succeed(survey, "randomize", "words.json", *LINES, stdin=lines)
    assert done.err.startswith("5 answers randomised at ε = 6 each")
    data = (survey / "new.arrow").read_bytes()
    assert not any(answer.encode() in data for answer in answers[:3])
    total = succeed(survey, "aggregate", "words.json", "new.arrow").stdout
    assert Aggregate.from_json(total).n == 5


def test_an_aggregate_has_no_single_reports(survey: Path) -> None:
    said = refused(
        survey,
        "decode",
        "words.json",
        "total.json",
        "--candidates",
        "candidates.txt",
        "--likelihood",
    )
    assert said == "total.json is an aggregate, and this needs the reports themselves"


def test_single_reports_are_not_weighed_for_a_list_that_is_complete(survey: Path) -> None:
    options = ("--complete", "--likelihood")
    said = refused(
        survey, "decode", "words.json", "reports.arrow", "--candidates", "candidates.txt", *options
    )
    assert said == (
        "--complete fits the bits' sums, --likelihood weighs single reports: choose one of them"
    )
