"""Unknown texts: what a plan costs, what devices send, and what is found again."""

import itertools
import string
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtrc

from sudare import Device, Discovery, Rappor, Seeded, SudareError, discover, exact_law
from sudare.discovery.budget import Asks
from sudare.discovery.joining import join
from sudare.discovery.spelling import END, OTHER, Spelling
from sudare.errors import InvalidAnswer, InvalidDocument, MixedCollections, ParameterError
from support import chance
from support.words import WORDS, people

PLAN = Discovery.calibrate("words", "Which word?", epsilon=4)
TINY = Rappor(2, 1, 2, 0.0, 0.25, 0.5)
BOLD = Rappor(2, 1, 1, 0.0, 0.125, 0.5)
LASTING = Rappor(2, 1, 1, 0.5, 0.25, 0.75)


def tiny(asks: Asks, words: Rappor = TINY, grams: Rappor = TINY) -> Discovery:
    return Discovery("tiny", "?", Spelling("ab", 3, 2, 1), asks, words, grams)


def sent_law(plan: Discovery, text: str) -> dict[Any, Fraction]:
    """The exact law of all that leaves one person's device, by the code itself."""
    return exact_law(
        lambda rng: tuple(reports.tobytes() for _, reports in plan.randomize([text], rng))
    )


@pytest.mark.parametrize(
    ("asks", "words", "grams"),
    [
        ("either", LASTING, BOLD),
        ("either", BOLD, TINY),
        ("both", TINY, BOLD),
    ],
)
def test_all_that_a_person_sends_has_the_stated_worst_ratio(
    asks: Asks, words: Rappor, grams: Rappor
) -> None:
    plan = tiny(asks, words, grams)
    laws = [sent_law(plan, text) for text in ("a", "b", "ab", "aab", "bbb", f"a{OTHER}a")]
    assert all(sum(law.values()) == 1 for law in laws)
    pairs = itertools.permutations(laws, 2)
    worst = max(one[sent] / another[sent] for one, another in pairs for sent in one)
    ratios = words.worst_ratio, grams.worst_ratio
    assert plan.worst_ratio == (ratios[0] * ratios[1] if asks == "both" else max(ratios))
    assert worst == plan.worst_ratio


def test_what_a_person_is_asked_does_not_depend_on_the_text() -> None:
    plan = tiny("either")

    def asked(text: str) -> dict[Any, Fraction]:
        return exact_law(
            lambda rng: tuple(len(reports) for _, reports in plan.randomize([text], rng))
        )

    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert asked("a") == {(1, 0, 0): half, (0, 1, 0): quarter, (0, 0, 1): quarter}
    assert asked("bab") == asked("a")


@given(
    epsilon=st.floats(0.05, 8),
    split=st.floats(0.1, 0.9),
    asks=st.sampled_from(["either", "both"]),
    times=st.none() | st.floats(1.5, 4),
)
def test_a_plan_spends_its_budget_and_no_more(
    epsilon: float, split: float, asks: Asks, times: float | None
) -> None:
    lifetime = None if times is None else epsilon * times
    plan = Discovery.calibrate(
        "x", "?", epsilon=epsilon, asks=asks, split=split, lifetime=lifetime, bits=8, cohorts=2
    )
    assert epsilon * (1 - 1e-9) < plan.epsilon <= epsilon
    if asks == "both":
        assert plan.words.epsilon == pytest.approx(split * epsilon)
        assert plan.worst_ratio == plan.words.worst_ratio * plan.grams.worst_ratio
    if lifetime is None:
        assert plan.lifetime_epsilon == np.inf
    else:
        assert lifetime * (1 - 1e-9) < plan.lifetime_epsilon <= lifetime


