"""Our own tables: those that are shipped, proved again, and the search that finds others."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import InvalidDocument, ParameterError
from sudare.kernels import annealing
from sudare.twoparty.noise import shipped_tables, table_search
from sudare.twoparty.noise.guarantee import Guarantee
from sudare.twoparty.noise.law import noise_law, prove
from sudare.twoparty.noise.scheme import Scheme
from sudare.twoparty.noise.table_document import TableDocument

SHIPPED = list(shipped_tables.shipped_documents())
every_shipped = pytest.mark.parametrize(
    "document", SHIPPED, ids=lambda document: f"{document.guarantee}-{document.scheme.entries}"
)
# ε, δ, Δ, entries in all, and E|Z| · sinh(ε/Δ) to reach
WANTED = [
    (1.0, 1e-6, 1, 400, 1.10),
    (1.0, 1e-6, 1, 200, 1.25),
    (1.0, 1e-10, 1, 1500, 1.15),
    (0.1, 1e-6, 1, 400, 1.20),
    (1.0, 1e-6, 2, 400, 1.10),
    (1.0, 1e-6, 3, 400, 1.10),
    (1.0, 1e-6, 10, 400, 1.15),
]
FOUND = {"values": [[0, 1, 0], [0, 5, -5]], "counts": [[9, 4, 0], [60, 1, 1]]}


@every_shipped
def test_what_is_shipped_is_proved_for_every_party(document: TableDocument) -> None:
    proof = prove(document.scheme, document.guarantee)
    assert proof.holds
    assert proof.delta == proof.delta_p1 == proof.delta_p2
    assert document.scheme == Scheme.of_differences(document.scheme.tables)


@pytest.mark.parametrize(("epsilon", "delta", "sensitivity", "entries", "relative"), WANTED)
def test_what_is_shipped_is_small_and_nearly_best(
    epsilon: float, delta: float, sensitivity: int, entries: int, relative: float
) -> None:
    proof = shipped_tables.shipped(Guarantee(epsilon, delta, sensitivity), entries)
    assert proof is not None
    assert proof.scheme.entries <= entries
    assert float(proof.mean) * math.sinh(epsilon / sensitivity) <= relative


def test_nothing_is_shipped_for_another_guarantee() -> None:
    assert shipped_tables.shipped(Guarantee(1.0000001, 1e-6)) is None
    assert shipped_tables.shipped(Guarantee(1.0, 1e-6), entries=50) is None


def test_a_shipped_table_that_fails_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    (first, *_) = SHIPPED
    lighter = [dict(table) for table in first.scheme.tables]
    lighter[-1][0] *= 3  # the rare jumps become rarer than they may

    def planted() -> Iterator[TableDocument]:
        yield TableDocument(first.guarantee, Scheme.of_differences(lighter))

    monkeypatch.setattr(shipped_tables, "shipped_documents", planted)
    with pytest.raises(ParameterError, match=r"refused: .* times what is claimed"):
        shipped_tables.shipped(first.guarantee, entries=10**6)


def test_a_search_finds_proved_tables_again_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_search, "_MOST_STEPS", 50_000)
    guarantee, told = Guarantee(1.5, 1e-4), []
    found = table_search.search(guarantee, 80, attempts=2, progress=lambda: told.append(1))
    assert found.holds
    assert found.scheme.entries <= 80
    assert found.relative_mean < 1.8
    assert len(told) == table_search.steps_of(2)
    assert table_search.search(guarantee, 80, attempts=2).scheme == found.scheme
    assert table_search.search(guarantee, 80, attempts=2, seed=1).scheme != found.scheme


def test_a_search_that_cannot_succeed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="from 40 to 1000000 entries, got 39"):
        table_search.search(Guarantee(1.0, 1e-6), 39, attempts=1)
    for entries in (table_search.FEWEST_ENTRIES, table_search.MOST_ENTRIES):
        with pytest.raises(ParameterError, match="at least 1 attempt"):  # but not too few or many
            table_search.search(Guarantee(1.0, 1e-6), entries, attempts=0)
    monkeypatch.setattr(table_search, "_MOST_STEPS", 1000)
    with pytest.raises(ParameterError, match="40 entries were found that keep ε = 1, δ = 1e-15"):
        table_search.search(Guarantee(1.0, 1e-15), 40, attempts=1)


def test_what_a_search_proposes_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    values, counts = (np.array(FOUND[name], np.int64) for name in ("values", "counts"))
    wrong = table_search._Found(values, counts, 0.5)
    monkeypatch.setattr(table_search, "_attempt", lambda *_: wrong)
    with pytest.raises(ParameterError, match=r"refused: .* times what is claimed"):
        table_search.search(Guarantee(1.0, 1e-6), attempts=1)


def test_the_floats_of_the_search_are_near_the_exact_law() -> None:
    values, counts = (np.array(FOUND[name], np.int64) for name in ("values", "counts"))
    rows = zip(FOUND["values"], FOUND["counts"], strict=True)
    scheme = Scheme.of_differences([{v: c for v, c in zip(*row, strict=True) if c} for row in rows])
    exact = noise_law(scheme).trimmed
    law = annealing.noise_law(values, counts)
    assert law == pytest.approx([count / exact.total for count in exact.counts], rel=1e-12)
    for sensitivity in (1, 3):
        proof = prove(scheme, Guarantee(1.0, 1e-6, sensitivity))
        mean, excess = annealing.mean_and_excess(law, math.e, sensitivity)
        assert mean == pytest.approx(float(proof.mean))
        assert excess == pytest.approx(float(proof.delta))


@given(
    table=st.dictionaries(st.integers(-9, 9), st.integers(1, 9), min_size=2, max_size=4),
    shift=st.integers(-20, 20),
)
def test_the_plainest_form_has_the_same_law(table: dict[int, int], shift: int) -> None:
    shifted = {value + shift: count for value, count in table.items()}
    plain = Scheme.of_differences([shifted, {7: 3}])
    assert len(plain.tables) == 1
    assert plain == Scheme.of_differences([table])
    original = noise_law(Scheme((table,), (1, -1), distinct=True))
    assert noise_law(plain).chances == original.chances


def test_the_digits_of_a_geometric_variable_are_independent() -> None:
    """Why the search starts there: exact digits of base 2 give the exact law up to their end."""
    q, bits = Fraction(1, 3), 3
    ends = range(1 << bits)
    whole = {x: q**x * (1 - q) / (1 - q ** (1 << bits)) for x in ends}
    for x in ends:
        chance = Fraction(1)
        for bit in range(bits):
            one = q ** (1 << bit) / (1 + q ** (1 << bit))
            chance *= one if x >> bit & 1 else 1 - one
        assert chance == whole[x]
    gaps = [a - b for a, b in product(ends, repeat=2)]
    assert min(gaps) == -max(gaps)


@every_shipped
def test_a_document_reads_back_to_the_same_tables(document: TableDocument) -> None:
    again = TableDocument.from_json(document.to_json())
    assert again == document
    assert again.key == document.key


def test_keys_tell_every_difference() -> None:
    (first, *_) = SHIPPED
    scheme, guarantee = first.scheme, first.guarantee
    others = [
        TableDocument(Guarantee(guarantee.epsilon * 2, guarantee.delta), scheme),
        TableDocument(guarantee, Scheme(scheme.tables, (-1, 1), distinct=True)),
        TableDocument(guarantee, Scheme(scheme.tables[:-1], (1, -1), distinct=True)),
    ]
    assert len({first.key, *(other.key for other in others)}) == 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"table"', b'"tables"'),
        (b'"distinct": true', b'"distinct": 1'),
        (b'"0": ', b'"0.5": '),
        (b'"0": ', b'"0": -'),
        (b'"delta"', b'"gamma"'),
        (b"}\n", b"\n"),
    ],
)
def test_a_document_of_another_form_is_refused(old: bytes, new: bytes) -> None:
    text = SHIPPED[0].to_json()
    changed = text.replace(old, new)
    assert changed != text
    with pytest.raises(InvalidDocument, match=r"not a table document|value of a table is a"):
        TableDocument.from_json(changed)
