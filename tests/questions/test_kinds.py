"""Each kind of question obeys the laws of all kinds."""

import io
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console

from sudare import (
    GRR,
    OUE,
    Borappor,
    Collection,
    Glance,
    HadamardResponse,
    JointQuestions,
    KShot,
    LocalHashing,
    Loloha,
    Part,
    ProjectiveGeometry,
    Rappor,
    SampledQuestions,
    Seeded,
    SetResponse,
    SplitQuestions,
    SquareWave,
    SubsetSelection,
    Window,
)
from sudare.cli.shared import options
from sudare.collection.windows import Windows
from sudare.errors import ParameterError
from sudare.mechanisms.aggregate import Aggregate
from sudare.questions.choice import CONSISTENT, Choice
from sudare.questions.distribution import Distribution
from sudare.questions.interface import ResultOptions
from sudare.questions.number import Mean
from sudare.questions.selection import Selection
from sudare.questions.several import Several
from sudare.questions.states import OverTime, stream_question
from sudare.questions.text import FreeText, text_question
from sudare.results.renderers import RENDERERS, save_plot
from support.question_laws import MINIMUM, QuestionLaws

TEAS = ("green", "black, with milk", "ほうじ茶")
TEXTS = ("tea", "coffee", "お茶", 'a "quoted", text')


