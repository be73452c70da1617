"""The streams of words: secret and never repeated, seeded, scripted."""

import subprocess
import sys
import threading
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import CipherContext
from numpy.typing import NDArray

from sudare import Scripted, Seeded, System
from sudare.chance import randomness
from sudare.chance.exact import dyadic
from sudare.errors import ScriptExhausted
from support.chance import assert_follows, rejects


def test_a_script_runs_out_with_a_sentence() -> None:
    rng = Scripted([1, 2, 3])
    assert rng.words(2).tolist() == [1, 2]
    with pytest.raises(ScriptExhausted, match="has 1 words left, 2 were asked for"):
        rng.words(2)
    assert rng.used == 2
    assert rng.words(1).tolist() == [3]


def test_a_seed_repeats_and_its_first_words_never_change() -> None:
    first = [int(word) for word in Seeded(2024).words(3)]
    assert [f"{word:016x}" for word in first] == [
        "c1404e8d7d4f2ef2",
        "68abf84c20e3e119",
        "3ce496a354e14c65",
    ]
    assert Seeded(2024).words(2).tolist() == first[:2]
    assert not set(first) & set(Seeded(2025).words(1000).tolist())


def test_a_simulation_is_keyed_by_the_next_four_words() -> None:
    rng, again = Seeded(7), Seeded(7)
    drawn = rng.generator().integers(0, 2**62, 3).tolist()
    bits = np.random.PCG64DXSM(again.words(4).tolist())
    assert drawn == np.random.Generator(bits).integers(0, 2**62, 3).tolist()
    assert rng.words(1) == again.words(1)


def test_a_seeded_stream_is_the_same_in_any_portions() -> None:
    whole = Seeded(7).words(300_000)
    rng = Seeded(7)
    parts = [rng.words(count) for count in (1, 2, 127, 128, 131_073, 168_669)]
    assert (np.concatenate(parts) == whole).all()


