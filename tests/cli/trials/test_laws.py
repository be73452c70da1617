"""``sudare laws``: the verdict on sound and on broken mechanisms, and what can't be judged."""

import sys
from pathlib import Path
from typing import Any

import pytest

from sudare.cli.trials.laws import _ANSWERS, _EPSILONS
from sudare.laws import verdict
from sudare.laws.enumeration import channel
from support.commands import refused, run, succeed
from support.other_packages import SOURCE, changed, install
from support.pages import ROOT, _compare, blocks, commands

PAGE = ROOT / "docs" / "how-to" / "publish-a-mechanism.md"
HONEST = "honest = rng.bernoulli(self.keep, values.shape)"
HOLDER = "    @property\n    def holder(self) -> float:"
ONE = (("yield from (cls(2, 0.5), cls(3, 0.25), cls.calibrate(4, 1.0))", "yield cls(3, 0.25)"),)


def beside(code: str) -> tuple[tuple[str, str], ...]:
    """A change that gives the class something more."""
    return ((HOLDER, f"{code}\n\n{HOLDER}"),)


# What is changed, the laws that it breaks, the sentence of the first, and what its case says.
BROKEN: dict[str, tuple[tuple[tuple[str, str], ...], set[str], str, dict[str, str]]] = {
    "an ε understated": (
        (("return _ratio(self.k, self.keep)", "return _ratio(self.k, self.keep / 2)"),),
        {"privacy"},
        "the enumerated ε is 0.693148, the stated one 0.356675: more is told than is stated",
        {
            "mechanism": "Dice(k=3, keep=0.25)",
            "stated ratio": "10/7",
            "enumerated ratio": "2",
            "report": "00000000",
            "value": "0",
            "its chance": "1/2",
            "other value": "1",
            "its chance there": "1/4",
        },
    ),
    "an ε overstated": (
        (("return _ratio(self.k, self.keep)", "return 2 * _ratio(self.k, self.keep)"),),
        {"privacy", "budget"},
        "the enumerated ε is 0.693148, the stated one 1.3863: less is told than is stated",
        {"stated ratio": "4", "enumerated ratio": "2"},
    ),
    "an ε that is a float": (
        (("return _ratio(self.k, self.keep)", "return float(_ratio(self.k, self.keep))"),),
        {"privacy", "budget"},
        "worst_ratio is a float; it must be an exact Fraction",
        {},
    ),
    "an ε of its own": (
        beside("    epsilon = 0.01"),
        {"privacy"},
        "epsilon is told to be 0.01; the logarithm of worst_ratio is 0.693147",
        {"stated ratio": "2"},
    ),
    "reports that are said to cost nothing more": (
        beside("    def epsilon_of(self, reports):\n        return self.epsilon"),
        {"privacy"},
        "epsilon_of(2) is 0.693147",
        {},
    ),
    "a lifetime without kept noise": (
        beside("    lifetime_epsilon = 2.0"),
        {"privacy"},
        "lifetime_epsilon is 2.0; what is kept says that it is at least inf",
        {},
    ),
    "a device that tells the truth": (
        beside(
            "    def report_again(self, values, kept, rng):\n"
            "        return values.astype('<u4').view(self.report_dtype)"
        ),
        {"privacy"},
        "a device's report has another law than that of randomize",
        {"report": "00000000", "its chance": "1/2", "its chance from a device": "1"},
    ),
    "one key for all": (
        beside("    key = 'a' * 64"),
        {"documented"},
        "the key isn't that of the document",
        {"key": "aaaa"},
    ),
    "evidence of something else": (
        (("np.array([self.holder])", "np.array([self.keep])"),),
        {"unbiased"},
        "the evidence is wrong: the exact mean of its counts isn't what its chances say",
        {"people with each value": "[1, 1, 0]", "mean": "[[0.75, 0.75, 0.5]]"},
    ),
    "a report that leaks": (
        ((HONEST, f"{HONEST} | (values == 2)"),),
        {"privacy", "unbiased"},
        "a report is possible under one value and impossible under another: no ε holds",
        {"report": "00000000", "value": "0", "its chance": "1/2", "other value": "2"},
    ),
    "a biased estimator": (
        (("return (1 - self.keep) / self.k\n", "return (1 - self.keep) / (self.k + 1)\n"),),
        {"unbiased"},
        "the estimate is biased: its exact mean isn't the truth",
        {
            "people with each value": "[1, 1, 0]",
            "answer": "0",
            "share": "0.5",
            "mean of its estimate": "0.75",
        },
    ),
    "one coin for all": (
        ((HONEST, "honest = np.repeat(rng.bernoulli(self.keep, 1), len(values))"),),
        {"apart"},
        "two people's reports depend on each other, or on who else is in their batch",
        {"values": "0 and 2", "reports": "00000000 and 00000000", "chance together": "1/12"},
    ),
    "a die for liars alone": (
        (
            (
                "thrown = rng.below(self.k, ",
                "thrown = rng.below(self.k + values[0] * 0 + 1 * (values[0] == 2) * self.k, ",
            ),
            ("np.where(honest, values, thrown)", "np.where(honest, values, thrown % self.k)"),
        ),
        {"discreet"},
        "what is asked of chance depends on the value",
        {"value": "0", "other value": "2"},
    ),
    "chance from elsewhere": (
        ((HONEST, "honest = np.random.default_rng().random(values.shape) < self.keep"),),
        set(),
        "",
        {},
    ),
    "a check that accepts all": (
        (("wrong = reports", "wrong = 0 * reports"),),
        {"strict"},
        "",
        {},
    ),
    "a check that refuses too much": (
        ((">= self.k\n", ">= self.k - 1\n"),),
        {"strict"},
        "check refuses a report that perturb makes",
        {"report": "02000000"},
    ),
    "a simulation of something else": (
        (("binomial(counts, self.keep)", "binomial(counts, self.keep / 2)"),),
        {"simulated"},
        "simulate doesn't draw from the law of perturb: such draws have a chance of at most ",
        {},
    ),
    "counts that don't add up": (
        (("        return counts\n", "        return np.minimum(counts, 3)\n"),),
        {"additive"},
        "two batches counted together aren't the sum of both",
        {},
    ),
    "weights of another answer": (
        (('reports["answer"] == answer', 'reports["answer"] == self.k - 1 - answer'),),
        {"weighted"},
        "the weights of an answer don't add up to its people",
        {},
    ),
    "a parameter that isn't looked at": (
        (("        Categories(self.k)  # refuses a k that is no number of answers\n", ""),),
        {"documented"},
        "a document with a wrong parameter is taken for a mechanism",
        {"read as": "Dice(k=-1, keep=0.25)"},
    ),
    "a budget overspent": (
        (("affordable(_ratio(k, p), epsilon)", "affordable(_ratio(k, p), 2 * epsilon)"),),
        {"budget"},
        "calibrated for at most ε = 0.05, it states ε = 0.1",
        {},
    ),
    "no words": (
        (('return f"A device tells', 'return f"" and f"A device tells'),),
        {"told"},
        "odds says nothing to the people who are asked",
        {},
    ),
    "code that ends the program": (
        ((HONEST, "raise SystemExit(0)"),),
        {"privacy"},
        "the code fails: SystemExit: 0",
        {"where": "perturb, line "},
    ),
    "code that fails": (
        (("honest = generator", "honest = 1 / 0 + generator"),),
        {"simulated"},
        "the code fails: ZeroDivisionError: division by zero",
        {"where": "simulate, line "},
    ),
}


