"""The laws that every kind of question obeys.

A kind's test class inherits ``QuestionLaws``, names collections that ask such a question, and says
what people may answer. `docs/how-to/add-a-question.md` shows one.
"""

import io
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from sudare import Aggregate, Collection, Seeded
from sudare.answers.reading import Reading, RowRules
from sudare.answers.table import FileOptions, Table
from sudare.chance.exact import text_up
from sudare.collection.windows import Windows
from sudare.collector.stores.contract import Role
from sudare.errors import (
    InvalidAnswer,
    MixedCollections,
    ParameterError,
    SudareError,
    TooFewReports,
)
from sudare.questions import KINDS
from sudare.questions.interface import Question, Result, ResultOptions
from sudare.results.renderers import RENDERERS, save_plot
from support.analysts import NOON, Collector

MINIMUM = 50
PEOPLE = 4000


class QuestionLaws:
    """Inherit, and every law is a test of the kind."""

    kind: ClassVar[type[Question]]
    collections: ClassVar[Sequence[Collection]]
    candidates: ClassVar[Sequence[str]] = ()
    wrong: ClassVar[Sequence[Any]]
    """Answers that nobody may give; each has a mark that no error may tell."""
    mark: ClassVar[str]

    @abstractmethod
    def answers(self, people: int) -> list[Any]:
        """What so many people may answer."""

    @abstractmethod
    def table(self, answers: list[Any]) -> pa.Table:
        """The answers as people keep them: a row for each person."""

    @abstractmethod
    def truth(self, people: int) -> Any:
        """So many people, in the form that ``Collection.simulate`` takes."""

    @pytest.fixture(params=range(3))
    def collection(self, request: pytest.FixtureRequest) -> Collection:
        found: Collection = self.collections[request.param % len(self.collections)]
        return found

    def total(self, collection: Collection, seed: int, people: int = PEOPLE) -> Aggregate:
        return collection.simulate(self.truth(people), Seeded(seed))

    def result(self, collection: Collection, seed: int, level: float = 0.95) -> Result:
        weighed = collection.kind.weigh(self.total(collection, seed), self.candidates)
        return collection.kind.result(weighed, ResultOptions(level))

    # How it is answered.

    def test_the_kind_follows_from_the_document(self, collection: Collection) -> None:
        again = Collection.from_json(collection.to_json())
        assert type(again.kind) is type(collection.kind) is self.kind
        assert KINDS[type(collection.mechanism.domain)] is self.kind
        assert again.key == collection.key

    @pytest.mark.parametrize("form", ["csv", "parquet", "arrow"])
    def test_a_table_and_a_list_say_the_same(
        self, collection: Collection, form: str, tmp_path: Path
    ) -> None:
        answers = self.answers(301)
        path = tmp_path / f"answers.{form}"
        write(self.table(answers), path)
        question = collection.kind
        read = self.reading(question, path, form)
        assert np.concatenate(list(read)).tolist() == collection.encode(answers).tolist()
        assert (read.rows, read.people, dict(read.left_out)) == (301, 301, {})

    @staticmethod
    def reading(question: Question, path: Path, form: str) -> Reading:
        table = Table(path, question.layout(None), FileOptions(form))
        return Reading(table, question, RowRules(), Seeded(1))

    def test_a_wrong_answer_is_refused_by_its_place_and_never_told(
        self, collection: Collection
    ) -> None:
        for wrong in self.wrong:
            answers = self.answers(5)
            answers[3] = wrong
            with pytest.raises(InvalidAnswer) as found:
                collection.kind.encode(answers, 100)
            assert "position 103" in str(found.value)
            assert self.mark not in str(found.value)
        with pytest.raises(SudareError):
            collection.encode(self.mark)  # a text is no list of answers

    def test_reports_of_answers_are_counted_and_estimated(self, collection: Collection) -> None:
        answers = self.answers(200)
        reports = collection.randomize(answers, Seeded(1))
        total = collection.aggregate(reports)
        assert total.n == len(reports) >= 200
        parts = [collection.aggregate(part) for part in np.array_split(reports, 3)]
        assert sum(parts, start=collection.zero) == total

    # What may be shown.

    def test_nothing_is_released_of_too_few(self, collection: Collection, seed: int) -> None:
        few = replace(collection, minimum_reports=PEOPLE)
        total = replace(self.total(few, seed, people=200), key=few.key)
        with pytest.raises(TooFewReports):
            few.released(total)
        with pytest.raises(MixedCollections):
            collection.released(total)

    def test_what_is_released_has_enough_in_every_part(
        self, collection: Collection, seed: int
    ) -> None:
        total = self.total(collection, seed)
        released = collection.released(total)
        assert released.key == collection.mechanism.key
        assert released.n >= collection.minimum_reports
        kept = released.counts == total.counts
        assert (kept | (released.counts == 0)).all()

    def test_no_two_releases_of_a_running_sum_are_few_reports_apart(
        self, collection: Collection
    ) -> None:
        question, held, released = collection.kind, collection.zero, collection.zero
        moves = 0
        for part in np.array_split(collection.randomize(self.answers(PEOPLE), Seeded(1)), 500):
            held += collection.aggregate(part)
            moved = question.moved_on(held, released)
            if moved is not None:
                grown = question.cells(moved) - question.cells(released)
                assert ((grown == 0) | (grown >= collection.minimum_reports)).all()
                assert question.shown(held.counts, 0, moved) is not None
                released, moves = moved, moves + 1
        assert (moves > 1) != (question.rounds > 0)  # a round is released when it is closed

    def test_what_is_shown_was_released_or_is_closed(
        self, collection: Collection, seed: int
    ) -> None:
        total, question = self.total(collection, seed), collection.kind
        assert question.shown(total.counts, 0, None) is None
        shown = question.shown(total.counts, question.rounds, total)
        assert shown is not None
        assert collection.released(shown).n <= total.n

    def test_what_is_late_is_of_a_round_that_is_closed(self, collection: Collection) -> None:
        question = collection.kind
        reports = collection.randomize(self.answers(100), Seeded(1))
        assert not question.late(reports, 0).any()
        assert question.late(reports, question.rounds).all() == (question.rounds > 0)

    def test_reports_of_nobody_are_such_as_devices_send(self, collection: Collection) -> None:
        reports = collection.kind.blank_reports(3)
        assert collection.aggregate(reports).n == 3

    def test_every_report_has_a_weight_by_every_name(self, collection: Collection) -> None:
        reports = collection.kind.blank_reports(3)
        names = collection.kind.weight_names
        assert len(set(names)) == len(names) > 0
        for number in range(len(names)):
            weights = collection.mechanism.weights(reports, number)
            assert weights.shape == (3,)
            assert np.isfinite(weights).all()
        assert f"each report of “{collection.name}” has" in collection.kind.weights_described()

    def test_single_reports_are_gathered_if_they_are_enough(self, collection: Collection) -> None:
        enough = collection.randomize(self.answers(collection.minimum_reports), Seeded(1))
        gathered = collection.kind.gather(iter(np.array_split(enough, 3)), 1, len(enough), "x")
        assert (gathered == enough).all()
        with pytest.raises(ParameterError, match="is over the limit"):
            collection.kind.gather(enough, 2, len(enough), "x")
        with pytest.raises(TooFewReports):
            collection.kind.gather(enough[: collection.minimum_reports - 1], 1, PEOPLE, "x")

    # What is made of it.

    def test_every_row_has_the_columns_that_are_named(
        self, collection: Collection, seed: int
    ) -> None:
        result = self.result(collection, seed)
        rows = result.rows()
        assert rows
        for row in rows:
            assert list(row) == list(result.columns)
            msgspec.convert(row, result.row)
        assert result.csv().splitlines()[0] == ",".join(result.columns)
        stored = pq.read_table(io.BytesIO(result.parquet()))
        assert stored.to_pylist() == rows
        assert {field.name: str(field.type) for field in stored.schema} == {
            name: str(pa.type_for_alias(alias)) for name, alias in result.columns.items()
        }

    def test_json_says_whose_it_is_and_everything_else(
        self, collection: Collection, seed: int
    ) -> None:
        document = self.result(collection, seed).document()
        assert msgspec.json.decode(msgspec.json.encode(document)) == document  # no NaN among it
        msgspec.convert(document, collection.kind.result_document)
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({**document, "more": 1}, collection.kind.result_document)
        said = (document["collection"], document["key"], document["mechanism"], document["epsilon"])
        assert said == (
            *(collection.name, collection.key),
            *(collection.mechanism.name, collection.epsilon),
        )

    def test_a_higher_level_is_wider(self, collection: Collection, seed: int) -> None:
        narrow, wide = (self.result(collection, seed, level).rows() for level in (0.5, 0.99))
        compared = 0
        for one, other in zip(narrow, wide, strict=True):
            if one["low"] is not None:
                assert other["low"] <= one["low"] <= one["high"] <= other["high"]
                compared += 1
        assert compared

    def test_people_are_shown_it(self, collection: Collection, seed: int, tmp_path: Path) -> None:
        result = self.result(collection, seed)
        renderer = RENDERERS[type(result)]
        screen = io.StringIO()
        Console(file=screen, width=200).print(renderer.table(result))
        assert collection.question in screen.getvalue()
        assert any("ε" in sentence for sentence in renderer.sentences(result))
        for form in ("html", "svg"):
            save_plot(result, tmp_path / f"x.{form}")
        assert collection.question in (tmp_path / "x.html").read_text("utf-8")
        assert (tmp_path / "x.svg").stat().st_size > 1000

    def test_a_collector_takes_its_reports_and_shows_the_same(self, collection: Collection) -> None:
        rounds = collection.kind.rounds
        asked = replace(collection, windows=Windows(int(NOON), 60 * rounds) if rounds else None)
        reports = asked.randomize(self.answers(PEOPLE), Seeded(1))
        with Collector() as collector:
            path = f"/collections/{collector.hold(asked, public=True)}"
            collector.count(asked, reports)
            if rounds:
                collector.store.close(asked.key, 0)
            texts = "\n".join(self.candidates).encode()
            told = collector.ask("PUT", f"{path}/candidates", Role.ANALYST, content=texts)
            assert told.status_code == (200 if asked.kind.takes_candidates else 409)
            shown = collector.get(f"{path}/estimate").json()
            standing = collector.get(f"{path}/standing").json()
        assert msgspec.to_builtins(asked.kind.body).items() <= standing.items()
        assert shown.pop("window") == 0
        whole = asked.aggregate(reports)
        released = asked.kind.moved_on(whole, asked.zero) or whole
        weighed = asked.kind.weigh(released, self.candidates)
        assert shown == asked.kind.result(weighed, ResultOptions()).document()

    # How it is described.

    def test_it_says_what_it_costs(self, collection: Collection) -> None:
        question, epsilon = collection.kind, text_up(collection.epsilon)
        assert epsilon in question.cost()
        assert epsilon in question.spending()
        assert any(epsilon in fact for fact in question.facts().values())
        assert question.described
        assert str(collection.minimum_reports) in question.minimum()
        assert text_up(collection.epsilon) in question.randomised(2000, 2000)
        assert "2,000" in question.randomised(2000, 1)
        assert repr(collection.epsilon) in question.cost_of_many()  # of `sudare epsilon`: exactly
        what, listed = question.listed()
        assert what
        assert len(listed) >= 1


def write(table: pa.Table, path: Path) -> None:
    """A table as CSV, Parquet or Arrow."""
    if path.suffix == ".csv":
        from pyarrow import csv

        csv.write_csv(table, path)
    elif path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=100)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)


def check(laws: QuestionLaws, folder: Path) -> None:
    """Every law on every collection, where pytest doesn't run: on a page of the documentation."""
    folder.mkdir()
    for collection, name in product(laws.collections, dir(laws)):
        if name.startswith("test_"):
            law = getattr(laws, name)
            has = {"collection": collection, "seed": 1, "form": "csv", "tmp_path": folder}
            law(**{name: has[name] for name in signature(law).parameters})
