"""The ledger: what was spent adds up exactly, whatever the order and the portions."""

import math
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import BudgetExceeded, InvalidDocument, ParameterError, SudareError
from sudare.formats.seals import seal
from sudare.privacy.ledger import Charge, Ledger, Spent

EPSILONS = st.floats(1e-6, 20)
KEYS = st.sampled_from(["a", "b", "c"])
WINDOWS = st.integers(0, 12)


@given(epsilon=EPSILONS, delta=st.sampled_from([0.0, 1e-9]), times=st.integers(1, 30))
def test_spending_n_times_once_is_once_n_times(epsilon: float, delta: float, times: int) -> None:
    one_by_one = Ledger()
    for _ in range(times):
        one_by_one = one_by_one.charge("a", epsilon, delta=delta)
    at_once = Ledger().charge("a", epsilon, delta=delta, times=times)
    assert one_by_one == at_once
    assert at_once.spent().epsilon == times * Fraction(epsilon)
    assert at_once.spent().delta == times * Fraction(delta)


@given(epsilon=EPSILONS, first=WINDOWS, times=st.integers(1, 12), data=st.data())
def test_windows_are_the_same_one_by_one_and_in_any_order(
    epsilon: float, first: int, times: int, data: Any
) -> None:
    windows = data.draw(st.permutations(range(first, first + times)))
    one_by_one = Ledger()
    for window in windows:
        one_by_one = one_by_one.charge("a", epsilon, window=window)
    at_once = Ledger().charge("a", epsilon, window=first, times=times)
    assert one_by_one == at_once
    assert len(at_once.charges) == 1


@given(st.lists(st.tuples(KEYS, WINDOWS, st.integers(1, 5)), max_size=20))
def test_a_window_is_paid_for_once(asked: list[tuple[str, int, int]]) -> None:
    """Against a set of (collection, window): what ranges are meant to be."""
    prices = {"a": 0.1, "b": 0.3, "c": 2.0}
    ledger, paid = Ledger(), set[tuple[str, int]]()
    for key, window, times in asked:
        ledger = ledger.charge(key, prices[key], window=window, times=times)
        paid |= {(key, number) for number in range(window, window + times)}
    for key, price in prices.items():
        windows = sum(one == key for one, _ in paid)
        assert ledger.spent(key).epsilon == windows * Fraction(price)
    assert ledger.spent().epsilon == sum(ledger.spent(key).epsilon for key in prices)
    for key, window, times in asked:
        assert ledger.charge(key, prices[key], window=window, times=times) is ledger
    assert Ledger.from_json(ledger.to_json()) == ledger


def test_reports_without_a_window_cost_each_time() -> None:
    ledger = Ledger().charge("a", 0.5).charge("a", 0.5).charge("a", 0.5, window=0)
    assert ledger.spent().epsilon == Fraction(3, 2)
    assert ledger.rows() == [
        {"collection": "a", "reports": 2, "windows": 1, "epsilon": 1.5, "delta": 0.0}
    ]


def test_sums_are_exact_and_shown_rounded_up() -> None:
    ledger = Ledger().charge("a", 0.1, times=10)
    assert ledger.spent().epsilon == 10 * Fraction(0.1) > 1
    assert str(ledger.spent()) == "ε = 1.00001"
    (row,) = ledger.rows()
    assert row["epsilon"] == math.nextafter(1, 2)
    assert str(ledger.charge("b", 1.0, delta=1e-6).spent()) == "ε = 2.00001, δ = 0.000001"


# The cap


def test_a_cap_may_be_reached_and_not_passed() -> None:
    ledger = Ledger(cap=3.0).charge("a", 1.0, window=0, times=3)
    assert ledger.left == 0
    assert ledger.charge("a", 1.0, window=2) is ledger  # it was paid for
    with pytest.raises(
        BudgetExceeded,
        match=r"^ε = 1 is asked for; 3 of 3\.0 is spent, 0 is left \(nothing was sent",
    ):
        ledger.charge("a", 1.0, window=3)


def test_a_hair_above_the_cap_is_too_much() -> None:
    ledger = Ledger(cap=0.3)
    assert 3 * Fraction(0.1) > Fraction(0.3)  # floats would round this away
    with pytest.raises(BudgetExceeded, match=r"ε = 0\.300001 is asked for"):
        ledger.charge("a", 0.1, times=3)
    assert ledger.charge("a", 0.1, times=2).left == Fraction(0.3) - 2 * Fraction(0.1)


def test_only_what_is_new_must_be_affordable() -> None:
    ledger = Ledger(cap=2.5).charge("a", 1.0, window=4)
    assert ledger.charge("a", 1.0, window=3, times=2).spent().epsilon == 2
    with pytest.raises(
        BudgetExceeded, match=r"ε = 2 is asked for; 1 of 2\.5 is spent, 1\.5 is left"
    ):
        ledger.charge("a", 1.0, window=3, times=3)


