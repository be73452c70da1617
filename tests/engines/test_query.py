"""Answers into reports and reports into weights, in tables of whatever speaks Arrow."""

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from duckdb.func import ARROW

from sudare import (
    GRR,
    OUE,
    Collection,
    Glance,
    JointQuestions,
    Loloha,
    Part,
    Rappor,
    SampledQuestions,
    Seeded,
    SetResponse,
    SplitQuestions,
)
from sudare.engines.query import randomize, report_schema, weights
from sudare.errors import (
    InvalidAnswer,
    InvalidDocument,
    InvalidReport,
    MixedCollections,
    ParameterError,
    SudareError,
)
from sudare.formats.wire import to_batch
from sudare.mechanisms import CATEGORICAL, CONTINUAL, REGISTRY

TEA = ("green", "black", "none of these")
PEOPLE = 600
PRIVATE = "xylophone"  # a person's answer, which no error may tell


def asked(name: str) -> Collection:
    """A collection by each mechanism that there is."""
    if name in CATEGORICAL:
        return Collection("tea", "Which tea?", TEA, CATEGORICAL[name].calibrate(3, 1.0))
    if name == "loloha":
        return Collection("tea", "Which tea?", TEA, Loloha.calibrate(3, 1.0))
    if name in CONTINUAL:
        return Collection("online", "Are you?", ("off", "on"), CONTINUAL[name].calibrate(4, 2.0))
    return Collection("tea", "Which tea?", TEA, Rappor.calibrate(1.0, form="basic", bits=3))