class TestChoice(QuestionLaws):
    kind = Choice
    collections: ClassVar = [
        Collection("tea", "Which tea?", TEAS, mechanism, MINIMUM)
        for mechanism in (
            GRR.calibrate(3, 2.0),
            OUE.calibrate(3, 1.0),
            Rappor.calibrate(2.0, form="basic", bits=3),
            SubsetSelection.calibrate(3, 0.5),
            ProjectiveGeometry.calibrate(3, 1.0),
            LocalHashing.calibrate(3, 1.0),
            HadamardResponse.calibrate(3, 1.0),
            Loloha.calibrate(3, 1.0, lifetime=2.0),
        )
    ]
    wrong: ClassVar = ["secretly", "", 7, None]
    mark = "secretly"

    def answers(self, people: int) -> list[Any]:
        return [TEAS[number % 3] for number in range(people)]

    def table(self, answers: list[Any]) -> pa.Table:
        return pa.table({"answer": answers, "else": ["x"] * len(answers)})

    def truth(self, people: int) -> Any:
        return dict(zip(TEAS, (people // 2, people // 4, people // 4), strict=True))


class TestSelection(QuestionLaws):
    kind = Selection
    collections: ClassVar = [
        Collection("teas", "Which teas?", TEAS, SetResponse.calibrate(3, most, epsilon), MINIMUM)
        for most, epsilon in ((1, 1.0), (2, 0.5), (3, 2.0))
    ]
    wrong: ClassVar = ["secretly", "", 7, None, ["secretly"], [7], "green;green", " "]
    mark = "secretly"

    def answers(self, people: int) -> list[Any]:
        return [[["green"], [], "ほうじ茶;", ";"][number % 4] for number in range(people)]

    def table(self, answers: list[Any]) -> pa.Table:
        cells = [row if isinstance(row, str) else ";".join(row) or " ; " for row in answers]
        return pa.table({"answer": cells})

    def truth(self, people: int) -> Any:
        return {("green",): people // 2, ";": people // 4, "ほうじ茶": people // 4}


class TestMean(QuestionLaws):
    kind = Mean
    collections: ClassVar = [
        Collection("age", "How old?", ("18", "99"), Window.calibrate(81, 1.0), MINIMUM),
        Collection("stars", "How many?", ("1", "5"), Window.calibrate(4, 3.0), MINIMUM),
        Collection("warmth", "How warm?", ("-20", "40.5"), Window.calibrate(121, 0.5), MINIMUM),
    ]
    wrong: ClassVar = ["secretly", "", None, True, float("nan"), "inf", "1,5", [3]]
    mark = "secretly"

    def answers(self, people: int) -> list[Any]:
        return [[2, "3.0", 4.5, " 5 "][number % 4] for number in range(people)]

    def table(self, answers: list[Any]) -> pa.Table:
        return pa.table({"answer": [str(answer) for answer in answers]})

    def truth(self, people: int) -> Any:
        return {"2": people // 2, 3: people // 4, "4.5": people // 4}


class TestDistribution(QuestionLaws):
    kind = Distribution
    collections: ClassVar = [
        Collection("age", "How old are you?", ends, mechanism, MINIMUM)
        for ends, mechanism in (
            (("18", "99"), SquareWave.calibrate(81, 1.0)),
            (("-1.5", "2.5"), SquareWave.calibrate(8, 4.0)),
            (("0", "1"), SquareWave.calibrate(1000, 0.5, bins=50)),
        )
    ]
    wrong: ClassVar = ["secretly", "", None, "1,5", "nan", True]
    mark = "secretly"

    def answers(self, people: int) -> list[Any]:
        return [[0, "1.5", 2.25, "1e3", -7][number % 5] for number in range(people)]

    def table(self, answers: list[Any]) -> pa.Table:
        return pa.table({"answer": [str(answer) for answer in answers]})

    def truth(self, people: int) -> Any:
        return {"0": people // 2, "1": people // 4, "0.5": people // 4}


QUESTIONS = (
    Part("tea", "Which tea?", TEAS),
    Part("town", "Where?", ("Tokyo", "Kyoto, or near")),
)


class TestSeveral(QuestionLaws):
    kind = Several
    collections: ClassVar = [
        Collection("both", "Two questions", (), mechanism, MINIMUM, parts=QUESTIONS)
        for mechanism in (
            SampledQuestions((GRR.calibrate(3, 2.0), OUE.calibrate(2, 2.0))),
            SplitQuestions((OUE.calibrate(3, 1.0), GRR.calibrate(2, 1.0))),
            JointQuestions((3, 2), GRR.calibrate(6, 3.0)),
            JointQuestions((3, 2), SubsetSelection.calibrate(6, 1.0)),
            SampledQuestions((SubsetSelection.calibrate(3, 0.5), GRR.calibrate(2, 0.5))),
        )
    ]
    wrong: ClassVar = [
        ["secretly", "Tokyo"],
        {"tea": "green", "town": "secretly"},
        {"tea": "green"},
        ["green", 1],
        ["green"],
        "secretly",
        None,
    ]
    mark = "secretly"

    def answers(self, people: int) -> list[Any]:
        rows = [
            {"tea": "green", "town": "Tokyo"},
            ["ほうじ茶", "Kyoto, or near"],
            ("green", "Kyoto, or near"),
        ]
        return [rows[number % 3] for number in range(people)]

    def table(self, answers: list[Any]) -> pa.Table:
        rows = [list(row.values()) if isinstance(row, dict) else row for row in answers]
        teas, towns = zip(*rows, strict=True)
        return pa.table({"town": towns, "else": ["x"] * len(rows), "tea": teas})

    def truth(self, people: int) -> Any:
        return {("green", "Tokyo"): people // 2, (TEAS[1], "Kyoto, or near"): people // 2}


class TestFreeText(QuestionLaws):
    kind = FreeText
    collections: ClassVar = [
        Collection("drink", "Which drink?", (), mechanism, MINIMUM)
        for mechanism in (Rappor.calibrate(4.0, form="instant"), Rappor.calibrate(3.0, lifetime=6))
    ]
    candidates = (*TEXTS, "water")
    wrong: ClassVar = [7, "", None]
    mark = "secretly"

    def answers(self, people: int) -> list[Any]:
        return [TEXTS[number % 4] for number in range(people)]

    def table(self, answers: list[Any]) -> pa.Table:
        return pa.table({"answer": answers})

    def truth(self, people: int) -> Any:
        return {"tea": 2 * people, "お茶": 2 * people}


class TestOverTime(QuestionLaws):
    kind = OverTime
    collections: ClassVar = [
        Collection("online", "Online?", ("no", "yes"), mechanism, MINIMUM)
        for mechanism in (
            Glance.calibrate(4, 2.0),
            KShot.calibrate(4, 3.0),
            Borappor.calibrate(4, 4.0),
        )
    ]
    wrong: ClassVar = [
        ["secretly", "no", "no", "no"],
        ["no", 2, "no", "no"],
        ["no", "yes"],
        "secretly",
    ]
    mark = "secretly"

    def answers(self, people: int) -> list[Any]:
        states = Seeded(3).bernoulli(0.5, (people, 4)).astype(int)
        return [["no" if state else 1 for state in row] for row in states.tolist()]

    def table(self, answers: list[Any]) -> pa.Table:
        columns = zip(*answers, strict=True)
        return pa.table({str(i + 1): [str(s) for s in column] for i, column in enumerate(columns)})

    def truth(self, people: int) -> Any:
        ones = np.array([people // 2, people // 3, people // 4, people // 5])
        return np.column_stack([people - ones, ones])


ONLINE = TestOverTime.collections[0]
TEA, DRINK = TestChoice.collections[0], TestFreeText.collections[0]


def test_a_round_with_too_few_reports_is_withheld_and_says_so() -> None:
    counts = np.array([[30, 30], [20, 20], [0, 0], [90, 10]])
    total = ONLINE.zero
    total = type(total)(ONLINE.key, int(counts.sum()), counts)
    assert ONLINE.released(total).counts.tolist() == [[30, 30], [0, 0], [0, 0], [90, 10]]
    rows = ONLINE.analyse(total).rows()
    assert [row["withheld"] for row in rows] == [False, True, False, False]
    assert [row["reports"] for row in rows] == [60, 40, 0, 100]
    assert [row["share"] is None for row in rows] == [False, True, True, False]


def test_a_round_of_which_only_that_is_known_is_shown_as_withheld(tmp_path: Path) -> None:
    """A collector doesn't tell how many reports such a round has."""
    counts = np.array([[30, 30], [0, 0], [0, 0], [90, 10]])
    total = Aggregate(ONLINE.key, int(counts.sum()), counts)
    found = ONLINE.analyse(total).withholding((2,))
    assert [row["reports"] for row in found.rows()] == [60, None, 0, 100]
    renderer = RENDERERS[type(found)]
    screen = io.StringIO()
    Console(file=screen, width=200).print(renderer.table(found))
    assert "1 round with fewer than 50 reports: withheld." in screen.getvalue()
    assert "1 round without a report: no estimate." in screen.getvalue()
    save_plot(found, tmp_path / "rounds.html")
    assert "withheld" in (tmp_path / "rounds.html").read_text("utf-8")
    with pytest.raises(ParameterError, match="a result of “tea” has no rounds"):
        TEA.analyse(TEA.simulate(dict.fromkeys(TEAS, 100), Seeded(1))).withholding((2,))


def test_a_step_to_consistency_that_is_none_is_refused_and_the_command_line_has_all() -> None:
    total = TEA.simulate(dict.fromkeys(TEAS, 100), Seeded(1))
    with pytest.raises(ParameterError, match=r"consistent is one of clip, .*, got 'nonsense'"):
        TEA.analyse(total, ResultOptions(consistent="nonsense"))
    assert options.CONSISTENT == CONSISTENT
    for step in CONSISTENT:
        rows = TEA.analyse(total, ResultOptions(consistent=step)).rows()
        assert sum(row["consistent"] for row in rows) == pytest.approx(1, abs=0.1)


def test_only_closed_rounds_are_shown() -> None:
    counts = np.full((4, 2), 30)
    shown = [ONLINE.kind.shown(counts, closed, None) for closed in range(5)]
    assert [0 if one is None else one.n for one in shown] == [0, 60, 120, 180, 240]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ResultOptions(simultaneous=True),
            "simultaneous is for listed answers; over time the band",
        ),
        (ResultOptions(population=True), "population is for listed answers; over time intervals"),
        (
            ResultOptions(consistent="clip"),
            "consistent is for listed answers; the shares of rounds",
        ),
    ],
)
def test_options_of_listed_answers_are_refused_elsewhere(asked: ResultOptions, said: str) -> None:
    total = ONLINE.simulate(TestOverTime().truth(4000), Seeded(1))
    with pytest.raises(ParameterError, match=said):
        ONLINE.analyse(total, asked)
    assert TEA.analyse(TEA.simulate(dict.fromkeys(TEAS, 100), Seeded(1)), asked).rows()


def test_a_kind_refuses_what_another_can_do() -> None:
    for collection in (TEA, DRINK):
        with pytest.raises(ParameterError, match=r"asks for one answer, by .*: it has no rounds"):
            stream_question(collection)
    with pytest.raises(ParameterError, match=r"“tea” has no texts to find \(3 answers\): "):
        text_question(TEA)
    with pytest.raises(ParameterError, match=r"“online” has no texts to find \(4 rounds, "):
        text_question(ONLINE)
    with pytest.raises(ParameterError, match=r"single reports of “online” \(4 rounds, .* say noth"):
        ONLINE.kind.alternatives(None)
    with pytest.raises(ParameterError, match="answered in free text"):
        DRINK.analyse(DRINK.simulate({"tea": 100}, Seeded(1)))
    with pytest.raises(ParameterError, match="their reports add up"):
        TEA.kind.series((1, 2), [])


def test_rules_that_dont_go_with_rounds() -> None:
    with pytest.raises(ParameterError, match="can't be the number of the other state"):
        Collection("x", "?", ("1", "0"), Glance.calibrate(4, 1.0))
    with pytest.raises(ParameterError, match="an invitation is good for one report"):
        Collection("x", "?", ("no", "yes"), Borappor.calibrate(4, 1.0), invited=True)
    with pytest.raises(ParameterError, match="whole number of seconds"):
        Collection("x", "?", ("no", "yes"), Glance.calibrate(4, 1.0), windows=Windows(0, 10))
