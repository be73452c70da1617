"""Mechanisms of other packages: found by name, used as ours are; a broken one is a sentence."""

import asyncio
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import sudare
from sudare import Collection
from sudare.collector.http.problems import Problem
from sudare.collector.service import Service
from sudare.collector.stores.contract import HeldCollection, Store
from sudare.collector.stores.open import open_store
from sudare.errors import MechanismUnavailable
from sudare.installed import blamed, forget, offers, suspected
from sudare.mechanisms import categorical, from_document
from support.commands import TEAS, refused, run, succeed
from support.other_packages import changed, install
from support.uploads import collecting, error

NEW: tuple[object, ...] = (
    *("collection", "new", "tea", "--question", "Which?", "--epsilon", 1),
    *(word for tea in TEAS for word in ("--answer", tea)),
)


@pytest.fixture
def dice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, where the template is installed."""
    install(tmp_path / "site", monkeypatch)
    return tmp_path


def test_a_survey_by_a_mechanism_of_another_package(dice: Path) -> None:
    said = succeed(dice, *NEW, "--mechanism", "dice", "-o", "tea.json")
    assert said.out.startswith("tea.json: dice, ε = 1")
    assert "of the package dice-ldp 1.0, which states this ε" in said.err
    (dice / "answers.csv").write_text("answer\n" + "green\nblack\ngreen\n" * 400)
    succeed(
        dice, "randomize", "tea.json", "answers.csv", "-o", "reports.arrow", "--insecure-seed", 1
    )
    succeed(dice, "aggregate", "tea.json", "reports.arrow", "-o", "total.json")
    rows = succeed(dice, "estimate", "tea.json", "total.json", "--json").json()["answers"]
    assert [row["answer"] for row in rows] == list(TEAS)
    assert rows[0]["low"] < 2 / 3 < rows[0]["high"]
    stated = succeed(dice, "epsilon", "tea.json", "--json").json()
    assert stated["enumerated"] == stated["worst_ratio"]
    collection = Collection.from_json((dice / "tea.json").read_bytes())
    assert type(collection.mechanism).__module__ == "dice_ldp"
    likely = ("estimate", "tea.json", "total.json", "--consistent", "likelihood")
    succeed(dice, *likely)


def test_commands_list_what_is_installed(dice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "500")  # so that no name is divided between two lines
    for words in (("collection", "new"), ("compare",), ("simulate", "survey")):
        assert "dice" in succeed(dice, *words, "--help").out
    (dice / "answers.csv").write_text("answer\n" + "green\nblack\n" * 50)
    compared = ("compare", "answers.csv", "--mechanism", "grr", "--mechanism", "dice")
    rows = succeed(dice, *compared, "--epsilon", 1, "--repetitions", 3, "--json").json()["rows"]
    assert [row["mechanism"] for row in rows] == ["GRR", "DICE"]
    tried = ("simulate", "survey", "--people", 100, "--mechanism", "dice", "-o", "survey")
    succeed(dice, *tried, "--seed", 1)


def test_without_the_package_a_sentence_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        install(tmp_path / "site", patch)
        succeed(tmp_path, *NEW, "--mechanism", "dice", "-o", "tea.json")
    assert "dice" not in offers()
    said = refused(tmp_path, "collection", "check", "tea.json")
    assert said.endswith(
        "or of an installed package; “dice” is neither: install the package that has it, here and "
        "wherever its reports are made or counted"
    )
    assert "'dice' is not one of 'auto'" in run(tmp_path, *NEW, "--mechanism", "dice").err


def test_a_name_of_ours_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = changed(('name: ClassVar[str] = "dice"', 'name: ClassVar[str] = "grr"'))
    install(tmp_path, monkeypatch, source, entries={"grr": "dice_ldp:Dice"})
    assert categorical("grr") is sudare.GRR
    assert isinstance(from_document(sudare.GRR(2, 0.75).document()), sudare.GRR)
    assert succeed(tmp_path, "compare", "--help").out.count("grr") == 2  # and sampled-grr


HOLDER = "    @property\n    def holder(self) -> float:"
MADE = "return cls(\n            k,"
RATIO = "return _ratio(self.k, self.keep)"


def beside(code: str) -> str:
    """The template's module with something more in its class."""
    return changed((HOLDER, f"{code}\n\n{HOLDER}"))


