"""A device: it repeats what it must, and nothing else; its secret stays inside."""

import copy
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from sudare import GRR, OUE, SUE, Collection, Device, Rappor, Seeded
from sudare.device.device import SECRET_BYTES
from sudare.errors import InvalidAnswer, ParameterError
from sudare.mechanisms.interface import Records
from sudare.privacy.diary import Diary
from sudare.privacy.ledger import Ledger
from support.chance import assert_follows, rejects

# A report is the kept bits themselves (p=0, q=1): what the device derives can be looked at.
BARE = Rappor(64, 1, 16, 0.5, 0.0, 1.0)
BASIC = Rappor(64, 0, 1, 0.5, 0.0, 1.0)
TEXTS = Collection("words", "Which word?", (), BARE)
SITES = Collection("sites", "Which site?", tuple(map(str, range(64))), BASIC)
HERE = bytes(range(SECRET_BYTES))


def kept(device: Device, collection: Collection, answer: str) -> tuple[int, int]:
    """The cohort and the permanent bits of an answer."""
    (report,) = device.report(collection, answer)
    cohort = int(report["cohort"]) if collection.free_text else 0
    return cohort, int(report["bits"][0])


def devices(count: int, seed: int) -> list[Device]:
    words = Seeded(seed).words(4 * count).tobytes()
    return [Device(words[at : at + 32]) for at in range(0, len(words), 32)]


# The same again


@pytest.mark.parametrize("collection", [TEXTS, SITES])
def test_a_restarted_device_repeats_its_cohort_and_its_bits(collection: Collection) -> None:
    first = kept(Device(HERE), collection, "7")
    assert [kept(Device(HERE), collection, "7") for _ in range(5)] == [first] * 5
    again = Collection.from_json(collection.to_json())
    assert kept(Device(HERE), again, "7") == first


def test_another_process_repeats_them_too() -> None:
    code = """
import sys
from sudare import Collection, Device
device, answer = Device(bytes.fromhex(sys.argv[1])), sys.argv[2]
print(device.report(Collection.from_json(sys.stdin.buffer.read()), answer).tobytes().hex())
"""
    command = [sys.executable, "-c", code, HERE.hex(), "茶"]
    done = subprocess.run(command, input=TEXTS.to_json(), capture_output=True, check=True)
    assert done.stdout.decode().strip() == Device(HERE).report(TEXTS, "茶").tobytes().hex()


def test_what_is_derived_never_changes() -> None:
    """A device that is updated must not draw again what it has already told."""
    assert kept(Device(HERE), TEXTS, "tea") == (6, 295030067477698307)
    assert kept(Device(HERE), SITES, "7") == (0, 9223706460457402528)


def test_one_text_in_two_spellings_is_one_answer() -> None:
    assert kept(Device(HERE), TEXTS, "caf\u00e9") == kept(Device(HERE), TEXTS, "cafe\u0301")


def test_only_the_instant_step_is_fresh() -> None:
    noisy = Collection("words", "Which word?", (), Rappor(64, 1, 16, 0.5, 0.25, 0.75))
    device = Device(HERE)
    reports = np.concatenate([device.report(noisy, "tea") for _ in range(50)])
    assert len(set(reports["bits"][:, 0].tolist())) == 50
    assert len(set(reports["cohort"].tolist())) == 1
    repeated = [device.report(noisy, "tea", Seeded(1)).tobytes() for _ in range(2)]
    assert repeated[0] == repeated[1]


def test_a_thousand_reports_average_to_the_kept_bits_not_to_the_answer() -> None:
    """Each bit says 1 with chance q or p by what was *kept*: two laws, told apart by counting."""
    noisy = Rappor(64, 0, 1, 0.5, 0.25, 0.75)
    collection = Collection("sites", "Which site?", tuple(map(str, range(64))), noisy)
    device = Device(HERE)
    total = sum(
        (collection.aggregate(device.report(collection, "7")) for _ in range(1000)),
        collection.zero,
    )
    found = total.counts > 500
    expected = mechanism_bits(device, collection)
    assert found.tolist() == expected
    assert sum(expected) > 5  # far more than the one bit of the answer


def mechanism_bits(device: Device, collection: Collection) -> list[bool]:
    """The bits that a device keeps for answer 7, from the derivation itself."""
    mechanism = collection.mechanism
    assert isinstance(mechanism, Rappor)
    value = mechanism.domain.check(collection.encode(["7"]))
    stream = device._derived(collection, b"permanent", value.tobytes())
    words = mechanism.permanent(value, np.zeros(1, np.int64), stream)
    return [bool(int(words[0, 0]) >> bit & 1) for bit in range(64)]


# Nothing in common


def test_the_permanent_bits_of_many_devices_follow_their_law(seed: int) -> None:
    """64 bits of each device, of which bit 7 is the answer's: all are flipped with chance f/2."""
    people = 4000
    answer = 1 << 7
    flips = Counter[int]()
    for device in devices(people, seed):
        turned = kept(device, SITES, "7")[1] ^ answer
        flips.update(bit for bit in range(64) if turned >> bit & 1)
    inner = sum(flips.values()) - flips[7]
    for found, tossed in ((flips[7], people), (inner, 63 * people)):
        counts = {True: found, False: tossed - found}
        assert_follows(counts, {True: 0.25, False: 0.75}, tossed)
        assert rejects(counts, {True: 0.32, False: 0.68}, tossed)