def test_documents_read_back_and_mixed_or_false_ones_are_refused() -> None:
    lasting = Discovery.calibrate("x", "?", epsilon=1, lifetime=3, asks="both", alphabet="01")
    for plan in (PLAN, lasting):
        assert Discovery.from_json(plan.to_json()) == plan
        assert Discovery.from_json(plan.to_json()).key == plan.key
    document = msgspec.json.decode(lasting.to_json())
    forever = Discovery.calibrate("x", "?", epsilon=1, alphabet="01")
    claimed = msgspec.json.decode(forever.to_json()) | {"lifetime_epsilon": 5.0}
    with pytest.raises(InvalidDocument, match=r"states lifetime_epsilon = 5\.0, but .* inf"):
        Discovery.from_json(msgspec.json.encode(claimed))
    for name in ("epsilon", "epsilon_words", "epsilon_grams", "lifetime_epsilon"):
        with pytest.raises(InvalidDocument, match=f"states {name} = 0.125, but"):
            Discovery.from_json(msgspec.json.encode({**document, name: 0.125}))
    with pytest.raises(InvalidDocument, match="not a discovery"):
        Discovery.from_json(PLAN.collections[0].to_json())
    changes: list[dict[str, Any]] = [
        {"asks": "neither"},
        {"spelling": {"alphabet": "ab"}},
        {"words": {}},
        {"extra": 1},
    ]
    for change in changes:
        with pytest.raises(SudareError):
            Discovery.from_json(msgspec.json.encode({**document, **change}))
    with pytest.raises(MixedCollections, match="is none of the 5 of “words”"):
        PLAN.total(lasting.simulate({"0": 5}, Seeded(1)))


def test_plans_that_differ_in_anything_share_no_collection() -> None:
    plans = [
        Discovery.calibrate("x", "?", epsilon=2, **change)
        for change in ({}, {"stride": 1}, {"alphabet": "ab"}, {"length": 9}, {"bits": 64})
    ]
    keys = [collection.key for plan in plans for collection in plan.collections]
    assert len(set(keys)) == len(keys)
    assert [collection.name for collection in plans[0].collections] == [
        "x, whole",
        *(f"x, characters {first} to {first + 2}" for first in (1, 3, 5, 6)),
    ]


def test_texts_are_folded_into_the_alphabet_and_cut() -> None:
    spelling = Spelling(string.ascii_lowercase, 6, 3, 2)
    folded = spelling.fold(["The", "naïve", "nai\u0308ve", "a b", "internet", "İx", OTHER, END])
    assert folded[:5] == ["the", f"na{OTHER}ve", f"na{OTHER}ve", f"a{OTHER}b", "intern"]
    assert folded[5:] == [f"{OTHER}x", OTHER, OTHER]
    assert Spelling("Tehé", 6, 3, 2).fold(["The", "É"]) == ["The", "é"]
    assert spelling.places == (0, 2, 3)
    assert [spelling.gram_at(place, "the") for place in (0, 2, 3)] == [
        "the",
        f"e{END * 2}",
        END * 3,
    ]


@given(
    text=st.text("ab" + OTHER, min_size=1, max_size=6),
    gram=st.integers(1, 4),
    stride=st.integers(1, 4),
    length=st.integers(5, 6),
)
def test_every_text_is_joined_again_from_its_grams(
    text: str, gram: int, stride: int, length: int
) -> None:
    spelling = Spelling("ab", length, gram, min(stride, gram))
    folded = text[:length]
    kept = [{spelling.gram_at(place, folded): 0.5 + place} for place in spelling.places]
    assert all(
        next(iter(one)) in spelling.grams(place)
        for place, one in zip(spelling.places, kept, strict=True)
    )
    assert join(spelling, kept) == ({folded: 0.5}, False)


def test_joins_keep_the_largest_shares_and_say_when_some_are_dropped() -> None:
    spelling = Spelling("abc", 4, 2, 2)
    kept = [{"ab": 0.5, f"a{END}": 0.2, "cc": 0.1}, {"cb": 0.4, END * 2: 0.3}]
    everything = {"abcb": 0.4, "ab": 0.3, "a": 0.2, "cccb": 0.1, "cc": 0.1}
    assert join(spelling, kept) == (everything, False)  # nothing follows the end of "a"
    assert join(spelling, kept, 2) == ({"abcb": 0.4, "ab": 0.3}, True)