BROKEN = [
    ("import nothing_such\n", "can't be loaded (ModuleNotFoundError: No module named"),
    ("raise SystemExit(3)\n", "dice_ldp:Dice can't be loaded (SystemExit: 3)"),
    ("def\n", "can't be loaded (SyntaxError: "),
    ("x = 1\n", "can't be loaded (AttributeError: module 'dice_ldp' has no attribute 'Dice')"),
    ("Dice = 1\n", "dice_ldp:Dice is no class of mechanisms"),
    (changed(("    def tally(", "    def talli(")), "dice_ldp:Dice lacks tally"),
    (changed(('"dice"', '"craps"')), "dice_ldp:Dice calls itself “craps”"),
    (
        "from sudare import Glance\n\n\nclass Dice(Glance):\n    name = 'dice'\n",
        "dice_ldp:Dice is not for one answer of k (CategoricalMechanism)",
    ),
    (
        changed(("        odds = expm1", "        odds = 1 / 0 + expm1")),
        "it fails with ZeroDivisionError in calibrate, line 37",
    ),
    (
        changed(("        odds = expm1", "        raise SystemExit(0)\n        odds = expm1")),
        "it fails with SystemExit in calibrate, line 37",
    ),
    (
        changed(("affordable(_ratio(k, p), epsilon)", "affordable(_ratio(k, p), 3 * epsilon)")),
        "calibrated for at most ε = 1.0, it states 3.0",
    ),
    (changed((MADE, "return None\n        return cls(\n")), "Dice makes a NoneType"),
    (changed((MADE, "return cls(\n            2,")), "calibrated for 3 answers, it has 2"),
    (
        changed((RATIO, "return float(_ratio(self.k, self.keep))")),
        "its worst_ratio is a float, and no Fraction",
    ),
    (
        beside("    epsilon = 0.01"),
        "it states ε = 0.01, where its worst_ratio gives 0.9999999999999998",
    ),
    (
        beside("    def document(self):\n        return {'name': 'dice', 'k': self.k}"),
        "its document doesn't read back (dice takes the parameters k, keep; the document has 1",
    ),
    (
        beside(
            "    def document(self):\n        return {'name': 'grr', 'k': self.k, 'keep': '1/2'}"
        ),
        "its document reads back to another mechanism",
    ),
    (
        beside("    def document(self):\n        return {'name': 'dice', 'keep': object()}"),
        "it doesn't say what it is (TypeError: Encoding objects of type object is unsupported)",
    ),
    (
        beside(
            "    @classmethod\n    def from_document(cls, document):\n        return cls(2, 0.5)"
        ),
        "its document reads back to another mechanism",
    ),
]


@pytest.mark.parametrize(("source", "why"), BROKEN, ids=[why for _, why in BROKEN])
def test_a_broken_package_is_one_sentence(
    source: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, source)
    said = refused(tmp_path, *NEW, "--mechanism", "dice")
    assert said.startswith("the mechanism “dice” of the package dice-ldp 1.0 can't be used: ")
    assert why in said
    succeed(tmp_path, *NEW, "-o", "tea.json")  # who doesn't use it isn't concerned
    succeed(tmp_path, "collection", "check", "tea.json")
    assert "dice" in succeed(tmp_path, "collection", "new", "--help").out


def test_a_failure_on_the_way_names_the_package_and_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = "raise KeyError('Zanzibar rooibos')"
    source = changed(
        ("        honest = rng.bernoulli(self.keep, values.shape)", f"        {failing}")
    )
    install(tmp_path / "site", monkeypatch, source)
    succeed(tmp_path, *NEW, "--mechanism", "dice", "-o", "tea.json")
    (tmp_path / "answers.csv").write_text("answer\ngreen\n")
    said = refused(tmp_path, "randomize", "tea.json", "answers.csv", "-o", "reports.arrow")
    assert "it fails with KeyError in perturb, line" in said


