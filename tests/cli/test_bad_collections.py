"""Collections that must not be used, or made: one sentence, exit code 2, no file."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.commands import contents, csv_of, refused, run, succeed, tea

Document = dict[str, Any]


def changed(folder: Path, change: Callable[[Document], object]) -> str:
    """The name of a file with a collection in which one thing is different."""
    document = msgspec.json.decode((folder / tea(folder)).read_bytes())
    change(document)
    (folder / "bad.json").write_bytes(msgspec.json.encode(document))
    return "bad.json"


CHANGES: dict[str, Callable[[Document], object]] = {
    "a stated ε below the real one": lambda d: d.update(epsilon=0.99),
    "a stated ε of 0": lambda d: d.update(epsilon=0),
    "a negative ε": lambda d: d.update(epsilon=-1),
    "ε as text": lambda d: d.update(epsilon="1"),
    "no ε": lambda d: d.pop("epsilon"),
    "an unknown mechanism": lambda d: d["mechanism"].update(name="magic"),
    "no mechanism": lambda d: d["mechanism"].pop("name"),
    "a mechanism that is a number": lambda d: d["mechanism"].update(name=7),
    "a mechanism that is text": lambda d: d.update(mechanism="grr"),
    "an unknown parameter": lambda d: d["mechanism"].update(p="1/2"),
    "a missing parameter": lambda d: d["mechanism"].pop("keep"),
    "k as text": lambda d: d["mechanism"].update(k="3"),
    "k as truth": lambda d: d["mechanism"].update(k=True),
    "k as a fraction": lambda d: d["mechanism"].update(k=3.5),
    "k of another size": lambda d: d["mechanism"].update(k=4),
    "k of 1": lambda d: d["mechanism"].update(k=1),
    "k of 0": lambda d: d["mechanism"].update(k=0),
    "a huge k": lambda d: d["mechanism"].update(k=2**80),
    "keep as a number": lambda d: d["mechanism"].update(keep=0.75),
    "keep that is no binary fraction": lambda d: d["mechanism"].update(keep="1/3"),
    "keep that is not reduced": lambda d: d["mechanism"].update(keep="2/4"),
    "keep of 1": lambda d: d["mechanism"].update(keep="1"),
    "keep below 1/k": lambda d: d["mechanism"].update(keep="1/4"),
    "keep above 1": lambda d: d["mechanism"].update(keep="5/4"),
    "keep over 0": lambda d: d["mechanism"].update(keep="1/0"),
    "keep of nonsense": lambda d: d["mechanism"].update(keep="much"),
    "keep of many digits": lambda d: d["mechanism"].update(keep="1/" + "9" * 5000),
    "keep of nothing": lambda d: d["mechanism"].update(keep=None),
    "the same answer twice": lambda d: d.update(answers=["green", "black", "green"]),
    "an empty answer": lambda d: d.update(answers=["green", "black", ""]),
    "too few answers": lambda d: d.update(answers=["green", "black"]),
    "answers that are numbers": lambda d: d.update(answers=[1, 2, 3]),
    "no name": lambda d: d.update(name=""),
    "a minimum of 0": lambda d: d.update(minimum_reports=0),
    "another format": lambda d: d.update(format=2),
    "another kind of document": lambda d: d.update(sudare="aggregate"),
    "an unknown field": lambda d: d.update(windows=[]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_collection(change: str, tmp_path: Path) -> None:
    """No command follows it, and the device least of all."""
    file = changed(tmp_path, CHANGES[change])
    answers = csv_of({"green": 3}).encode()
    sentence = refused(tmp_path, "collection", "check", file)
    assert file in sentence
    reason = sentence.partition(", not a collection: sudare ")[0]  # how it is called follows
    for command in (("collection", "show", file), ("epsilon", file), ("estimate", file)):
        assert refused(tmp_path, *command).startswith(reason)
    assert refused(tmp_path, "randomize", file, "-o", "r.arrow", stdin=answers).startswith(reason)
    assert refused(tmp_path, "aggregate", file, "-o", "total.json").startswith(reason)


def test_both_numbers_are_told(tmp_path: Path) -> None:
    file = changed(tmp_path, CHANGES["a stated ε below the real one"])
    sentence = refused(tmp_path, "collection", "check", file)
    assert "states ε = 0.99, but its parameters give ε = 0.99999999" in sentence


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"\x00", b"answer\ngreen\n", b'{"sudare":"collection"}'],
    ids=repr,
)
def test_no_collection(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(data)
    refused(tmp_path, "collection", "check", "bad.json")


@pytest.mark.parametrize("label", [b"gr\xffn", b"gr\xe9n", b"gr\\ud800n"], ids=repr)
def test_a_collection_that_is_not_utf8(label: bytes, tmp_path: Path) -> None:
    document = (tmp_path / tea(tmp_path)).read_bytes()
    (tmp_path / "bad.json").write_bytes(document.replace(b"green", label))
    refused(tmp_path, "collection", "check", "bad.json")


def test_every_cut_of_a_collection(tmp_path: Path) -> None:
    document = (tmp_path / tea(tmp_path)).read_bytes().rstrip()
    for size in range(0, len(document), 5):
        (tmp_path / "bad.json").write_bytes(document[:size])
        refused(tmp_path, "collection", "check", "bad.json")


def test_a_number_that_takes_for_ever_to_read(tmp_path: Path) -> None:
    """A device reads collections from the network: a short document must not stop it."""
    file = changed(tmp_path, lambda d: d["mechanism"].update(keep="1e-9999999999"))
    command = [sys.executable, "-m", "sudare", "collection", "check", file]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    assert done.returncode == 2


# New collections


def new(*options: object, question: str = "?") -> tuple[object, ...]:
    return ("collection", "new", "x", "--question", question, *options, "-o", "x.json")


TWO = ("--answer", "a", "--answer", "b")


@pytest.mark.parametrize("mechanism", ["auto", "grr", "oue", "sue"])
@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "-inf", "1e-300"])
def test_a_budget_that_is_none(epsilon: str, mechanism: str, tmp_path: Path) -> None:
    refused(tmp_path, *new(*TWO, "--epsilon", epsilon, "--mechanism", mechanism))


@pytest.mark.parametrize("mechanism", ["auto", "grr", "oue", "sue"])
@pytest.mark.parametrize("epsilon", ["100", "800", "1e6"])
def test_a_huge_budget_is_not_overspent(epsilon: str, mechanism: str, tmp_path: Path) -> None:
    succeed(tmp_path, *new(*TWO, "--epsilon", epsilon, "--mechanism", mechanism))
    found = succeed(tmp_path, "epsilon", "x.json", "--json").json()
    assert 0 < found["epsilon"] <= float(epsilon)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--answer", "a"),
        ("--answer", "a", "--answer", "a"),
        ("--answer", "a", "--answer", ""),
        (*TWO, "--minimum-reports", 0),
        ("--answers-file", "empty.txt"),
        ("--answers-file", "gap.txt"),
        ("--answers-file", "latin.txt"),
        ("--answers-file", "."),
        ("--answer", "a", "--answer", "caf\udce9"),
        (*TWO, "--answer", "a"),
    ],
    ids=lambda options: " ".join(map(str, options)).encode("ascii", "replace").decode(),
)
def test_answers_that_are_none(options: tuple[object, ...], tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "gap.txt").write_bytes(b"green\n\nblack\n")
    (tmp_path / "latin.txt").write_bytes("th\xe9\nblack\n".encode("latin-1"))
    refused(tmp_path, *new(*options, "--epsilon", 1))


def test_a_question_that_is_no_text(tmp_path: Path) -> None:
    """Bytes on the command line that are not UTF-8 arrive as half characters."""
    refused(tmp_path, *new(*TWO, "--epsilon", 1, question="caf\udce9"))


def test_an_unknown_mechanism_is_a_usage_error(tmp_path: Path) -> None:
    result = run(tmp_path, *new(*TWO, "--epsilon", 1, "--mechanism", "magic"))
    assert result.code == 2
    assert "'magic' is not one of 'auto', 'small', 'grr', 'oue'" in result.err
    assert contents(tmp_path) == {}


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    arguments = new(*TWO, "--epsilon", 1)[:-1]
    assert refused(tmp_path, *arguments, "none/x.json").startswith("none/x.json isn't there")
    assert refused(tmp_path, *arguments, ".") == "./ is a folder; a file is expected"
