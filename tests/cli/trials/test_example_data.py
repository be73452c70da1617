"""Files to try with, written by a command."""

from pathlib import Path

from support.commands import refused, run, succeed


def test_example_data(tmp_path: Path) -> None:
    listed = succeed(tmp_path, "example-data").out
    assert all(name in listed for name in ("answers.csv", "dictionary.txt", "clicks.csv.gz"))
    succeed(tmp_path, "example-data", "words", "dictionary")
    assert {path.name for path in tmp_path.iterdir()} == {"words.csv", "dictionary.txt"}
    sentence = refused(tmp_path, "example-data", "tea", "words")
    assert sentence == "words.csv is there already; name another file with -o"
    succeed(tmp_path, "example-data", "words", "-o", "mine.csv")
    assert (tmp_path / "mine.csv").read_bytes() == (tmp_path / "words.csv").read_bytes()
    assert (
        "-o is for one file, got 2"
        in run(tmp_path, "example-data", "tea", "words", "-o", "x.csv").err
    )
    assert "-o needs a NAME" in run(tmp_path, "example-data", "-o", "x.csv").err
