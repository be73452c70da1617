"""The command that makes mutants: each is one fault in one place, and the tests decide on it."""

import random
from pathlib import Path

import pytest

import mutants as command
from mutants import PACKAGE, ROOT, CallMap, Copy, Explanation, Fault, explanations, faults, sample
from support.call_map import Noted
from support.mutation import Mutant, mutants

SOURCE = '''"""Documentation of 1 module."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    MOST = 1 + 1


@decorated(kept=True)
def several(a: int | None, b: int = 3) -> "list[int]":
    """Not 2 be changed."""
    if a is None or not b < 4:
        raise ValueError(f"{a + 1} is wrong")
    _log.info("so far %d", a + 1)
    list(zip(a, b, strict=True))
    os.fsync(a)
    held = sorted([a, b], key=max, reverse=True)
    return held[a : b - 1]


class Some(Base, strict=True, frozen=True):
    size: "int | str" = 5

    def __repr__(self) -> str:
        return f"Some({self.size + 1})"

    async def ε(self) -> float:
        self.size, ä = 1, self.size * 0.5
        return ä
'''


def changed(kind: str, function: str | None = None) -> set[str]:
    """The lines with a fault of one kind, in one function or anywhere."""
    return {
        mutant.after.strip()
        for mutant in mutants(SOURCE)
        if mutant.kind == kind and function in (None, mutant.function)
    }


def test_every_kind_of_fault_is_made_in_its_place() -> None:
    assert changed("comparison") == {
        "if a is not None or not b < 4:",
        "if a is None or not b <= 4:",
        "if a is None or not b >= 4:",
    }
    assert changed("and for or") == {"if a is None and not b < 4:"}
    assert changed("sign or not removed") == {"if a is None or (b < 4):"}
    assert changed("condition negated") == {"if not (a is None or not b < 4):"}
    assert changed("call removed") == {"pass"}
    assert changed("arguments swapped") == set()
    assert changed("raise removed") == {"pass"}
    assert changed("argument dropped") == {
        "held = sorted([a, b], reverse=True)",
        "held = sorted([a, b], key=max)",
    }
    assert changed("other function") == {"held = sorted([a, b], key=min, reverse=True)"}
    assert changed("slice") == {"return held[(a) + 1 : b - 1]", "return held[a : (b - 1) + 1]"}
    assert changed("arithmetic", "several") == {"return held[a : b + 1]"}
    assert changed("other result") == {"return None"}
    assert changed("arithmetic", "Some.ε") == {"self.size, ä = 1, self.size + 0.5"}
    assert changed("constant", "Some") == {
        "class Some(Base, strict=False, frozen=True):",
        'size: "int | str" = (5 + 1)',
        'size: "int | str" = (5 - 1)',
    }


def test_what_no_test_should_see_is_left_alone() -> None:
    lines = {mutant.before.strip() for mutant in mutants(SOURCE)}
    for word in ("Documentation", "Not 2", "MOST", "decorated", "_log", "Some({"):
        assert not any(word in line for line in lines)
    assert not any("strict=False))" in mutant.after for mutant in mutants(SOURCE))
    for mutant in mutants(SOURCE):
        assert "is wrong" not in mutant.before or mutant.new == "pass"


def test_a_size_that_nothing_is_compared_with_is_left_alone() -> None:
    used = "\n\ndef f(a):\n    return range(0, a, _BLOCK), a > _MOST\n"
    source = "_BLOCK = 1 << 16\n_MOST = 1 << 16\n_FEW = 16\nCELLS = 1 << 16\n" + used
    lines = {mutant.before for mutant in mutants(source)}
    assert lines & {"_BLOCK = 1 << 16", "_MOST = 1 << 16", "_FEW = 16", "CELLS = 1 << 16"} == {
        *("_MOST = 1 << 16", "_FEW = 16", "CELLS = 1 << 16"),
    }


