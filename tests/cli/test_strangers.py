"""Text of strangers in whatever a command prints: it is seen, and commands nothing."""

import logging
import sys
from importlib import import_module
from pathlib import Path

import msgspec
import numpy as np
import pytest

from sudare import GRR, Collection, Glance, Ledger, Rappor
from sudare.cli.shared.terminal import LogFormatter
from sudare.collector.stores.contract import Role, Token
from sudare.collector.stores.open import open_store
from sudare.discovery import Discovery
from sudare.formats.strangers import visible
from support.commands import Result, csv_of, refused, run, succeed
from support.markup import read
from support.scripted_collector import Say, serving
from support.strangers import ALL, FORGED, TEXTS, assert_harmless, commands

CODES = {0, 2}  # a command may refuse, in as harmless words


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal on which nothing is wrapped, as a line that is may begin with anything."""
    monkeypatch.setenv("COLUMNS", "3000")


def hostile(text: str, *, answers: int = 2) -> Collection:
    labels = tuple(f"{text}{number}" for number in range(answers))
    return Collection(f"name {text}", f"Which? {text}", labels, GRR.calibrate(answers, 2.0))


def survey(folder: Path, text: str) -> Collection:
    """``tea.json`` and ``total.json``."""
    made = hostile(text)
    (folder / "tea.json").write_bytes(made.to_json())
    total = made.aggregate(made.randomize([made.answers[i % 3 == 0] for i in range(300)]))
    (folder / "total.json").write_bytes(total.to_json())
    return made


def assert_shown(result: Result) -> None:
    assert result.code in CODES, result.err
    assert_harmless(result.out)
    assert_harmless(result.err)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize(
    "command",
    [
        "collection show tea.json",
        "collection show tea.json --json",
        "collection check tea.json",
        "epsilon tea.json",
        "epsilon tea.json --json",
        "estimate tea.json total.json",
        "estimate tea.json total.json --json",
        "estimate tea.json total.json --csv",
    ],
)
def test_a_collections_texts(command: str, text: str, tmp_path: Path) -> None:
    made = survey(tmp_path, text)
    result = succeed(tmp_path, *command.split())
    assert_shown(result)
    if command.endswith("--json"):
        document = result.json()
        assert document.get("name", document.get("collection")) == made.name
    elif command != "collection check tea.json":
        assert visible(text) in result.out.replace('""', '"')


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("command", ["collection show tea.json", "estimate tea.json total.json"])
def test_only_colours_of_ours_on_a_terminal(
    command: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    survey(tmp_path, text)
    said = succeed(tmp_path, *command.split()).out
    assert "\x1b[" in said or "show" in command
    assert_harmless(said, coloured=True)
    assert visible(text) in said


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)], ids=["table", "json", "csv"])
def test_candidates(form: tuple[str, ...], tmp_path: Path) -> None:
    mechanism = Rappor.calibrate(6.0, form="instant", bits=64, cohorts=4)
    made = Collection(f"name {ALL}", f"Which? {ALL}", (), mechanism)
    (tmp_path / "words.json").write_bytes(made.to_json())
    texts = [text.replace("\n", " ").replace("\0", "") for text in TEXTS.values()]
    total = made.aggregate(made.randomize([texts[i % len(texts)] for i in range(3000)]))
    (tmp_path / "total.json").write_bytes(total.to_json())
    (tmp_path / "candidates.txt").write_bytes("\n".join([*texts, "nobody's"]).encode())
    asked = ("decode", "words.json", "total.json", "--candidates", "candidates.txt", "--all")
    assert_shown(found := succeed(tmp_path, *asked, *form))
    assert visible(TEXTS["turns"]) in found.out or form == ("--json",)
    succeed(tmp_path, *asked, *form, "-o", "found.txt", "--plot", "found.svg")
    assert_harmless((tmp_path / "found.txt").read_text("utf-8"))
    assert_shown(succeed(tmp_path, "epsilon", "words.json", "--plot", "cost.png"))


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)], ids=["table", "json", "csv"])
def test_states(form: tuple[str, ...], tmp_path: Path) -> None:
    made = Collection(f"name {ALL}", ALL, (f"no {ALL}", f"yes {ALL}"), Glance.calibrate(3, 4.0))
    (tmp_path / "on.json").write_bytes(made.to_json())
    total = made.aggregate(made.mechanism.randomize(np.arange(900).reshape(300, 3) % 2))
    (tmp_path / "total.json").write_bytes(total.to_json())
    for command in ("collection show on.json", "epsilon on.json", "estimate on.json total.json"):
        if not (form == ("--csv",) and "estimate" not in command):
            assert_shown(succeed(tmp_path, *command.split(), *form))
    succeed(tmp_path, "estimate", "on.json", "total.json", "--plot", "on.png")


@pytest.mark.parametrize("answers", [3, 8], ids=["crossed", "listed"])
@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)], ids=["table", "json", "csv"])
def test_two_questions(form: tuple[str, ...], answers: int, tmp_path: Path) -> None:
    one, two = hostile(ALL), hostile(f"{ALL} two", answers=answers)
    for name, made in (("one", one), ("two", two)):
        (tmp_path / f"{name}.json").write_bytes(made.to_json())
        rows = [made.answers[i % len(made.answers)] for i in range(120)]
        quoted = ['"' + row.replace('"', '""') + '"' for row in rows]
        (tmp_path / f"{name}.csv").write_bytes("\n".join(["answer", *quoted]).encode())
        asked = (f"{name}.json", f"{name}.csv", "-o", f"{name}.arrow")
        assert_shown(run(tmp_path, "randomize", *asked))
    files = ("one.json", "one.arrow", "two.json", "two.arrow")
    assert_shown(succeed(tmp_path, "associate", *files, *form))


@pytest.mark.parametrize("answers", [3, 8], ids=["crossed", "listed"])
def test_markup_is_text(answers: int, tmp_path: Path) -> None:
    made = hostile("[red]x[/]", answers=answers)
    (tmp_path / "one.json").write_bytes(made.to_json())
    rows = "\n".join(made.answers[i % answers] for i in range(90)).encode()
    for file in ("a.arrow", "b.arrow"):
        asked = ("one.json", "--format", "lines", "-o", file)
        succeed(tmp_path, "randomize", *asked, stdin=rows)
    said = succeed(tmp_path, "associate", "one.json", "a.arrow", "one.json", "b.arrow").out
    assert "[red]x[/]0" in said
    assert ("name [red]x[/]" in said) == (answers == 8)


def test_words_that_are_discovered(tmp_path: Path) -> None:
    plan = Discovery.calibrate(
        *(f"name {ALL}", f"Where? {ALL}"), epsilon=8, length=4, gram=2, alphabet="\x1b\u202eab"
    )
    (tmp_path / "plan.json").write_bytes(plan.to_json())
    rows = "\n".join(["answer", *["\x1b\u202eab", "abab"] * 1500])
    (tmp_path / "answers.csv").write_text(rows, "utf-8")
    asked = ("plan.json", "answers.csv", "-o", "monday", "--insecure-seed", 1)
    assert_shown(succeed(tmp_path, "discover", "randomize", *asked))
    found = succeed(tmp_path, "discover", "decode", "plan.json", "monday")
    assert_shown(found)
    assert "<U+001B><U+202E>ab" in found.out
    assert_shown(succeed(tmp_path, "discover", "decode", "plan.json", "monday", "--json"))


def test_a_device_and_its_collectors_words(tmp_path: Path) -> None:
    made = hostile(ALL)
    (tmp_path / "tea.json").write_bytes(made.to_json())
    said = msgspec.json.encode({"error": {"code": "strange", "message": ALL}})
    script = [Say(409, "strange", body=said), Say(503, body=said), Say(409, "strange", body=said)]
    known = ("--device", "phone", "--collection", "tea.json", "--patience", 0)
    assert_shown(succeed(tmp_path, "device", "new", "phone"))
    with serving(made, script=script) as collector:
        asked = (collector.address, made.key, made.answers[0], *known)
        refusal = run(tmp_path, "device", "answer", *asked)
        assert refusal.code == 2
        assert visible(TEXTS["erases a line"]) in refusal.err
        assert_shown(refusal)
        for form in ((), ("--json",)):
            assert_shown(
                succeed(tmp_path, "device", "answer", *asked, "--offline", "--again", *form)
            )
            assert_shown(run(tmp_path, "device", "send", "phone", "--patience", 0, *form))
            assert_shown(succeed(tmp_path, "device", "ledger", "phone", *form))


def test_what_is_asked_at_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = import_module("sudare.cli.device")
    made = hostile(ALL)
    monkeypatch.setattr(device.sys, "stdin", Terminal())
    monkeypatch.setattr(device.click, "prompt", lambda *_, **__: "green")
    err = tmp_path / "err"
    with err.open("w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        assert device._read_answer(made) == "green"
    assert_harmless(err.read_text("utf-8"))
    assert len(err.read_text("utf-8").splitlines()) == 4


class Terminal:
    """Standard input at which somebody sits."""

    @staticmethod
    def isatty() -> bool:
        return True


def test_ledgers_and_tokens(tmp_path: Path) -> None:
    ledger = Ledger().charge(f"key {ALL}", 0.5)
    (tmp_path / "ledger.json").write_bytes(ledger.to_json())
    store = open_store(str(tmp_path / "sudare.db"), counting=False)
    store.add_token(Token("0123456789ab", bytes(32), Role.RELAY, None, ALL))
    store.shut()
    for command in ("ledger show ledger.json", "token list --store sudare.db"):
        for form in ((), ("--json",)):
            result = succeed(tmp_path, *command.split(), *form)
            assert_shown(result)
            assert visible(ALL) in result.out or form


@pytest.mark.parametrize(
    "command",
    [
        ("collection", "show", f"{ALL}.json"),
        ("collection", "check", "unread", ALL),
        ("collection", ALL),
        (ALL,),
        (f"--{ALL}",),
        ("estimate", "tea.json", "total.json", "--level", ALL),
        ("estimate", "tea.json", "total.json", "--consistent", ALL),
        ("estimate", "tea.json", f"{ALL}.json"),
        ("estimate", "tea.json", "total.json", "--plot", f"{ALL}.doc"),
        ("randomize", "tea.json", "answers.csv", "--column", ALL, "-o", "r.arrow"),
        ("randomize", "tea.json", "columns.csv", "-o", "r.arrow"),
        ("randomize", "tea.json", "answers.csv", "-o", "r.arrow"),
        ("aggregate", "tea.json", f"{ALL}.arrow"),
        ("decode", "tea.json", "total.json", "--candidates", ALL),
        ("table", "check", ALL),
        ("joint-count", "encrypt", ALL, ALL, "-o", "r.bin"),
        ("ledger", "show", ALL),
        ("token", "revoke", ALL),
        ("device", "ledger", ALL),
        ("device", "answer", ALL, ALL, "--device", "phone"),
        ("device", "answer", "http://127.0.0.1:1", ALL, "--device", "phone"),
        ("export", ALL, "--store", "sudare.db"),
        ("backup", ALL, "--store", ALL),
        ("serve", ALL),
    ],
    ids=lambda command: visible(" ".join(command)).partition("<U")[0],
)
@pytest.mark.parametrize("coloured", [False, True], ids=["plain", "coloured"])
def test_what_is_wrong_is_told_harmlessly(
    command: tuple[str, ...], coloured: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if coloured:
        monkeypatch.setenv("FORCE_COLOR", "1")
    survey(tmp_path, ALL)
    (tmp_path / "answers.csv").write_text(csv_of({"rooibos": 1}))
    quoted = ALL.replace('"', '""')
    (tmp_path / "columns.csv").write_text(f'"{quoted}","{quoted} two"\n1,2\n', "utf-8")
    succeed(tmp_path, "device", "new", "phone")
    possible = [part.replace("\0", "") for part in command]  # no argument can hold a zero
    result = run(tmp_path, *possible)
    assert result.code == 2
    assert result.out == ""
    assert "Traceback" not in result.err
    assert_harmless(result.err, coloured=coloured)


def test_a_name_that_is_no_utf_8_is_told(tmp_path: Path) -> None:
    sentence = refused(tmp_path, "collection", "show", "\udc9b\udcff.json")
    assert sentence.startswith("<U+DC9B><U+DCFF>.json isn't there")


@pytest.mark.parametrize("what", ["conceals", "ends the line", "turns", "marks"])
@pytest.mark.parametrize("place", ["name", "question", "answer", "file", "plan", "count", "label"])
def test_new_documents_have_no_such_characters(place: str, what: str, tmp_path: Path) -> None:
    text = TEXTS[what]
    texts = {"name": "tea", "question": "Which?", "answer": "green"} | {place: text}
    tea = ("collection", "new", texts["name"], "--question", texts["question"], "--epsilon", 1)
    (tmp_path / "answers.txt").write_bytes(f"black\n{text}".encode().replace(b"\n", b"\r", 1))
    command: tuple[object, ...] = {
        "file": (*tea, "--answers-file", "answers.txt"),
        "plan": ("discover", "new", text, "--question", "Where?", "--epsilon", 4),
        "count": (
            *("joint-count", "new", text, "--epsilon", 1, "--delta", 1e-6),
            *("-o", "count.json", "--secret", "secret.json"),
        ),
        "label": ("token", "new", "--role", "relay", "--label", text, "--store", "sudare.db"),
    }.get(place, (*tea, "--answer", texts["answer"], "--answer", "black"))
    sentence = refused(tmp_path, *command)
    assert "is one line of characters that can be seen, got U+" in sentence
    assert commands(sentence) == set()


def test_a_document_of_before_keeps_its_key_and_its_texts() -> None:
    made = hostile(ALL)
    again = Collection.from_json(made.to_json())
    assert (again.key, again.name, again.answers) == (made.key, made.name, made.answers)


def test_a_record_of_a_log_is_a_line() -> None:
    record = logging.LogRecord("sudare", logging.WARNING, "x", 1, "store: %s", (ALL,), None)
    told = LogFormatter().format(record)
    assert_harmless(told)
    assert "\n" not in told
    record.exc_info = (ValueError, ValueError(ALL), None)
    told = LogFormatter().format(record)
    assert commands(told) == set()
    assert told.splitlines()[1].startswith("ValueError: <U+001B>[2K<U+000D>")


@pytest.mark.parametrize("text", [*TEXTS.values(), '=cmd|"/c calc"!A1', "<script>", "שלום 1"])
def test_pages_show_texts_and_keep_them_to_themselves(text: str, tmp_path: Path) -> None:
    survey(tmp_path, text)
    succeed(tmp_path, "estimate", "tea.json", "total.json", "--plot", "tea.html")
    page = (tmp_path / "tea.html").read_text("utf-8")
    own = page.replace("\u2068", "").replace("\u2069", "")  # of attributes
    assert commands(own) == set()
    assert FORGED not in {line[: len(FORGED)] for line in page.splitlines()}
    shown = [node.text for node in read(page).all("bdi")]
    for wanted in (f"name {text}", f"Which? {text}", f"{text}0", f"{text}1"):
        assert visible(wanted) in shown