def test_what_is_left_is_rounded_down() -> None:
    ledger = Ledger(cap=1.0).charge("a", 1 / 3)
    with pytest.raises(BudgetExceeded, match=r"0\.333334 of 1\.0 is spent, 0\.666666 is left"):
        ledger.charge("b", 1.0)


def test_delta_has_a_cap_of_its_own() -> None:
    ledger = Ledger(delta_cap=1e-6).charge("a", 5.0, delta=0.75e-6)
    with pytest.raises(BudgetExceeded, match=r"δ = 0\.000000750001 is asked for; .* of 1e-06 is"):
        ledger.charge("b", 5.0, delta=0.75e-6)
    assert ledger.charge("b", 5.0).spent().epsilon == 10


def test_a_cap_of_nothing_refuses_everything() -> None:
    with pytest.raises(BudgetExceeded):
        Ledger(cap=0).charge("a", 1e-9)


def test_a_cap_lowered_below_what_is_spent_reads_back() -> None:
    spent = Ledger().charge("a", 2.0)
    lowered = Ledger(1.0, None, spent.charges)
    again = Ledger.from_json(lowered.to_json())
    assert again == lowered
    assert again.left == 0
    with pytest.raises(BudgetExceeded):
        again.charge("a", 0.1)


# Prices


def test_equal_epsilon_with_another_delta_is_another_price() -> None:
    """Each δ is summed for the charges that it was paid with."""
    ledger = Ledger().charge("a", 1.0, delta=1e-6).charge("a", 1.0, delta=1e-9, times=3)
    assert ledger.spent() == Spent(Fraction(4), Fraction(1e-6) + 3 * Fraction(1e-9))
    assert len(ledger.charges) == 2
    apart = Ledger().charge("a", 1.0, delta=1e-6, window=0).charge("a", 1.0, delta=1e-9, window=1)
    assert apart.spent() == Spent(Fraction(2), Fraction(1e-6) + Fraction(1e-9))
    assert Ledger.from_json(apart.to_json()) == apart


@pytest.mark.parametrize("other", [{"epsilon": 2.0}, {"delta": 1e-9}])
def test_a_window_has_one_price(other: dict[str, float]) -> None:
    price: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6}
    ledger = Ledger().charge("a", **price, window=3)
    assert ledger.charge("b", **{**price, **other}, window=3).spent("b")  # another collection's
    for window, times in ((3, 1), (2, 2), (3, 2), (0, 9)):
        with pytest.raises(ParameterError, match=r"window 3 was paid for with ε = 1\.0, δ = 1e-06"):
            ledger.charge("a", **{**price, **other}, window=window, times=times)
    for window in (2, 4):
        assert len(ledger.charge("a", **{**price, **other}, window=window).charges) == 2


def test_a_kept_answer_pays_what_is_new_of_its_cost() -> None:
    """Up to a cap, to the last bit of it; what was paid for isn't asked for again."""
    for capped in (Ledger(cap=0.75), Ledger(collection_cap=0.75)):
        ledger = capped.keep("a", "x", 1, 0.5)
        more = ledger.keep("a", "x", 2, 0.75)
        assert more.spent() == Spent(Fraction(3, 4), Fraction(0))
        assert more.reports_of("a", "x") == 2
        assert (more.keep("a", "x", 2, 0.75), more.keep("a", "x", 1, 0.5)) == (more, more)
        with pytest.raises(BudgetExceeded, match=r"ε = 0\.250001 is asked for; 0\.5 of 0\.75 is"):
            ledger.keep("a", "x", 2, math.nextafter(0.75, 1))
        with pytest.raises(BudgetExceeded, match=r"ε = 0\.5 is asked for; 0\.5 of 0\.75 is spent"):
            ledger.keep("a", "y", 1, 0.5)


def test_an_answer_kept_at_the_same_cost_is_free_and_never_cheaper() -> None:
    ledger = Ledger(cap=0.5).keep("a", "x", 1, 0.5)
    assert ledger.keep("a", "x", 2, 0.5).spent().epsilon == Fraction(1, 2)
    with pytest.raises(ParameterError, match=r"2 reports .* ε = 0\.25, less than the 0\.5"):
        ledger.keep("a", "x", 2, 0.25)


def test_a_new_ledger_would_admit_what_its_caps_allow_whatever_is_spent() -> None:
    spent = Ledger(1.0, 1e-6, collection_cap=0.75).charge("a", 0.25, delta=1e-6)
    spent = spent.keep("a", "x", 2, 0.5)
    spent.admit(0.75)
    with pytest.raises(BudgetExceeded, match=r"0 of 0\.75 is spent on this collection"):
        spent.admit(math.nextafter(0.75, 1))
    with pytest.raises(BudgetExceeded, match=r"0 of 0\.5 is spent, 0\.5 is left"):
        Ledger(0.5).admit(0.75)