def test_a_function_of_a_truth_value_returns_the_other_one() -> None:
    source = (
        "def f(a) -> bool:\n    if a > 1:\n        return False\n    return a.b\n\n\n"
        "def g(a) -> int:\n    return 7\n"
    )
    after = {mutant.after.strip() for mutant in mutants(source)}
    assert {"return True", "return not (a.b)"} < after
    assert [line for line in after if "None" in line] == ["return None"]  # of the number


def test_operands_that_may_change_places_stay() -> None:
    source = "a = gcd(b, c)\nd = np.array_equal(b, c)\ne = divmod(b, c.astype(int, copy=False))\n"
    assert [mutant.after for mutant in mutants(source)] == [
        "e = divmod(c.astype(int, copy=False), b)"
    ]


def test_from_which_size_on_the_faster_way_is_taken_is_left_alone() -> None:
    source = (
        "def f(a):\n    if a.size < COMPILE_FROM:\n        return plain(a)\n"
        "    if a.ok and a.size >= COMPILE_FROM:\n        return quick(a)\n"
    )
    assert {mutant.after.strip() for mutant in mutants(source)} == {
        "return None",
        "if not (a.ok and a.size >= COMPILE_FROM):",
        "if a.ok or a.size >= COMPILE_FROM:",
    }


def test_a_fault_is_in_the_outermost_function_as_calls_are_noted() -> None:
    source = (
        "class A:\n    def b(self):\n        def c():\n            return 1\n        return c\n"
    )
    assert {mutant.function for mutant in mutants(source)} == {"A.b"}


def test_queries_have_faults_too() -> None:
    source = 'ASK = "SELECT a FROM b WHERE c = ? AND d < ? FOR UPDATE"\n'
    after = {mutant.after for mutant in mutants(source) if mutant.kind == "query"}
    assert after == {
        'ASK = "SELECT a FROM b WHERE c <> ? AND d < ? FOR UPDATE"',
        'ASK = "SELECT a FROM b WHERE c = ? OR d < ? FOR UPDATE"',
        'ASK = "SELECT a FROM b WHERE c = ? AND d <= ? FOR UPDATE"',
        'ASK = "SELECT a FROM b WHERE c = ? AND d < ? "',
    }


def test_mutants_of_the_package_are_other_programs(seed: int) -> None:
    """Whatever the module: one span is another, and what it becomes can be compiled."""
    every = faults(list(command.FOLDERS))
    assert len(every) > 5000
    for fault in random.Random(seed).sample(every, 60):  # noqa: S311 - no secret
        mutant = fault.mutant
        if not mutant.is_program:
            continue
        assert mutant.text != mutant.source
        assert mutant.text.startswith(mutant.source[: mutant.start])
        assert mutant.text.endswith(mutant.source[mutant.end :])
        assert mutant.diff(fault.file).count("\n@@") == 1


def test_nearly_all_faults_are_programs(seed: int) -> None:
    drawn = random.Random(seed).sample(faults(["privacy", "device"]), 100)  # noqa: S311 - no secret
    assert sum(fault.mutant.is_program for fault in drawn) > 85


def test_a_seed_says_which() -> None:
    every = faults(["privacy/account.py"])
    assert sample(every, 10, 1) == sample(every, 10, 1) != sample(every, 10, 2)
    assert len({fault.mutant for fault in sample(every, 20, 1)}) == 20


def test_every_explanation_is_of_a_fault_that_there_is() -> None:
    """Else it explains nothing any more."""
    explained = explanations()
    every = {file: faults([file]) for file in {explanation.file for explanation in explained}}
    for explanation in explained:
        assert any(map(explanation.covers, every[explanation.file])), explanation
        assert len(explanation.why) > 20


