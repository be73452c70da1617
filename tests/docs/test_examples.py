"""Every script in examples/ runs and does what it says."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sudare import GRR, Collection, Seeded
from support.ports import held_ports
from support.scripted_collector import serving

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_every_example_has_its_test() -> None:
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {path.stem for path in EXAMPLES.glob("*.py")} <= tested


def test_changing_answers(capsys: pytest.CaptureFixture[str]) -> None:
    """What is said to be exact, beside devices: 6.5 standard errors, by chance once in 10^10."""
    names = runpy.run_path(str(EXAMPLES / "changing_answers.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    tables = {words[0]: words[1:] for words in map(str.split, lines) if len(words) == 4}
    assert tables["43"] == ["43,000", "86", "6"]
    assert tables["1"][0] == f"{names['fresh_shows'](1):.1%}"
    assert [row[2] for row in (tables["20"], tables["50"])] == ["54.4%", "54.7%"]
    assert lines[-1].endswith("45% of single changes never show.")
    cells, people, rng = names["CELLS"], 20_000, Seeded(1)
    answers, seeds = np.arange(people) % 43, cells.assign(people, rng)
    kept = cells.permanent(answers, seeds, rng)
    table = np.stack([cells.cells(np.full(people, each), seeds) for each in range(43)])
    alike = (table == kept).sum(axis=0)  # whom the attacker chooses among
    right = cells.cells(answers, seeds) == kept
    chance = names["named"]()[2]
    expected = np.divide(right, alike, out=np.zeros(people), where=right).mean()
    assert abs(expected - chance) < 6.5 * (chance / people) ** 0.5
    assert abs(expected - 1.5 * chance) > 6.5 * (chance / people) ** 0.5
    told = np.zeros(43, np.int64)
    fresh = names["FRESH"]
    told += fresh.aggregate(fresh.randomize([7] * 2000, rng)).counts
    assert told.argmax() == 7  # the mean of fresh noise is the answer


def test_survey(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "survey.py"), run_name="__main__")
    title, *rows = capsys.readouterr().out.splitlines()
    assert title.startswith("How do you get to work? 10,000 reports, ε = 2.0000 each")
    shares = {row.split()[0]: float(row.split()[1].rstrip("%")) for row in rows}
    assert shares.keys() == {"bus", "bicycle", "car", "train"}
    assert sum(shares.values()) == pytest.approx(100, abs=0.3)  # four rounded numbers
    # Standard errors are below 1 %: these fail with probability far below 1e-9.
    assert 20 < shares["bus"] < 40
    assert 31 < shares["car"] < 51


def test_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = EXAMPLES / "device.py"
    modest, greedy = (
        Collection("tea", "Which tea?", ("green", "black", "mate"), GRR.calibrate(3, epsilon))
        for epsilon in (1.0, 3.0)
    )

    def run(collection: Collection, answer: str) -> list[str]:
        words = ["device.py", str(tmp_path / "phone"), scripted.address, collection.key, answer]
        monkeypatch.setattr("sys.argv", words)
        runpy.run_path(str(script), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    with serving(modest, greedy) as scripted:
        for spent in (1, 2):
            odds, sent, cost = run(modest, "black")
            assert odds == f"Which tea? {modest.mechanism.odds}"
            assert re.fullmatch(r"1 byte\(s\) leave this device: 0[012] \(taken\)", sent)
            assert cost == f"This cost ε = 1; ε = {spent} of 2.5 is spent."
        with pytest.raises(SystemExit, match=r"ε = 3 is asked for; 0 of 2\.5 is spent, 2\.5 is"):
            run(greedy, "black")
        with pytest.raises(SystemExit, match=r"ε = 1 is asked for; 2 of 2\.5 is spent, 0\.5 is"):
            run(modest, "black")
        with pytest.raises(SystemExit, match="position 0 is not one of the 3"):
            run(modest, "coffee")
        assert len(scripted.names()) == 2


def test_averaging_attack(capsys: pytest.CaptureFixture[str]) -> None:
    """Fresh noise would hide somebody ten standard deviations off; kept noise always, by ε∞."""
    runpy.run_path(str(EXAMPLES / "averaging_attack.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    limit = float(lines[-1].split()[-1].rstrip("%."))
    assert limit == pytest.approx(51.4)
    rows = {
        int(line.split()[0].replace(",", "")): [float(n) for n in re.findall(r"([\d.]+)%", line)]
        for line in lines[4:-1]
    }
    assert rows.keys() == {1, 10, 100, 1000}
    fresh, _, kept, most = rows[1000]
    assert fresh > 99.9  # found
    assert kept <= most <= limit  # by law, not by luck
    assert all(row[3] <= limit for row in rows.values())


def test_unknown_words(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "unknown_words.py"), run_name="__main__")
    device, found, reports, false, *rows = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"One device sends 66 bytes to “words, .*”, for ε = 4\.0000", device)
    assert int(found.split()[0]) > 40
    assert reports.endswith(" of grams")
    assert int(false.split()[0]) < 20
    assert rows[0].startswith("the ")
    assert len(rows) == 5


def test_online_per_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = tmp_path / "day.png"
    options = ["--people", "20000", "--seed", "5", "--plot", str(drawn)]
    monkeypatch.setattr("sys.argv", ["online_per_minute.py", *options])
    runpy.run_path(str(EXAMPLES / "online_per_minute.py"), run_name="__main__")
    title, odds, heading, *rows, held, received = capsys.readouterr().out.splitlines()
    assert re.match(r"20,000 devices, ε = \d\.\d{4} for the whole day", title)
    assert odds.startswith("A device reports in ")
    assert heading.split()[:3] == ["minute", "online", "estimate"]
    assert [line[:5] for line in rows] == [f"{hour:02}:00" for hour in range(0, 24, 2)]
    # Each interval holds with 95 %: that 1,440 hold fewer than 1,300 has a chance below 1e-9.
    found = re.match(r"([\d,]+) of ([\d,]+) intervals hold", held)
    assert found is not None
    assert int(found[2].replace(",", "")) == 1440
    assert int(found[1].replace(",", "")) > 1300
    assert re.fullmatch(r"[\d,]+ reports counted, [\d,]+ late\.", received)
    assert not received.endswith(" 0 late.")
    assert drawn.read_bytes().startswith(b"\x89PNG")


def test_three_party_count() -> None:
    """Its output; what three processes open is looked at in test_three_party_count.py."""
    script = str(EXAMPLES / "three_party_count.py")
    with held_ports(3, "") as (first, *_):
        command = [sys.executable, script, "-M3", "--no-log", "--base-port", str(first)]
        done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=200)
    opened, cost = done.stdout.splitlines()
    found = re.fullmatch(r"noisy total ([\d,]+), mean \|noise\| 0\.924", opened)
    assert found is not None
    assert abs(int(found[1].replace(",", "")) - (1200 + 340 + 77)) < 40
    assert re.fullmatch(r"each cost ε = 1 and δ = 1e-06; this party sent [\d,]+ bytes", cost)


def test_three_trust_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """400 repetitions put each mean within a third of its own with far more than 1 - 1e-9."""
    plot = tmp_path / "trust.png"
    monkeypatch.setattr("sys.argv", ["three_trust_models.py", str(plot)])
    runpy.run_path(str(EXAMPLES / "three_trust_models.py"), run_name="__main__")
    _, head, *rows, gain, opened, saved = capsys.readouterr().out.splitlines()
    assert head.split()[:4] == ["ε", "GRR", "OUE", "RAPPOR"]
    for row in rows:
        _, *local, own, ours, best = (float(cell) for cell in row.split())
        assert best < 1.33 * ours < 2 * best
        assert 1.5 * best < own < 1.8 * best
        assert min(local) > 100 * ours
    assert 150 < int(gain.split()[-3]) < 450
    assert float(opened.split()[-1].rstrip(".")) == pytest.approx(0.12, abs=1e-3)
    assert saved == "A noise that neither knows is 32% less than a noise of each."
    assert plot.read_bytes().startswith(b"\x89PNG")