def test_what_our_code_cannot_go_on_with_names_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = changed(("        return reports\n\n    def check", "        pass\n\n    def check"))
    install(tmp_path / "site", monkeypatch, source)
    succeed(tmp_path, *NEW, "--mechanism", "dice", "-o", "tea.json")
    (tmp_path / "answers.csv").write_text("answer\ngreen\n")
    said = refused(tmp_path, "randomize", "tea.json", "answers.csv", "-o", "reports.arrow")
    assert said.startswith(
        "this fails where the mechanism “dice” of the package dice-ldp 1.0 is used (TypeError in "
    )
    assert said.endswith("`sudare laws dice` tells whether it is sound")
    (tmp_path / "folder").mkdir()  # what has words of its own is nobody else's fault
    said = refused(tmp_path, "randomize", "tea.json", "answers.csv", "-o", "folder/x/r.arrow")
    assert "dice" not in said


def test_a_document_that_the_package_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = changed(("        Categories(self.k)  #", "        None + self.k  #"))
    install(tmp_path, monkeypatch, source)
    with pytest.raises(MechanismUnavailable, match=r"can't read its document \(TypeError: "):
        from_document({"name": "dice", "k": 2, "keep": "1/2"})


def test_two_packages_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "one", monkeypatch)
    install(tmp_path / "two", monkeypatch, package="other-dice", module="other")
    said = refused(tmp_path, *NEW, "--mechanism", "dice")
    assert said == (
        "the packages other-dice 1.0 and dice-ldp 1.0 both have a mechanism “dice”: uninstall one "
        "of them"
    )


def test_metadata_that_cannot_be_read_offers_nothing(
    dice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = install(dice / "bad", monkeypatch, package="bad", module="bad")
    (entries,) = made.glob("*.dist-info/entry_points.txt")
    entries.write_bytes(b"\xff[sudare.mechanisms\nnothing")
    assert [offer.package for offer in offers()["dice"]] == ["dice-ldp 1.0"]


def test_an_error_of_ours_is_nobody_elses() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        _ = 1 / 0
    assert blamed(caught.value) is None
    forget()
    assert suspected(caught.value) is None


def test_starting_looks_through_no_packages() -> None:
    code = "import sudare.cli, sudare.installed as i; print(i._offers.cache_info().misses)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


def test_the_document_says_no_more_than_ours_do(dice: Path) -> None:
    succeed(dice, *NEW, "--mechanism", "dice", "-o", "tea.json")
    document = msgspec.json.decode((dice / "tea.json").read_bytes())
    assert document["mechanism"] == {"name": "dice", "k": 3, "keep": document["mechanism"]["keep"]}


async def sent_to(store: Store, key: str) -> None:
    """A report to a collection that can't be served, and the question whether it would be taken."""
    async with collecting(store) as collector:
        for method, way in (("POST", "reports"), ("GET", "admission")):
            answer = await collector.client.request(method, f"/collections/{key}/{way}")
            assert error(answer) == (501, "mechanism_unavailable")


def test_a_collector_without_the_package_serves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports of the collection that it can't read are to be kept by their devices."""
    ours = Collection("ours", "Which?", TEAS, sudare.GRR(3, 0.5))
    path = tmp_path / "store.db"
    with monkeypatch.context() as patch:
        install(tmp_path / "site", patch)
        theirs = Collection("theirs", "Which?", TEAS, categorical("dice").calibrate(3, 1.0))
        store = open_store(str(path))
        for collection in (theirs, ours):
            store.add(HeldCollection(collection))
        store.shut()
    store = open_store(str(path))
    try:
        service = Service(store)
        assert [held.collection for held in service.held_collections] == [ours]
        assert list(store.unavailable) == [theirs.key]
        with pytest.raises(Problem, match="install the package that has it") as refusal:
            service.held_collection(theirs.key)
        assert (refusal.value.status, refusal.value.code) == (501, "mechanism_unavailable")
        with pytest.raises(Problem, match="no collection") as refusal:
            service.held_collection("0" * 64)
        assert refusal.value.status == 404
        asyncio.run(sent_to(store, theirs.key))
    finally:
        store.shut()