def test_an_explanation_is_of_its_line_its_fault_or_its_function() -> None:
    source = "a = 1  +  2\nb = 3\n\n\ndef f():\n    return a\n"
    first, *_, last, inside = (Fault("x.py", mutant) for mutant in mutants(source))
    assert Explanation("x.py", "any fault", line="a = 1 + 2").covers(first)
    assert not Explanation("y.py", "another file", line="a = 1 + 2").covers(first)
    assert not Explanation("x.py", "another line", line="a = 1 + 2").covers(last)
    assert not Explanation("x.py", "another fault", line="b = 3", to="b = 4").covers(last)
    assert Explanation("x.py", "this fault", line="b = 3", to="b = (3 - 1)").covers(last)
    assert Explanation("x.py", "any fault in it", function="f").covers(inside)
    assert not Explanation("x.py", "another function", function="g").covers(inside)


def test_tests_that_only_read_a_number_are_tried_for_it() -> None:
    """And those that call it, but no others."""
    calls = CallMap(["privacy"])
    file = "tests/privacy/test_limits.py"
    called = [["privacy/ledger.py", "_check_delta"]]
    calls.files = {
        file: {
            "tests": {
                "calls it": {"passed": True, "seconds": 2.0, "calls": called},
                "reads it": {"passed": True, "seconds": 1.0, "calls": []},
                "fails": {"passed": False, "seconds": 1.0, "calls": called},
            }
        },
        "tests/chance/test_channel.py": {
            "tests": {"elsewhere": {"passed": True, "seconds": 1.0, "calls": []}}
        },
    }
    number, inside, other = (
        Fault("privacy/ledger.py", Mutant("a = 1", 4, 5, "2", "by hand", function))
        for function in ("", "_check_delta", "_check_count")
    )
    assert calls.tests_of(number) == [("reads it", 1.0), ("calls it", 2.0)]
    assert calls.tests_of(inside) == [("reads it", 1.0), ("calls it", 2.0)]
    assert calls.tests_of(other) == [("reads it", 1.0)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("mutants") / "copy")


LEDGER = "privacy/ledger.py"
TESTS = [
    ("tests/privacy/test_ledger.py::test_a_cap_of_nothing_refuses_everything", 1.0),
    ("tests/privacy/test_ledger.py::test_a_cap_may_be_reached_and_not_passed", 1.0),
]


@pytest.mark.parametrize(
    ("old", "new", "fate", "by"),
    [
        (
            "before + asked > Fraction(cap)",
            "before + asked >= Fraction(cap)",
            "killed",
            TESTS[1][0],
        ),
        ("before + asked > Fraction(cap)", "asked + before > Fraction(cap)", "survived", ""),
        (
            "from fractions import Fraction",
            "from fractions import Whole",
            "killed",
            "all that imports it",
        ),
    ],
    ids=["a fault", "none", "no module"],
)
def test_a_known_fault_is_killed_and_no_fault_survives(
    copy: Copy, old: str, new: str, fate: str, by: str
) -> None:
    source = (ROOT / PACKAGE / LEDGER).read_text(encoding="utf-8")
    start = source.index(old)
    fault = Fault(LEDGER, Mutant(source, start, start + len(old), new, "by hand", "Ledger.afford"))
    assert copy.verdict(fault, TESTS) == (fate, by)
    assert (copy.folder / PACKAGE / LEDGER).read_text(encoding="utf-8") == source
    assert (ROOT / PACKAGE / LEDGER).read_text(encoding="utf-8") == source


def test_calls_are_noted_by_the_outermost_function(tmp_path: Path) -> None:
    package = tmp_path / "sudare" / "part"
    package.mkdir(parents=True)
    text = "class A:\n    def b(self):\n        return [c for c in (lambda: [1])()]\n"
    names: dict[str, type] = {}
    exec(compile(text, str(package / "module.py"), "exec"), names)  # noqa: S102 - from above
    noted = Noted()
    noted.begin()
    try:
        names["A"]().b()
    finally:
        noted.end()
    assert noted.calls == {("part/module.py", "A.b")}