def answers_to(collection: Collection, people: int = PEOPLE) -> pa.Table:
    """A table of people's answers, with a column that has nothing to do with them."""
    rng = np.random.default_rng(1)
    if collection.over_time:
        states = rng.integers(0, 2, (people, collection.kind.rounds))
        return pa.table({str(number): row for number, row in enumerate(states.T, 1)})
    labels = np.array(collection.answers)[rng.integers(0, 3, people)]
    return pa.table({"answer": labels, "region": ["north", "south"] * (people // 2)})


every_mechanism = pytest.mark.parametrize("name", REGISTRY)
tea = asked("grr")
wide = Collection("number", "Which?", tuple(map(str, range(70))), OUE.calibrate(70, 1.0))
words = Collection("words", "Which?", (), Rappor.calibrate(2.0, bits=16, cohorts=4))


@every_mechanism
def test_sums_of_weights_are_what_the_collection_estimates(name: str) -> None:
    collection = asked(name)
    reports = randomize(answers_to(collection), collection, rng=Seeded(2))
    estimate = collection.estimate(collection.aggregate(records(reports, collection)))
    weighed = weights(reports, collection)
    assert weighed.schema.names == [*reports.schema.names, *collection.answers]
    if collection.over_time:
        query = 'SELECT round, SUM("on") / COUNT(*) FROM weighed GROUP BY round ORDER BY round'
        found = [row[1] for row in duckdb.execute(query).fetchall()]
        scale = 1.0
    else:
        found = [weighed[label].to_numpy().sum() for label in collection.answers]
        scale = PEOPLE
    assert found == pytest.approx(scale * estimate.values, rel=1e-9, abs=1e-9 * scale)


def records(reports: pa.Table, collection: Collection) -> Any:
    made = np.empty(reports.num_rows, collection.report_dtype)
    for name in reports.schema.names:
        column = reports[name].combine_chunks()
        if pa.types.is_fixed_size_binary(column.type):
            flat = np.frombuffer(b"".join(column.to_pylist()), "<u8")
            made[name] = flat.reshape(made[name].shape)
        else:
            made[name] = column.to_numpy()
    return made


@every_mechanism
def test_the_reports_are_those_of_the_collection_and_nothing_else(name: str) -> None:
    collection = asked(name)
    table = answers_to(collection)
    reports = randomize(table, collection, rng=Seeded(2))
    rows = [list(row.values()) for row in table.to_pylist()]
    given = rows if collection.over_time else [row[0] for row in rows]
    expected = to_batch(collection.randomize(given, Seeded(2)))
    assert reports.to_pylist() == expected.to_pylist()
    assert reports.schema == report_schema(collection)
    assert reports.schema.metadata == report_schema(collection).metadata
    (batch,) = table.to_batches()
    assert randomize(batch, collection, rng=Seeded(2)).to_pylist() == expected.to_pylist()


def test_chance_is_the_systems_unless_an_experiment_says_otherwise() -> None:
    table = pa.table({"answer": ["green"] * 300})
    assert not randomize(table, tea).equals(randomize(table, tea))
    assert randomize(table, tea, rng=Seeded(1)).equals(randomize(table, tea, rng=Seeded(1)))


DUCKDB, POLARS = "duckdb", "polars"


def through(engine: str, table: pa.Table) -> Any:
    """A table that was in a query engine, as its own kind of result."""
    if engine == DUCKDB:
        connection = duckdb.connect()
        return connection.from_arrow(table).to_arrow_table()
    return pl.from_arrow(table) if engine == POLARS else table.to_pandas()


@pytest.mark.parametrize("engine", [DUCKDB, POLARS, "pandas"])
@pytest.mark.parametrize("collection", [tea, wide, words, asked("glance")], ids=lambda c: c.name)
def test_reports_come_back_from_a_query_engine(engine: str, collection: Collection) -> None:
    """Which have no binary of a fixed width, and drop the collection's key."""
    blank = collection.kind.blank_reports(100)
    field = blank.dtype.names[-1]  # type: ignore[index]
    blank[field] = np.arange(100).reshape(-1, *[1] * (blank[field].ndim - 1)) % 2
    table = pa.Table.from_batches([to_batch(blank)])
    again = weights(through(engine, table), collection)
    assert isinstance(again, pa.Table)
    columns = list(collection.kind.weight_names)
    assert again.select(columns).equals(weights(table, collection).select(columns))


@pytest.mark.parametrize(
    "change",
    [
        lambda column: column.cast(pa.int8()),
        lambda column: column.cast(pa.uint16()),
        lambda column: column.cast(pa.int64()),
        lambda column: column.dictionary_encode(),
        lambda column: pa.chunked_array([column.slice(0, 0), column.slice(0, 7), column.slice(7)]),
        lambda column: pa.concat_arrays([pa.array([9], pa.uint8()), column]).slice(1),
    ],
)
def test_numbers_of_any_width_and_in_any_pieces_are_reports(change: Callable[[Any], Any]) -> None:
    column = pa.array([0, 1, 2] * 20, pa.uint8())
    table = pa.table({"answer": change(column)})
    expected = weights(pa.table({"answer": column}), tea, ["green"])
    assert weights(table, tea, ["green"])["green"].to_pylist() == expected["green"].to_pylist()


@pytest.mark.parametrize(
    "kind",
    [pa.binary(), pa.large_binary(), pa.binary_view(), pa.dictionary(pa.int8(), pa.binary())],
)
def test_bits_in_any_kind_of_binary_are_reports(kind: pa.DataType) -> None:
    bits = [bytes([number] + [0] * 15) for number in (1, 2, 3, 255)]
    weighed = weights(pa.table({"bits": pa.array(bits, kind)}), wide, ["0", "1", "7", "69"])
    slope = wide.mechanism.holder - wide.mechanism.others  # type: ignore[attr-defined]
    high = (1 - wide.mechanism.others) / slope  # type: ignore[attr-defined]
    supported = {name: [w == high for w in weighed[name].to_pylist()] for name in ("0", "1", "7")}
    assert supported == {
        "0": [True, False, True, True],
        "1": [False, True, True, True],
        "7": [False, False, False, True],
    }
    assert not any(w > 0 for w in weighed["69"].to_pylist())


def test_only_the_answers_that_are_named_have_columns_and_others_stay() -> None:
    reports = pa.table({"region": ["north", None], "answer": [0, 1]})
    weighed = weights(reports, tea, ["none of these", "green"])
    assert weighed.schema.names == ["region", "answer", "none of these", "green"]
    assert weighed.schema.field("green").type == pa.float64()
    assert weighed["region"].to_pylist() == ["north", None]
    assert weights(reports, tea, []).schema.names == ["region", "answer"]
    further = weights(weights(reports, tea, ["green"]), tea, ["black"])
    assert further.schema.names == ["region", "answer", "green", "black"]


def test_a_table_without_rows_has_its_columns() -> None:
    for table in (
        pa.table({"answer": pa.array([], pa.string())}),
        pa.table({"answer": [None][:0]}),
    ):
        reports = randomize(table, tea)
        assert reports.schema == report_schema(tea)
        assert weights(reports, tea).schema.names == ["answer", *TEA]
        assert weights(reports, tea).num_rows == 0


def test_a_batch_gives_a_batch() -> None:
    batch = pa.RecordBatch.from_pydict({"answer": ["green", "black"]})
    reports = randomize(batch, tea)
    assert isinstance(reports, pa.RecordBatch)
    assert isinstance(weights(reports, tea), pa.RecordBatch)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["green", "black", "green"]),
        pa.array(["green", "black", "green"], pa.large_string()),
        pa.array(["green", "black", "green"], pa.string_view()),
        pa.array(["green", "black", "green"]).dictionary_encode(),
        pa.array([b"green", b"black", b"green"]),
        pa.chunked_array([["green"], ["black", "green"]]),
    ],
    ids=lambda column: str(column.type),
)
def test_answers_may_be_texts_of_any_kind(column: Any) -> None:
    reports = randomize(pa.table({"tea": column}), tea, "tea", Seeded(5))
    batches = pa.chunked_array(column).chunks if isinstance(column, pa.ChunkedArray) else [column]
    rng = Seeded(5)
    expected = [
        row
        for part in batches
        for row in tea.randomize([_text(cell) for cell in part.to_pylist()], rng)["answer"].tolist()
    ]
    assert reports["answer"].to_pylist() == expected