def _all_different(streams: list[list[int]]) -> None:
    """Fails by chance with probability below 1e-9: N words, N²/2 pairs, 2⁻⁶⁴ each."""
    words = [word for stream in streams for word in stream]
    assert len(words) < 100_000
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("count", [1, 128, 129, 5000])  # the operating system's, and enciphered
def test_two_system_streams_share_no_word(count: int) -> None:
    rngs = [System(), System()]
    _all_different([rng.words(count).tolist() for _ in range(1 + 1000 // count) for rng in rngs])


@pytest.mark.parametrize("count", [100, 2000])
def test_threads_of_one_system_stream_share_no_word(count: int) -> None:
    rng, streams = System(), list[list[int]]()
    threads = [
        threading.Thread(target=lambda: streams.append(rng.words(count).tolist()))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(streams) == 12
    _all_different(streams)


def test_each_thread_draws_from_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that draw at once from one key could get the same words."""
    made = list[int]()
    cipher = randomness._aes_ctr

    def noted(key: bytes) -> CipherContext:
        made.append(threading.get_ident())
        return cipher(key)

    monkeypatch.setattr(randomness, "_aes_ctr", noted)
    rng, there = System(), threading.Barrier(3)

    def draw() -> None:
        there.wait(20)
        rng.words(2000)
        there.wait(20)  # none ends, and leaves its number to another
        rng.words(2000)
        there.wait(20)

    threads = [threading.Thread(target=draw) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == sorted(thread.ident or 0 for thread in threads)


FORKS = r"""
import ctypes, os, sys
from sudare import System
rng = System()
fork = ctypes.PyDLL(None).fork if sys.argv[1] == "libc" else os.fork
if sys.argv[1] == "a number again":  # the system gives those of the dead to others
    os.getpid = lambda: 1
count = int(sys.argv[2])
start = rng.words(count)  # the key is drawn before the fork
for child in range(3):
    if fork() == 0:
        break
else:
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    sys.stdout.write(start.tobytes().hex() + "\n")
sys.stdout.write(rng.words(count).tobytes().hex() + "\n")
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.parametrize("count", [100, 1000])
@pytest.mark.parametrize("forks", ["Python", "libc", "a number again"])
def test_a_forked_child_never_repeats_its_parent(forks: str, count: int) -> None:
    command = [sys.executable, "-c", FORKS, forks, str(count)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    streams = [np.frombuffer(bytes.fromhex(line), "<u8").tolist() for line in done.stdout.split()]
    assert [len(stream) for stream in streams] == [count] * 5
    _all_different(streams)


@pytest.mark.parametrize("people", [50, 50_000])  # the operating system's words, and enciphered
def test_system_coins_and_numbers_follow_their_law(people: int) -> None:
    """Fails by chance with probability at most 3e-9; coins off by 1/64 are rejected."""
    rng, p = System(), dyadic(0.3)
    rounds = 100_000 // people
    heads = sum(int(rng.bernoulli(p, people).sum()) for _ in range(rounds))
    packed = sum(int(np.bitwise_count(rng.packed(p, people, 7)).sum()) for _ in range(rounds))
    for ones, tosses in ((heads, rounds * people), (packed, 7 * rounds * people)):
        counts = {True: ones, False: tosses - ones}
        assert_follows(counts, {True: p, False: 1 - p}, tosses)
        assert rejects(counts, {True: p + 1 / 64, False: 1 - p - 1 / 64}, tosses)
    numbers = Counter(x for _ in range(rounds) for x in rng.below(5, people).tolist())
    assert_follows(numbers, dict.fromkeys(range(5), Fraction(1, 5)), rounds * people)
    tilted = {0: Fraction(1, 5) + Fraction(1, 64), 1: Fraction(1, 5) - Fraction(1, 64)}
    assert rejects(numbers, dict.fromkeys(range(5), Fraction(1, 5)) | tilted, rounds * people)


def test_a_key_is_renewed_before_its_share_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = list[bytes]()
    monkeypatch.setattr(randomness, "_REKEY", 1 << 16)
    cipher = randomness._aes_ctr

    def noted(key: bytes) -> CipherContext:
        keys.append(key)
        return cipher(key)

    monkeypatch.setattr(randomness, "_aes_ctr", noted)
    rng = System()
    for _ in range(9):
        rng.words(4096)  # half a key's share
    rng.words(1 << 14)  # more than a whole one
    assert len(keys) == len(set(keys)) == 6
    assert {len(key) for key in keys} == {32}


INTERRUPTED_FORK = """
import os
from sudare import System
rng = System()
parent = rng.words(1000)
read, write = os.pipe()
if os.fork() == 0:
    urandom, os.urandom = os.urandom, None  # the child's first try for a key fails
    try:
        rng.words(1000)
    except TypeError:
        os.urandom = urandom
    os.write(write, rng.words(1000).tobytes())
    os._exit(0)
os.wait()
print(rng.words(1000).tobytes() == os.read(read, 8000), flush=True)
"""


def test_a_child_that_got_no_key_does_not_go_on_with_its_parents() -> None:
    command = [sys.executable, "-c", INTERRUPTED_FORK]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("count", [1000, 70_000])
def test_a_draw_that_interrupts_another_shares_nothing_with_it(count: int) -> None:
    """As a signal handler does: the inner draw comes between the outer's words and their use."""
    expected = [Seeded(1).bernoulli(0.25, count), Seeded(2).bernoulli(0.25, count)]
    inner: list[NDArray[Any]] = []

    class Interrupted(Seeded):
        def fill(self, words: NDArray[np.uint64]) -> None:
            super().fill(words)
            if not inner:
                inner.append(np.empty(0))
                inner.append(Seeded(2).bernoulli(0.25, count))

    outer = Interrupted(1).bernoulli(0.25, count)
    assert outer.tolist() == expected[0].tolist()
    assert inner[1].tolist() == expected[1].tolist()
