"""``sudare warm-up``: after it, no command compiles anything."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from support.commands import PATIENCE

COMMANDS = """
from sudare.cli import cli
from sudare.kernels.compiler import compilations

PEOPLE = 70_000
with open("answers.csv", "w") as file:
    print("pick,page,who", file=file)
    for i in range(PEOPLE):
        print(f"pick {i % 5},page {i % 7},{i}", file=file)
with open("states.csv", "w") as file:
    print("1,2,3", file=file)
    for i in range(PEOPLE):
        print("0,1,1" if i % 3 else "1,1,0", file=file)
for name, count in (("picks", 5), ("wide", 400), ("pages", 400)):
    with open(f"{name}.txt", "w") as file:
        file.writelines(f"{name[:-1] if name != 'wide' else 'pick'} {i}\\n" for i in range(count))
AGREE = {
    "few": "--answers-file picks.txt --mechanism grr",
    "wide": "--answers-file wide.txt --mechanism grr",
    "unary": "--answers-file wide.txt --mechanism oue",
    "page": "--free-text",
    "pages": "--free-text --cohorts 1024 --bits 64",
    "online": "--rounds 3",
    "glance": "--rounds 3 --mechanism glance",
}
COLUMNS = {"page": " --column page", "pages": " --column page", "online": "", "glance": ""}
lines = []
for name, options in AGREE.items():
    answers = "states.csv" if "--rounds" in options else "answers.csv"
    column = COLUMNS.get(name, " --column pick")
    lines += [
        f"collection new {name} --question ? --epsilon 2 {options} -o {name}.json",
        f"randomize {name}.json {answers}{column} -o {name}.parquet",
        f"aggregate {name}.json {name}.parquet -o {name}-total.json",
    ]
lines += [
    "randomize few.json answers.csv --column pick --person who -o each.arrow",
    "estimate few.json few-total.json --json",
    "estimate online.json online-total.json --json",
    "decode page.json page.parquet --candidates pages.txt --json",
    "decode pages.json pages-total.json --candidates pages.txt --json",
    "associate few.json few.parquet page.json page.parquet --second-candidates picks.txt --json",
    "discover new plan --question ? --epsilon 3 -o plan.json",
    "discover randomize plan.json answers.csv --column page -o found",
    "discover decode plan.json found --json",
]
made = {}
for line in lines:
    before = compilations().made
    cli.main(line.split(), prog_name="sudare", standalone_mode=False)
    if compilations().made > before:
        made[line] = compilations().made - before
assert compilations().found > 20, compilations()
assert not made, made
"""


@pytest.mark.xdist_group("warm-up")
def test_after_warming_up_no_command_compiles(tmp_path: Path) -> None:
    """In a folder of its own for what is compiled: nothing else has put anything there."""
    kept = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    warmed = subprocess.run(
        [sys.executable, "-m", "sudare", "warm-up", "--json"],
        env=kept,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=3 * PATIENCE,
    )
    said = msgspec.json.decode(warmed.stdout)
    assert said["compiled"] > 40
    assert said["folders"][0].startswith(str(tmp_path / "kept"))
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS],
        env=kept,
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-2000:]