def test_cohorts_are_uniform_over_devices(seed: int) -> None:
    people = 8000
    counts = Counter(kept(device, TEXTS, "tea")[0] for device in devices(people, seed))
    assert_follows(counts, dict.fromkeys(range(16), 1 / 16), people)
    assert rejects(counts, dict.fromkeys(range(17), 1 / 17) | {16: 1 / 34, 15: 3 / 34}, people)


def agreement(one: list[int], other: list[int]) -> tuple[dict[bool, int], int]:
    """How many bits of two lists of words are equal, and how many there are."""
    equal = sum(64 - (a ^ b).bit_count() for a, b in zip(one, other, strict=True))
    tossed = 64 * len(one)
    return {True: equal, False: tossed - equal}, tossed


def assert_independent(one: list[int], other: list[int]) -> None:
    """Two flips of chance 1/4 agree with chance 5/8; if they were one, always."""
    counts, tossed = agreement(one, other)
    assert_follows(counts, {True: 5 / 8, False: 3 / 8}, tossed)
    assert rejects(counts, {True: 0.66, False: 0.34}, tossed)


def flips(device: Device, collection: Collection, answer: int) -> int:
    return kept(device, collection, str(answer))[1] ^ 1 << answer


def test_two_answers_of_a_device_have_independent_flips(seed: int) -> None:
    people = devices(1000, seed)
    one, other = ([flips(device, SITES, answer) for device in people] for answer in (7, 8))
    assert_independent(one, other)


def test_two_collections_of_a_device_have_independent_flips(seed: int) -> None:
    people = devices(1000, seed)
    later = Collection("sites", "Which site today?", SITES.answers, BASIC)
    one, other = ([flips(device, where, 7) for device in people] for where in (SITES, later))
    assert_independent(one, other)


def test_two_devices_have_independent_flips(seed: int) -> None:
    people = devices(1000, seed)
    mine = [flips(device, SITES, 7) for device in people]
    assert_independent(mine[1:], mine[:-1])


def test_a_devices_cohorts_in_two_collections_are_independent(seed: int) -> None:
    people = 4000
    later = Collection("words", "Which word today?", (), BARE)
    same = sum(
        kept(device, TEXTS, "tea")[0] == kept(device, later, "tea")[0]
        for device in devices(people, seed)
    )
    counts = {True: same, False: people - same}
    assert_follows(counts, {True: 1 / 16, False: 15 / 16}, people)
    assert rejects(counts, {True: 1 / 8, False: 7 / 8}, people)


# The device itself


def test_a_secret_is_not_shown() -> None:
    device = Device.new()
    shown = f"{device!r} {device} {[device]}"
    assert "Device()" in shown
    assert device.secret.hex() not in shown
    assert repr(device.secret) not in shown


def test_a_device_is_known_by_its_secret_not_by_its_diary() -> None:
    spent = Diary(Ledger().charge("a", 1.0))
    assert Device(HERE, spent) == Device(HERE)
    assert hash(Device(HERE, spent)) == hash(Device(HERE))
    assert Device.new(spent).diary is spent
    assert Device(HERE).diary is not Device(HERE).diary


def test_a_device_is_not_copied() -> None:
    """Two copies would each tell a round that only one of them may."""
    with pytest.raises(TypeError, match="lock"):
        copy.deepcopy(Device(HERE))


def test_new_devices_have_different_secrets() -> None:
    assert len({Device.new().secret for _ in range(100)}) == 100


@pytest.mark.parametrize("secret", [b"", bytes(31), bytes(33), "x" * 32, bytearray(32), None])
def test_a_wrong_secret_is_refused_without_being_shown(secret: bytes) -> None:
    with pytest.raises(ParameterError, match=r"^a device's secret is 32 bytes$"):
        Device(secret)


@pytest.mark.parametrize("family", [GRR, OUE, SUE])
def test_other_mechanisms_report_afresh(family: type[GRR | OUE | SUE]) -> None:
    collection = Collection("tea", "Which tea?", ("green", "black"), family.calibrate(2, 1.0))
    device = Device.new()

    def same(report: Records, seed: int) -> bool:
        return report.tobytes() == collection.randomize(["black"], Seeded(seed)).tobytes()

    assert all(same(device.report(collection, "black", Seeded(seed)), seed) for seed in range(20))
    reports = {device.report(collection, "black").tobytes() for _ in range(200)}
    assert len(reports) == (2 if family is GRR else 4)


def test_a_wrong_answer_is_refused_before_anything_is_drawn() -> None:
    with pytest.raises(InvalidAnswer, match="position 0 is not a text of 1 to 10000 bytes"):
        Device.new().report(TEXTS, "")
    with pytest.raises(InvalidAnswer, match="position 0 is not one of the 64 answers"):
        Device.new().report(SITES, "64")
