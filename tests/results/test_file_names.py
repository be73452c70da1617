"""Downloads are named after the study and its window, in any script, and lead nowhere."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from sudare import GRR, Collection
from sudare.collection.windows import Windows
from sudare.results.file_names import attachment, file_stem

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/file_names.json").read_text("utf-8"))


@pytest.mark.parametrize("case", GOLDEN["names"], ids=lambda case: case["stem"])
def test_a_file_is_named_after_its_study_and_window(case: dict[str, Any]) -> None:
    windows = None if case["start"] is None else Windows(case["start"], case["seconds"])
    study = Collection(case["name"], "?", ("yes", "no"), GRR(2, 0.75), 10, windows)
    stem = case["stem"].replace("KEY", study.key[:12])
    assert file_stem(study, case["window"], case["now"]) == stem


def test_a_name_in_any_script_is_sent_in_a_head() -> None:
    said = attachment("お茶-2026-11-18.csv")
    assert said.isascii()
    plain, coded = said.removeprefix("attachment; ").split("; ")
    assert plain == 'filename="__-2026-11-18.csv"'
    assert unquote(coded.removeprefix("filename*=UTF-8''")) == "お茶-2026-11-18.csv"