def judged(folder: Path, *changes: tuple[str, str]) -> Any:
    """The verdict on a changed template, as JSON, and the exit code with it."""
    (folder / "dice_here.py").write_text(changed(*changes), "utf-8")
    sys.modules.pop("dice_here", None)
    done = run(folder, "laws", "dice_here:Dice", "--json")
    found = done.json()
    assert done.code == (0 if found["holds"] else 1)
    return found


@pytest.fixture(autouse=True)
def _no_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two variants of a module, written within a second, look alike to Python."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_variant_is_caught_by_its_law(what: str, tmp_path: Path) -> None:
    changes, broken, sentence, case = BROKEN[what]
    found = judged(tmp_path, *ONE, *changes)
    laws = [law for law in found["laws"] if not law["holds"]]
    assert {law["law"] for law in laws} >= broken
    assert laws
    if sentence:
        first = next(law for law in laws if law["law"] in broken)
        assert first["broken"].startswith(sentence)
        for name, value in case.items():
            assert first["case"][name].startswith(value)


def test_the_template_obeys_every_law(tmp_path: Path) -> None:
    found = judged(tmp_path)
    assert found["holds"]
    assert found["mechanism"] == "dice"
    assert found["tried_on"][:2] == ["Dice(k=2, keep=0.5)", "Dice(k=3, keep=0.25)"]
    assert {law["law"] for law in found["laws"]} == {*(law.name for law in verdict.LAWS), "budget"}


@pytest.mark.parametrize("name", ["grr", "sudare.mechanisms.unary:OUE"])
def test_ours_are_calibrated_for_it(name: str, tmp_path: Path) -> None:
    said = succeed(tmp_path, "laws", name, "--answers", 2, "--answers", 3, "--epsilon", 1)
    assert said.out.rstrip().endswith("tried on 2 instances: every law holds")


@pytest.mark.parametrize(("name", "epsilon"), [("loloha", 1), ("grr", 50)])
def test_ours_obey_them_by_their_names_at_any_budget(
    name: str, epsilon: float, tmp_path: Path
) -> None:
    said = succeed(tmp_path, "laws", name, "--answers", 2, "--epsilon", epsilon)
    assert said.out.rstrip().endswith(f"{name}, tried on 1 instance: every law holds")


def test_a_broken_law_is_a_line_with_its_case_and_exit_code_1(tmp_path: Path) -> None:
    changes, _, sentence, _ = BROKEN["a biased estimator"]
    (tmp_path / "biased.py").write_text(changed(*ONE, *changes), "utf-8")
    done = run(tmp_path, "laws", "biased:Dice")
    assert done.code == 1
    assert sentence[:40] in done.out
    assert "mean of its estimate: 0.75" in done.out
    assert "dice, tried on 1 instance: " in done.out
    assert str(tmp_path) not in sys.path