def _text(cell: str | bytes) -> str:
    return cell.decode() if isinstance(cell, bytes) else cell


@pytest.mark.parametrize(
    ("table", "error", "sentence"),
    [
        (
            {"answer": ["green", PRIVATE]},
            InvalidAnswer,
            r"row 1: the answer is not one of the 3 answers of “tea”.*nothing of its batch was",
        ),
        ({"answer": ["green", None]}, InvalidAnswer, "row 1: the answer is missing"),
        ({"answer": ["green", ""]}, InvalidAnswer, "row 1: the answer is missing"),
        ({"answer": [b"green", b"\xff\xfe"]}, InvalidAnswer, "row 1: the answer isn't UTF-8 text"),
        ({"answer": [["green"], [PRIVATE]]}, InvalidDocument, r"list<.*>, which is no text"),
        ({"answer": [1, 2]}, InvalidAnswer, "row 0: the answer is not one of"),
        ({"other": ["green"]}, InvalidDocument, "the table has no column 'answer'"),
        (
            pa.table([pa.array(["green"]), pa.array(["black"])], ["answer", "answer"]),
            InvalidDocument,
            "more than one column 'answer'",
        ),
        (
            {"answer": pa.chunked_array([["green"] * 4, ["black", PRIVATE]])},
            InvalidAnswer,
            "row 5: the answer is not one of",
        ),
    ],
)
def test_what_is_no_answer_is_refused_without_a_word_of_it(
    table: Any, error: type[SudareError], sentence: str
) -> None:
    with pytest.raises(error, match=sentence) as refused:
        randomize(pa.table(table), tea)
    assert PRIVATE not in str(refused.value)


