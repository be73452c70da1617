"""What is kept of compiled kernels: found again, and not once any kernel's source is another."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import sudare

HASH = """
import numpy as np
from sudare.kernels.compiler import compilations
from sudare.kernels.people import hash_names

hashes = np.empty((1, 2), np.uint64)
hash_names(np.array([0, 1]), np.array([65], np.uint8), np.zeros(2, np.uint64), hashes)
print(compilations().made > 0, hashes.tolist())
"""


def hashed(folder: Path, **settings: str) -> tuple[bool, str]:
    """Whether something was compiled, and a name's hash, by the package in a folder."""
    kept = {"NUMBA_CACHE_DIR": str(folder / "kept"), "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", HASH],
        env=os.environ | kept | settings,
        check=True,
        capture_output=True,
        text=True,
    )
    made, _, hashes = done.stdout.partition(" ")
    return made == "True", hashes


def test_a_change_in_another_kernels_file_is_noticed(tmp_path: Path) -> None:
    """``people`` takes a constant from ``id_table``: Numba alone looks at ``people`` only."""
    original = Path(sudare.__file__).parent
    shutil.copytree(original, tmp_path / "sudare", ignore=shutil.ignore_patterns("__pycache__"))
    made, before = hashed(tmp_path)
    assert made
    assert hashed(tmp_path) == (False, before)
    source = tmp_path / "sudare" / "kernels" / "id_table.py"
    text = source.read_text()
    changed = text.replace("START_3 = START\n", "START_3 = START[::-1]\n")
    assert changed != text
    source.write_text(changed)
    made, after = hashed(tmp_path)
    assert made
    assert after != before
    source.write_text(text)
    assert hashed(tmp_path)[1] == before
    # Options of the compiler are part of it, too.
    assert hashed(tmp_path, NUMBA_SLP_VECTORIZE="1") == (True, before)