# Refusals


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ledger().charge("a", 0.0), "epsilon must be above 0"),
        (lambda: Ledger().charge("a", math.nan), "epsilon must be above 0"),
        (lambda: Ledger().charge("a", 1.0, delta=1.0), "delta must be at least 0 and below 1"),
        (lambda: Ledger().charge("a", 1.0, delta=-0.1), "delta must be at least 0 and below 1"),
        (lambda: Ledger().charge("a", 1.0, times=0), r"times must be between 1 and 2\^53, got 0"),
        (lambda: Ledger().charge("a", 1.0, window=-1), "a window must be between 0 and"),
        (lambda: Ledger().charge("", 1.0), "a charge names its collection's key"),
        (lambda: Ledger(cap=-1.0), "a cap must be at least 0 and finite, got -1.0"),
        (lambda: Ledger(cap=math.inf), "a cap must be at least 0 and finite, got inf"),
        (
            lambda: Ledger().charge("a", 1.0, window=3).charge("a", 2.0, window=2, times=2),
            r"window 3 was paid for with ε = 1\.0, δ = 0\.0; now it is said to cost ε = 2\.0",
        ),
    ],
)
def test_what_is_no_charge_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def sealed(body: object) -> bytes:
    """A document with a digest that fits whatever it says."""
    return seal("ledger", body)


def line(**changes: Any) -> dict[str, Any]:
    return {"key": "a", "epsilon": 1.0, "delta": 0.0, "window": None, "times": 1, **changes}


def body(*charges: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"cap": None, "delta_cap": None, "charges": list(charges), **changes}


def test_a_sealed_document_is_a_ledger() -> None:
    ledger = Ledger(3.0).charge("a", 1.0, window=2)
    assert Ledger.from_json(sealed(body(line(window=2), cap=3.0))) == ledger
    assert Ledger.from_json(ledger.to_json()) == ledger


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"null",
        sealed(body()).replace(b'"ledger"', b'"diary"'),
        sealed(body(line())).replace(b'"epsilon":1.0', b'"epsilon":0.5'),
        sealed(body(extra=1)),
        sealed(body(line(extra=1))),
        sealed({"charges": []}),
        sealed(body(line(epsilon=-1.0))),
        sealed(body(line(times=0))),
        sealed(body(line(window=-1))),
        sealed(body(line(window=1.5))),
        sealed(body(line(), line())),
        sealed(body(line(key="b"), line())),
        sealed(body(line(window=1), line(window=2))),
        sealed(body(line(window=1, times=3), line(window=2))),
        sealed(body(line(window=1), line(window=1, epsilon=2.0))),
        sealed(body(cap=-1.0)),
    ],
)
def test_a_document_that_was_not_written_so_is_refused(data: bytes) -> None:
    with pytest.raises(SudareError):
        Ledger.from_json(data)


@given(st.data())
def test_any_change_of_a_byte_is_found(data: Any) -> None:
    document = Ledger(3.0).charge("a", 1.0, window=2).charge("b", 0.25, times=3).to_json()
    at = data.draw(st.integers(0, len(document) - 1))
    turned = bytearray(document)
    turned[at] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(InvalidDocument):
        Ledger.from_json(bytes(turned))


def test_a_document_never_shows_in_its_refusal() -> None:
    with pytest.raises(InvalidDocument) as caught:
        Ledger.from_json(msgspec.json.encode({"sudare": "ledger", "secret": "tea"}))
    assert "tea" not in str(caught.value)


def test_a_long_ledger_is_read_in_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is looked at a few times: 20,000 one by one would be 200 million times."""
    lines = [line(key=f"{number:05}", window=2 * (number % 3)) for number in range(10_000)]
    lines += [line(key="z", window=2 * number) for number in range(10_000)]
    looked = 0

    order = vars(Charge)["order"]

    def counting(charge: Charge) -> Any:
        nonlocal looked
        looked += 1
        return order.fget(charge)

    monkeypatch.setattr(Charge, "order", property(counting))
    ledger = Ledger.from_json(sealed(body(*lines)))
    assert len(ledger.charges) == 20_000
    assert looked == 20_000
    assert ledger.charge("z", lines[0]["epsilon"], window=1).spent("z").epsilon == (
        10_001 * Fraction(lines[0]["epsilon"])
    )


def test_windows_that_overlap_at_two_prices_are_refused() -> None:
    cheap, dear = (line(epsilon=epsilon, window=3, times=4) for epsilon in (0.5, 1.0))
    with pytest.raises(InvalidDocument, match="none of them twice"):
        Ledger.from_json(sealed(body(cheap, dear)))
    assert Ledger.from_json(sealed(body(cheap, {**dear, "window": 7}))).spent().epsilon == 6


def test_more_than_any_float_is_shown_as_infinite() -> None:
    ledger = Ledger().charge("a", 1e308, times=2**53)
    assert ledger.rows()[0]["epsilon"] == math.inf
    assert ledger.spent().epsilon == 2**53 * Fraction(1e308)
    assert str(ledger.spent())