@pytest.mark.parametrize("asks", ["either", "both"])
def test_a_device_is_asked_for_the_same_part_every_time(asks: Asks) -> None:
    plan = Discovery.calibrate("x", "?", epsilon=2, asks=asks, bits=8, cohorts=2)
    devices = [Device(bytes([number]) * 32) for number in range(200)]
    first = [[c.key for c, _ in plan.report(device, "tea")] for device in devices]
    again = [[c.key for c, _ in plan.report(device, "coffee")] for device in devices]
    assert first == again
    keys = [collection.key for collection in plan.collections]
    drawn = {key: sum(parts[-1] == key for parts in first) for key in keys}
    if asks == "both":
        assert all(len(parts) == 2 and parts[0] == keys[0] for parts in first)
        del drawn[keys[0]]
        law = dict.fromkeys(drawn, 0.25)
    else:
        law = {key: 0.5 if key == keys[0] else 0.125 for key in keys}
    chance.assert_follows(drawn, law, len(devices))


@pytest.mark.parametrize("asks", ["either", "both"])
def test_simulated_people_are_asked_and_answer_as_real_ones(asks: Asks, seed: int) -> None:
    plan = tiny(asks)
    rng, n = Seeded(seed), 4000
    truth = {"ab": n // 2, "bbb": n // 2}
    real = plan.aggregate(plan.randomize(["ab"] * (n // 2) + ["bbb"] * (n // 2), rng))
    drawn = plan.simulate(truth, rng)
    for one, other in zip(real, drawn, strict=True):
        assert one.key == other.key
        size = max(one.n, other.n)
        # Differences of two sums of coins: 9 standard deviations of the widest, 2 · n / 4.
        assert abs(one.n - other.n) <= 9 * np.sqrt(n / 2)
        assert np.abs(one.counts - other.counts).max() <= 9 * np.sqrt(size)
    if asks == "both":
        assert real[0].n == drawn[0].n == n
    assert sum(one.n for one in real[asks == "both" :]) == n


@pytest.mark.parametrize(
    ("n", "share", "recall"),
    # Measured: in 23 of 24 runs all of 35, in one 34; in 10 of 10 runs all of 109.
    [(10**6, 0.004, 0.9), (10**7, 0.0013, 0.95)],
)
def test_common_words_are_found_without_a_list(
    n: int, share: float, recall: float, seed: int
) -> None:
    truth = people(n)
    total = sum(truth.values())
    found = discover(PLAN, PLAN.simulate(truth, Seeded(seed)))
    frequent = {word[:8] for word, count in truth.items() if count >= share * total}
    assert len(frequent & found.texts.keys()) >= recall * len(frequent)
    assert found.joined < 50_000
    assert not found.capped
    held: dict[str, int] = {}
    for word, count in truth.items():
        held[word[:8]] = held.get(word[:8], 0) + count
    for row in found.rows():
        if row["candidate"] in frequent:
            error = row["share"] - held[row["candidate"]] / total
            assert abs(error) < 7 * row["stderr"] + 1e-4


def test_no_more_than_the_stated_share_of_words_found_is_false(seed: int) -> None:
    truth, rng = people(10**6), Seeded(seed)
    whole = {word[:8] for word in WORDS}
    found = [discover(PLAN, PLAN.simulate(truth, rng)).texts.keys() for _ in range(3)]
    false = sum(len(texts - whole) for texts in found)
    count = sum(map(len, found))
    assert count > 150
    # Were 5 % of them false, so many would be with a chance above 1e-9.
    assert not false or bdtrc(false - 1, count, 0.05) > chance.ALPHA


def test_either_finds_more_than_both(seed: int) -> None:
    both = Discovery.calibrate("words", "Which word?", epsilon=4, asks="both")
    truth = people(10**6)
    one, two = (discover(plan, plan.simulate(truth, Seeded(seed))) for plan in (PLAN, both))
    assert len(one.texts) > 1.4 * len(two.texts) > 20  # measured: 75 and 40


def test_nothing_is_found_where_there_is_nothing_in_common(seed: int) -> None:
    letters = Seeded(seed).below(26, (50_000, 8)) + ord("a")
    texts = ["".join(map(chr, row)) for row in letters.tolist()]
    nobody = PLAN.simulate(dict.fromkeys(texts, 1), Seeded(seed + 1))
    found = discover(PLAN, nobody, false_discoveries=1e-9)
    assert found.texts == {}
    assert found.rows() == []


def test_devices_and_counted_parts_end_to_end(seed: int) -> None:
    rng = Seeded(seed)
    plan = Discovery.calibrate("x", "?", epsilon=6, length=6, bits=64, cohorts=8)
    texts = ["Tea", "coffee", "café"] * 700
    parts = [plan.randomize(texts[start::3], rng) for start in range(3)]
    devices = [Device(number.to_bytes(32)) for number in range(300)]
    parts += [plan.report(device, "maté", rng) for device in devices]
    counted = [total for sent in parts for total in plan.aggregate(sent)]
    assert sum(total.n for total in counted) == 2400
    found = discover(plan, counted, false_discoveries=1e-6)
    assert found.texts.keys() == {"tea", "coffee", f"caf{OTHER}", f"mat{OTHER}"}
    assert found.texts["tea"] == pytest.approx(700 / 2400, abs=0.1)
    assert sum(found.n) == 2400
    assert found.notes()[1].endswith("of grams")


def test_a_cap_that_was_hit_is_told() -> None:
    found = discover(PLAN, PLAN.simulate(people(10**6), Seeded(1)), most=20)
    assert found.capped
    assert found.joined <= 20
    assert "left out" in found.notes()[-1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"alphabet": ""}, "at least 1 letter"),
        ({"alphabet": "aba"}, "a letter twice"),
        ({"alphabet": f"ab{END}"}, "reserved"),
        ({"alphabet": "a\u0301"}, "a mark"),
        ({"alphabet": "a\ud800"}, "not valid Unicode"),
        ({"length": 3}, "shorter than the length"),
        ({"length": 65}, "at most 64"),
        ({"length": 8.5}, "whole number"),
        ({"gram": 5}, "14,348,907 grams of 5"),
        ({"stride": 0}, "between 1 and gram = 3, got 0"),
        ({"stride": 4}, "between 1 and gram = 3, got 4"),
        ({"epsilon": 0}, "epsilon must be above 0"),
        ({"split": 1}, "the split must lie between 0 and 1, got 1"),
        ({"lifetime": 2.0}, "lifetime budget must exceed"),
        ({"asks": "neither"}, "asks must be one of either, both"),
        ({"minimum_reports": 0}, "at least 1, got 0"),
        ({"bits": 100}, "power of two"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        Discovery.calibrate("x", "?", **{"epsilon": 2, **change})


def test_other_plans_answers_and_aggregates_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least one character"):
        Discovery.calibrate("", "?", epsilon=2)
    with pytest.raises(ParameterError, match="RAPPOR with hashes"):
        tiny("both", Rappor(2, 0, 1, 0.0, 0.25, 0.5))
    for answers, sentence in (
        (["tea", ""], "position 11 has 0 bytes"),
        (["tea", 5], "position 11 is not a text"),
        (["tea", []], "position 11 is not a text"),
        (["secret" * 2000], "position 10 has 12000 bytes"),
    ):
        with pytest.raises(InvalidAnswer, match=sentence) as refusal:
            PLAN.randomize(answers, first=10)  # type: ignore[arg-type]
        assert "secret" not in str(refusal.value)
    with pytest.raises(ParameterError, match="must be a list"):
        PLAN.randomize("tea")
    with pytest.raises(SudareError, match="0 reports; “words, whole” releases nothing below 1"):
        discover(PLAN, [])
    shy = Discovery.calibrate("words", "?", epsilon=0.5)
    few = shy.simulate({"tea": 200}, Seeded(1))
    with pytest.raises(SudareError, match=r"“words, characters 1 to 3”: .* reports can't show"):
        discover(shy, few)
    with pytest.raises(ParameterError, match="at least 1 candidate"):
        discover(PLAN, [], most=0)
