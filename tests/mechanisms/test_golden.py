"""Golden vectors: every mechanism has them, and still does what they say."""

from typing import Any

import msgspec
import pytest

import vectors
from sudare import errors
from sudare.mechanisms import REGISTRY, from_document
from support.enumeration import records

FILES = {
    name: msgspec.json.decode((vectors.FOLDER / f"{name}.json").read_bytes()) for name in REGISTRY
}


def entries(part: str) -> list[Any]:
    return [
        pytest.param(entry, id=f"{name}-{number}")
        for name, file in FILES.items()
        for number, entry in enumerate(file.get(part, ()))
    ]


def test_every_mechanism_has_vectors() -> None:
    for name, file in FILES.items():
        assert file["mechanism"] == name
        assert all(file[part] for part in ("cases", "bulk", "refused_values", "refused_reports"))


@pytest.mark.parametrize("name", vectors.CASES)
def test_the_files_are_what_the_generator_writes(name: str) -> None:
    assert vectors.text(name) == (vectors.FOLDER / f"{name}.json").read_bytes()


@pytest.mark.parametrize("case", entries("cases"))
def test_a_script_gives_the_same_reports(case: dict[str, Any]) -> None:
    mechanism = from_document(case["document"])
    script = [int(word, 16) for word in case["script"]]
    assert mechanism.key == case["key"]
    assert vectors.replay(mechanism, case["values"], script) == (case["reports"], len(script))
    if script:
        with pytest.raises(errors.ScriptExhausted):
            vectors.replay(mechanism, case["values"], script[:-1])


@pytest.mark.parametrize("case", entries("bulk"))
def test_a_seed_gives_the_same_reports_in_bulk(case: dict[str, Any]) -> None:
    mechanism = from_document(case["document"])
    assert vectors.bulk_digest(mechanism, case["people"], case["seed"]) == case["sha256"]


@pytest.mark.parametrize("case", entries("refused_values"))
def test_wrong_values_are_refused(case: dict[str, Any]) -> None:
    with pytest.raises(getattr(errors, case["error"])):
        vectors.replay(from_document(case["document"]), case["values"], [])


@pytest.mark.parametrize("case", entries("refused_reports"))
def test_wrong_reports_are_refused(case: dict[str, Any]) -> None:
    mechanism = from_document(case["document"])
    reports = records(mechanism, [bytes.fromhex(case["reports"])])
    with pytest.raises(getattr(errors, case["error"])):
        mechanism.aggregate(reports)


@pytest.mark.parametrize("case", entries("hashing"))
def test_a_text_has_the_same_bits(case: dict[str, Any]) -> None:
    shape = (case["hashes"], case["bits"], case["cohorts"])
    assert vectors.hashed(case["key"], case["text"], *shape) == case


def test_the_vectors_contain_texts_beyond_ascii_in_both_forms() -> None:
    by_text = {case["text"]: case for case in FILES["rappor"]["hashing"]}
    assert by_text["caf\u00e9"] == by_text["cafe\u0301"] | {"text": "caf\u00e9"}
    assert max(map(ord, "".join(by_text))) > 0xFFFF  # two units where texts are UTF-16


def test_the_vectors_contain_ties_and_redraws() -> None:
    """So that a port that forgets one of them can't pass."""
    tied, redrawn = FILES["grr"]["cases"][2:4]
    assert len(tied["script"]) == 1 + 4 + 1  # coins, their ties, lies
    assert tied["reports"][:2] != "00"
    assert tied["reports"][2:4] == "01"
    assert len(redrawn["script"]) == 4
    assert len(FILES["oue"]["cases"][2]["script"]) > 8