NOT_JUDGED = {
    "nothing_such:Dice": ("", "nothing_such can't be imported: ModuleNotFoundError: "),
    "a:Dice": ("raise OSError('gone')", "a can't be imported: OSError: gone"),
    "b:Dice": ("x = 1", "b has no Dice"),
    "c:Dice": ("Dice = 1", "c:Dice is no subclass of "),
    "d:Dice": ("from sudare import Glance as Dice", "d:Dice is no subclass of "),
    "e:Dice": (changed(("def tally(", "def talli(")), "e:Dice lacks tally"),
    "f:Dice": (
        changed(("        yield from (", "        yield from () and (")),
        "Dice.examples() must give mechanisms of its class, at least one",
    ),
    "endless:Dice": (
        changed(("        yield from (", "        while True:\n            yield from (")),
        "Dice.examples() gives more than 100 mechanisms",
    ),
    "large:Dice": (
        changed(("(cls(2, 0.5)", "(cls(10**6, 0.5)")),
        "Dice.examples() gives one for 1,000,000 answers, of which laws are tried on at most 100: ",
    ),
    "wide:Dice": (
        changed(("thrown = rng.below(self.k,", "thrown = rng.below(self.k << 20,")),
        "Dice(k=2, keep=0.5) can't be tried: chance is asked a question of 2,097,152 answers, each",
    ),
    "left:Dice": (
        changed(
            ("odds = expm1", "raise SystemExit(0)\n        odds = expm1"),
            ("def examples(", "def other("),
        ),
        "Dice.calibrate(2, 0.5) fails: SystemExit: 0",
    ),
    "ours:Dice": (
        changed(('name: ClassVar[str] = "dice"', 'name: ClassVar[str] = "grr"')),
        "ours:Dice is called “grr”, which is a name of ours: give it its own",
    ),
    "g:Dice": (
        changed(("(cls(2, 0.5)", "(cls(2, 5.0)")),
        "Dice.examples() is refused: keep must be a multiple of 2^-53 in (0, 1), got 5.0",
    ),
    "h:Dice": (
        changed(("def examples(", "def other("), ("odds = expm1", "odds = 1 / 0 + expm1")),
        "Dice.calibrate(2, 0.5) fails: ZeroDivisionError: division by zero",
    ),
    "i:Dice": (
        changed(("thrown = rng", "while not rng.bernoulli(0.5, 1)[0]: pass\n        thrown = rng")),
        "Dice(k=2, keep=0.5) can't be tried: more than 10,000 questions are asked of chance for ",
    ),
    "j:Dice": (
        changed(('name: ClassVar[str] = "dice"', 'name: ClassVar[str] = ""')),
        "j:Dice has no name, by which documents could call it",
    ),
    "a b:Dice": ("", "'a b:Dice' is no package.module:Class"),
    "nowhere:": ("", "'nowhere:' is no package.module:Class"),
    "craps": ("", "the mechanism must be one of "),
    "window": ("", "window is not for one answer of k, as grr, oue, sue, "),
}


@pytest.mark.parametrize("named", NOT_JUDGED)
def test_what_cannot_be_judged_is_a_sentence(named: str, tmp_path: Path) -> None:
    source, sentence = NOT_JUDGED[named]
    module = named.partition(":")[0]
    if source:
        (tmp_path / f"{module}.py").write_text(source, "utf-8")
    sys.modules.pop(module, None)
    assert refused(tmp_path, "laws", named).startswith(sentence)
    sys.modules.pop(module, None)


def test_too_many_paths_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sudare.laws.enumeration._MOST_PATHS", 5)
    channel.cache_clear()
    said = refused(tmp_path, "laws", "grr", "--answers", 5, "--epsilon", 1)
    assert "can't be tried: there are more than 5 paths of chance, too many to walk" in said


def test_the_defaults_are_those_of_the_laws() -> None:
    assert (_ANSWERS, _EPSILONS) == (verdict.ANSWERS, verdict.EPSILONS)


def test_the_guide_shows_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its package is that of examples/; its commands are run where that is installed."""
    install(tmp_path / "site", monkeypatch)
    monkeypatch.setenv("COLUMNS", "100")
    work = tmp_path / "work"
    work.mkdir()
    (work / "dice_ldp.py").write_text(SOURCE, "utf-8")
    assert any(block.text == SOURCE for block in blocks(PAGE) if block.language == "python")
    told = [block for block in blocks(PAGE) if block.language == "text"]
    project = (ROOT / "examples" / "dice_ldp" / "pyproject.toml").read_text("utf-8")
    assert any(block.text == project for block in told)
    ran = 0
    for block in told:
        for command, shown in commands(block):
            words = command.replace("\\\n", " ").split()
            if words[0] != "sudare":
                assert words[:2] == ["pip", "install"]
                continue
            done = run(work, *[word.strip('"') for word in words[1:]])
            _compare(shown, done.out + done.err, f"{PAGE.name}:{block.line}")
            ran += 1
    assert ran >= 3
