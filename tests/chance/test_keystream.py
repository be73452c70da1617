"""The link from keystream words to choices, proved without chance."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sudare import Scripted, Seeded, System
from sudare.chance.exact import dyadic
from sudare.errors import ParameterError
from support.compiled import NEVER, compiled_from

TIE_BITS = 37
ALL = 2**64 - 1
P = dyadic(0.3)
EVERY_LANE = np.arange(1 << 16, dtype="<u2").view("<u8").tolist()  # each 16-bit lane once
# any probability, and those that 16 bits decide
EDGES = st.integers(1, 2**53 - 1) | st.integers(1, 2**16 - 1).map(lambda top: top << TIE_BITS)


@given(EDGES)
def test_over_all_lanes_a_coin_falls_as_often_as_it_says(edge: int) -> None:
    # P = (lanes that win outright)/2^16 + 2^-16 · P(tie won): together exactly p.
    high, low = edge >> TIE_BITS, edge & (1 << TIE_BITS) - 1
    for tie, won in ((0, low > 0), ((1 << 64) - 1, False)):
        rng = Scripted([*EVERY_LANE, tie])
        coins = rng.bernoulli(edge / 2**53, 1 << 16)
        assert np.count_nonzero(coins) == high + won
        assert coins[:high].all()
        assert not coins[high + 1 :].any()
        assert rng.used == len(EVERY_LANE) + (low > 0)


@given(EDGES, st.integers(0, 2**27 - 1))
def test_ties_are_decided_at_the_37th_bit(edge: int, rest: int) -> None:
    high, low = edge >> TIE_BITS, edge & (1 << TIE_BITS) - 1
    for offset, won in ((-1, True), (0, False), (1, False)):
        if low and 0 <= low + offset < 1 << TIE_BITS:
            word = (low + offset) << 64 - TIE_BITS | rest
            assert Scripted([high, word]).bernoulli(edge / 2**53, 1).tolist() == [won]


def test_ties_take_their_words_in_order() -> None:
    p = 0.5 + 2.0**-53  # ties at the lane 0x8000; only the tie word 0 wins
    rng = Scripted([0x8000_8000_0000_8000, 0, 1 << 27, 0])
    assert rng.bernoulli(p, (2, 2)).tolist() == [[True, True], [False, True]]


@pytest.mark.parametrize("bound", [2, 3, 5, 6, 7, 42, 255, 256, 257, 1023, 4095, 4096])
def test_over_all_lanes_each_number_is_as_frequent(bound: int) -> None:
    # The redrawn lanes are given 0xFFFF, which is always fair and says bound - 1.
    rng = Scripted([*EVERY_LANE, *[ALL] * 1024])
    numbers = Counter(rng.below(bound, 1 << 16).tolist())
    numbers[bound - 1] -= 65536 % bound
    assert numbers == dict.fromkeys(range(bound), 65536 // bound)
    assert rng.used == len(EVERY_LANE) + -(-(65536 % bound) // 4)


@pytest.mark.parametrize("bound", [4097, 65536, 65537, 10**5, 2**31 + 1, 2**32 - 1, 2**32])
def test_wide_lanes_are_fair_at_the_edges_of_each_number(bound: int) -> None:
    # Each number owns floor(2^32 / bound) lanes or one more; then the first is redrawn.
    for number in {0, 1, bound // 2, bound - 2, bound - 1}:
        first = -(-(number << 32) // bound)
        last = -(-((number + 1) << 32) // bound) - 1
        spare = last - first + 1 - (1 << 32) // bound
        assert spare in (0, 1)
        for lane in {first, min(first + 1, last), last}:
            rng = Scripted([lane, (1 << 32) - 1])
            redrawn = lane == first and spare == 1
            assert rng.below(bound, 1).tolist() == [bound - 1 if redrawn else number]
            assert rng.used == 1 + redrawn


def test_a_redraw_may_be_redrawn() -> None:
    # bound 3: only the lane 0 is unfair.
    rng = Scripted([0x0000_5555_0000_FFFF, 0x8000_0000, 0x8000])
    assert rng.below(3, 4).tolist() == [2, 1, 0, 1]
    assert rng.used == 3


@pytest.mark.parametrize("bound", [-1, 0, 2**32 + 1])
def test_a_bound_outside_the_range_is_refused(bound: int) -> None:
    with pytest.raises(ParameterError, match=f"got {bound}$"):
        Scripted([]).below(bound, 1)


@pytest.mark.parametrize(("bound", "words"), [(2, 1), (4096, 1), (4097, 2), (2**32, 2)])
def test_a_lane_has_16_bits_up_to_4096_and_32_beyond(bound: int, words: int) -> None:
    """Part of the format: four lanes fill one word, or two."""
    rng = Scripted([0xFFFFFFFFFFFFFFFF] * 2)
    assert rng.below(bound, 4).tolist() == [bound - 1] * 4
    assert rng.used == words


def test_one_option_takes_no_words() -> None:
    assert Scripted([]).below(1, (2, 3)).tolist() == [[0, 0, 0]] * 2


@pytest.mark.parametrize("bits", range(1, 9))
def test_over_all_bit_patterns_packed_coins_fall_as_often_as_they_say(bits: int) -> None:
    # 2^bits lanes, lane i's planes spelling i: exactly ``edge`` of them are below the edge.
    words = -(-(1 << bits) // 64)
    lanes = np.arange(64 * words) % (1 << bits)
    planes = [np.packbits(lanes >> plane & 1, bitorder="little") for plane in range(bits)]
    script = np.concatenate(planes[::-1]).view("<u8").tolist()
    for edge in range(1, 1 << bits, 2):
        rng = Scripted(script)
        coins = rng.packed(edge / (1 << bits), 1, 1 << bits)
        assert np.bitwise_count(coins).sum() == edge
        assert rng.used == bits * words


def packed_by_hand(script: list[int], edge: int, count: int) -> tuple[list[int], int]:
    """The coins as integers and the words they took, lane by lane.

    Each lane spells the first 8 bits of a number, or as many as the edge has. A lane that
    equals the edge so far takes its other 45 bits from a word of its own.
    """
    planes = min(8, 53 - ((edge & -edge).bit_length() - 1))
    rest = 53 - planes
    used, coins = planes * count, [0] * count
    for word in range(count):
        spelling = script[word : planes * count : count]
        for lane in range(64):
            number = int("".join(str(bits >> lane & 1) for bits in spelling), 2)
            if number == edge >> rest and edge & (1 << rest) - 1:
                number = number << rest | script[used] >> 64 - rest
                used += 1
                coins[word] |= (number < edge) << lane
            else:
                coins[word] |= (number < edge >> rest) << lane
    return coins, used


@given(
    edge=EDGES | st.integers(1, 15).map(lambda top: top << 49),
    count=st.integers(1, 5),
    ties=st.integers(0, 8),
    seed=st.integers(0, 2**32),
)
def test_packed_coins_are_comparisons_of_integers(
    edge: int, count: int, ties: int, seed: int
) -> None:
    script = Seeded(seed).words((8 + 64) * count).tolist()
    for plane in range(ties):  # all lanes spell the edge so far
        bit = edge >> 52 - plane & 1
        script[plane * count : (plane + 1) * count] = [-bit & 2**64 - 1] * count
    rest = (edge & (1 << 45) - 1) << 19  # the last 45 bits, then on, below and above the edge
    script[8 * count : 8 * count + 4] = [max(0, rest - 1), rest, rest | 1, min(rest + 2**19, ALL)]
    rng = Scripted(script)
    coins, used = packed_by_hand(script, edge, count)
    assert rng.packed(edge / 2**53, count, 64)[:, 0].tolist() == coins
    assert rng.used == used


@given(edge=EDGES, rows=st.integers(0, 40), bits=st.integers(0, 200), seed=st.integers(0, 99))
def test_compiled_packed_coins_are_the_plain_ones(
    edge: int, rows: int, bits: int, seed: int
) -> None:
    outcomes = set()
    for size in (0, NEVER):
        rng = Seeded(seed)
        with compiled_from(size):
            coins = rng.packed(edge / 2**53, rows, bits)
        outcomes.add((coins.tobytes(), rng.words(1).tobytes()))
    assert len(outcomes) == 1


@given(
    edge=EDGES,
    bound=st.integers(2, 300) | st.integers(2, 2**32),
    count=st.integers(0, 5000),
    seed=st.integers(0, 99),
)
def test_compiled_lanes_are_the_plain_ones(edge: int, bound: int, count: int, seed: int) -> None:
    outcomes = set()
    for size in (0, NEVER):
        rng = Seeded(seed)
        with compiled_from(size):
            coins, numbers = rng.bernoulli(edge / 2**53, count), rng.below(bound, count)
        outcomes.add((coins.tobytes(), numbers.tobytes(), rng.words(1).tobytes()))
    assert len(outcomes) == 1


def test_coins_in_bulk_are_decided_in_groups_of_32768_words() -> None:
    # p = 1/4: u is below where both its bits are 0, and each group has its two planes together.
    first, second, third, fourth = np.split(Seeded(5).words(65_552), [32_768, 65_536, 65_544])
    coins = Seeded(5).packed(0.25, 32_776, 64)[:, 0]
    assert coins.tolist() == [*~(first | second), *~(third | fourth)]


@given(EDGES, st.lists(st.integers(0, ALL), min_size=3, max_size=3), st.booleans())
def test_one_coin_is_the_first_of_a_batch(edge: int, words: list[int], tied: bool) -> None:
    """A single coin takes a path of its own: the same coin, from the same words."""
    if tied:
        words[0] = words[0] >> 16 << 16 | edge >> TIE_BITS
    one, two = Scripted(words), Scripted(words)
    with_neighbour = two.bernoulli(edge / 2**53, 2)  # the second lane of the same word
    neighbour_tied = words[0] >> 16 & 0xFFFF == edge >> TIE_BITS
    assert one.bernoulli(edge / 2**53, 1).tolist() == with_neighbour[:1].tolist()
    assert neighbour_tied or one.used == two.used


@given(st.integers(2, 2**32), st.lists(st.integers(0, ALL), min_size=40, max_size=40))
def test_one_number_is_the_high_half_of_the_first_fair_lane(bound: int, words: list[int]) -> None:
    bits = 16 if bound <= 4096 else 32
    span = 1 << bits
    fair = [word for word in words if word % span * bound % span >= span % bound]
    assume(fair)
    rng = Scripted(words)
    assert rng.below(bound, (1, 1)).tolist() == [[fair[0] % span * bound >> bits]]
    assert rng.used == words.index(fair[0]) + 1


@pytest.mark.parametrize("bits", [1, 43, 64, 65, 130])
def test_packed_bits_beyond_the_last_are_zero(bits: int) -> None:
    for p in (1.0, 1 - 2.0**-53):
        table = Seeded(1).packed(p, 3, bits)
        assert np.bitwise_count(table).sum(axis=1).tolist() == [bits] * 3
        assert table.shape == (3, -(-bits // 64))


def test_a_fair_packed_coin_takes_one_plane_and_a_certain_one_none() -> None:
    rng = Scripted([0b0110, 2**64 - 1])
    assert rng.packed(0.5, 2, 64)[:, 0].tolist() == [2**64 - 1 - 0b0110, 0]
    assert rng.used == 2
    assert Scripted([]).packed(0.0, 2, 64).tolist() == [[0], [0]]
    assert Scripted([]).packed(1.0, 1, 3).tolist() == [[7]]
    assert Scripted([]).bernoulli(0.0, 2).tolist() == [False, False]
    assert Scripted([]).bernoulli(1.0, 2).tolist() == [True, True]


@pytest.mark.parametrize(
    "p", [2.0**-54, 0.25 + 2.0**-54, -0.5, 1.5, float("nan"), float("inf"), -(2.0**-53)]
)
def test_a_probability_that_is_no_multiple_is_refused(p: float) -> None:
    for ask in (lambda: Seeded(1).bernoulli(p, 1), lambda: Seeded(1).packed(p, 1, 1)):
        with pytest.raises(ParameterError, match="a multiple of 2"):
            ask()


def test_nothing_asked_is_nothing_given() -> None:
    for rng in (System(), Seeded(1), Scripted([])):
        assert rng.words(0).size == 0
        assert rng.bernoulli(P, 0).size == 0
        assert rng.below(5, 0).size == 0
        assert rng.packed(P, 0, 100).shape == (0, 2)