@pytest.mark.parametrize(
    ("collection", "table", "error", "sentence"),
    [
        (tea, {"answer": [0, 300]}, InvalidDocument, r"'answer' \(int64\) doesn't hold .* uint8"),
        (tea, {"answer": [0, -1]}, InvalidDocument, "doesn't hold reports"),
        (tea, {"answer": ["green"]}, InvalidDocument, r"\(string\) doesn't hold reports"),
        (tea, {"answer": ["0", "1"]}, InvalidDocument, r"\(string\) doesn't hold reports"),
        (tea, {"answer": [0.0, 1.0]}, InvalidDocument, r"\(double\) doesn't hold reports"),
        (tea, {"answer": [0, None]}, InvalidDocument, "the column answer has 1 missing value"),
        (tea, {"bits": [0]}, InvalidDocument, "the table has no column 'answer'"),
        (tea, {"answer": [0, 3]}, InvalidReport, "counted from row 0, the report at position 1"),
        (
            tea,
            {"answer": pa.chunked_array([[0, 1, 2], [1, 7]])},
            InvalidReport,
            "counted from row 3, the report at position 1 says 7",
        ),
        (tea, {"answer": [0], "green": [1]}, ParameterError, "has a column 'green', as an answer"),
        (wide, {"bits": [b"12345678"]}, InvalidDocument, r"\(binary\) doesn't hold .*binary\[16\]"),
        (wide, {"bits": [b"\xff" * 16]}, InvalidReport, "a bit set beyond the 70 allowed"),
        (wide, {"bits": [None, bytes(16)]}, InvalidDocument, "the column bits has 1 missing value"),
        (wide, {"bits": ["1" * 16]}, InvalidDocument, r"\(string\) doesn't hold reports"),
    ],
)
def test_what_is_no_report_is_refused(
    collection: Collection, table: Any, error: type[SudareError], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        weights(pa.table(table), collection)


@pytest.mark.parametrize(
    ("collection", "answers", "sentence"),
    [
        (tea, ["green", "red"], "no weights for 'red': each report of “tea” has one for each of"),
        (tea, ["green", "green"], "an answer is named twice"),
        (tea, "green", "answers must be a list of labels"),
        (asked("glance"), ["away"], "has one for each of its 2 states"),
        (words, ["red"], "texts share bits, so that no plain sum counts one; .*bit_0 to bit_15"),
    ],
)
def test_weights_of_something_else_are_refused(
    collection: Collection, answers: Any, sentence: str
) -> None:
    table = pa.Table.from_batches([to_batch(collection.kind.blank_reports(2))])
    with pytest.raises(ParameterError, match=sentence):
        weights(table, collection, answers)


def test_reports_of_another_collection_are_refused() -> None:
    reports = randomize(pa.table({"answer": ["green"]}), tea)
    other = Collection("tea", "Which tea today?", TEA, GRR.calibrate(3, 1.0))
    with pytest.raises(MixedCollections, match=f"belong to the collection {tea.key[:12]}…, not to"):
        weights(reports, other)
    assert weights(reports.replace_schema_metadata(), other).num_rows == 1  # nobody can know


@pytest.mark.parametrize("call", [randomize, weights])
def test_a_list_is_no_table(call: Callable[[Any, Collection], Any]) -> None:
    with pytest.raises(ParameterError, match="something else that speaks Arrow, got a list"):
        call([PRIVATE], tea)


def test_over_time_the_columns_are_the_rounds() -> None:
    online = Collection("online", "Are you?", ("off", "on"), Glance.calibrate(2, 1.0))
    table = pa.table({"1": ["on", "off"], "2": ["off", "off"]})
    assert randomize(table, online).schema.names == ["round", "bit"]
    with pytest.raises(ParameterError, match="each round has a column"):
        randomize(table, online, "1")
    with pytest.raises(InvalidAnswer, match="row 0: the state of round 2 is none of the 2"):
        randomize(pa.table({"1": ["on"], "2": [PRIVATE]}), online)


def test_where_several_are_answered_there_may_be_a_column_for_each() -> None:
    colours = Collection("c", "Which?", ("red", "green", "blue"), SetResponse.calibrate(3, 2, 1.0))
    texts = pa.table({"answer": ["red;blue", ";", "green"]})
    flags = pa.table({"blue": [1, 0, 0], "red": [True, False, False], "green": ["0", "0", "1"]})
    made = randomize(texts, colours, rng=Seeded(1))
    assert made.equals(randomize(flags, colours, rng=Seeded(1)))
    with pytest.raises(InvalidDocument, match="the table has no column 'answer'"):
        randomize(flags.drop_columns(["red"]), colours)
    parts = (Part("tea", "?", TEA), Part("town", "?", ("Tokyo", "Kyoto")))
    table = SplitQuestions((GRR.calibrate(3, 1.0), GRR.calibrate(2, 1.0)))
    study = Collection("s", "?", (), table, parts=parts)
    rows = pa.table({"town": ["Tokyo", "Kyoto"], "tea": ["green", "black"]})
    expected = to_batch(study.randomize([["green", "Tokyo"], ["black", "Kyoto"]], Seeded(1)))
    assert randomize(rows, study, rng=Seeded(1)).to_pydict() == expected.to_pydict()
    with pytest.raises(InvalidDocument, match="the table has no column 'town'"):
        randomize(rows.drop_columns(["town"]), study)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_sums_of_weights_of_selections_and_of_questions_are_the_estimates(most: int) -> None:
    colours = Collection(
        "c", "Which?", ("red", "green", "blue"), SetResponse.calibrate(3, most, 1.0)
    )
    parts = (Part("tea", "?", TEA), Part("town", "?", ("Tokyo", "Kyoto")))
    one, two = GRR.calibrate(3, 1.0), OUE.calibrate(2, 1.0)
    designs = SampledQuestions((one, two)), SplitQuestions((one, two))
    tabled = JointQuestions((3, 2), GRR.calibrate(6, 1.0))
    asked_at_once = [Collection("s", "?", (), made, parts=parts) for made in (*designs, tabled)]
    answers: list[Any] = [["red"]] * 40 + [[]] * 20
    rows: list[Any] = [["green", "Tokyo"]] * 40 + [["black", "Kyoto"]] * 20
    for collection, given in ((colours, answers), *((study, rows) for study in asked_at_once)):
        reports = collection.randomize(given, Seeded(2))
        estimate = collection.estimate(collection.aggregate(reports))
        weighed = weights(to_batch(reports), collection)
        for at, name in enumerate(estimate.labels):
            weight = weighed.column(name).to_numpy()
            assert weight.mean() == pytest.approx(estimate.values[at])
            error = np.sqrt((weight * (weight - 1)).sum()) / len(reports)
            assert error == pytest.approx(estimate.stderr[at])


def test_a_text_has_weights_for_the_bits_of_its_cohort() -> None:
    table = pa.table({"answer": ["red"] * 4000})
    weighed = weights(randomize(table, words, rng=Seeded(1)), words)
    assert weighed.schema.names == ["cohort", "bits", *(f"bit_{number}" for number in range(16))]
    found = np.array(
        [
            row[1:]
            for row in duckdb.execute(
                "SELECT cohort, AVG(COLUMNS('bit_.*')) FROM weighed GROUP BY cohort ORDER BY cohort"
            ).fetchall()
        ]
    )
    assert (found > 0.5).sum(axis=1).tolist() == [1, 1, 1, 1]  # one bit each, another in each


def test_a_function_of_duckdb_draws_for_every_row() -> None:
    """As the page tells it; without ``side_effects`` one draw serves all who answer alike."""
    calls: list[int] = []

    def drawn(answers: pa.ChunkedArray) -> pa.ChunkedArray:
        calls.append(len(answers))
        return randomize(pa.table({"answer": answers}), tea)["answer"]

    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE told AS SELECT 'green' AS answer FROM range(5000)")
        query = "SELECT answer, {}(answer) AS said, COUNT(*) FROM told GROUP BY ALL"
        kinds: list[Any] = ["VARCHAR"]
        connection.create_function("once", drawn, kinds, "UTINYINT", type=ARROW)
        assert len(connection.execute(query.format("once")).fetchall()) == 1
        assert sum(calls) < 5000
        calls.clear()
        connection.create_function("each", drawn, kinds, "UTINYINT", type=ARROW, side_effects=True)
        assert len(connection.execute(query.format("each")).fetchall()) == 3
        assert sum(calls) == 5000
