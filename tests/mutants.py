"""Small faults made one at a time in a copy of the package: does a test see each?

``make mutants``, or ``python tests/mutants.py --count 50 --seed 7 --folder privacy``. A sample of
all possible faults is drawn, and for each of them the tests are run that call the function it is
in, until one fails. What no test saw is listed with its place; ``mutants_explained.toml`` holds the
faults that need none, with the reason. The last line is a JSON object; the code is 1 if there is a
survivor that isn't explained.

Which test calls what is noted once (minutes), in ``.mutants/`` beside this folder, and again for
the tests that have changed, or call a file that has.
"""

import argparse
import ast
import hashlib
import json
import os
import queue
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from support.call_map import CHILD, FOLDER
from support.chosen_tests import CHOSEN
from support.mutation import Mutant, mutants

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src", "sudare")
TESTED_BY = {  # the tests that use a folder most; faults of it that only others see survive
    "chance": ("chance", "mechanisms"),
    "mechanisms": ("mechanisms", "collection", "questions", "device"),
    "device": ("device", "cli/test_inputs.py"),
    "privacy": ("privacy", "device", "cli/test_ledger.py"),
    "collector/stores": ("collector/stores", "collector/uploads", "collector/clock"),
    "twoparty": ("twoparty", "cli/twoparty"),
}
FOLDERS = tuple(TESTED_BY)
EXPLAINED = Path(__file__).with_name("mutants_explained.toml")
CALLS = ROOT / ".mutants" / "calls.json"
SECONDS = 120.0  # of tests for one mutant, as they last without a fault
PLAIN: dict[str, Any] = {"markup": False, "highlight": False, "soft_wrap": True}
PATIENCE = 60.0  # seconds beside four times those, until a mutant counts as killed by the clock


@dataclass(frozen=True)
class Fault:
    """A mutant of a file of the package."""

    file: str  # below the package
    mutant: Mutant


@dataclass(frozen=True)
class Verdict:
    """What came of a mutant: ``killed`` (and by what), ``survived`` or ``explained``."""

    file: str
    line: int
    kind: str
    fate: str
    by: str
    tests: int
    diff: str


@dataclass(frozen=True)
class Explanation:
    """Faults that no test needs to see: of a function, of a line, or some that make it another."""

    file: str
    why: str
    function: str | None = None
    line: str | None = None
    to: str | list[str] | None = None

    def covers(self, fault: Fault) -> bool:
        """Whether a fault is one of these."""
        mutant = fault.mutant
        if fault.file != self.file:
            return False
        if self.function is not None:
            return mutant.function == self.function
        every = [self.to] if isinstance(self.to, str) else self.to
        return _flat(mutant.before) == self.line and (every is None or _flat(mutant.after) in every)


def _flat(text: str) -> str:
    return " ".join(text.split())


def explanations() -> list[Explanation]:
    """What stands in ``mutants_explained.toml``."""
    return [Explanation(**entry) for entry in tomllib.loads(EXPLAINED.read_text())["explained"]]


def faults(folders: list[str]) -> list[Fault]:
    """All faults of some folders of the package, in one order."""
    files = [
        path.relative_to(ROOT / PACKAGE).as_posix()
        for folder in folders
        for path in _modules(ROOT / PACKAGE / folder)
    ]
    if not files:
        raise SystemExit(f"no module of the package is in {', '.join(folders)}")
    read = [(file, (ROOT / PACKAGE / file).read_text(encoding="utf-8")) for file in files]
    return [Fault(file, mutant) for file, source in read for mutant in mutants(source)]


def _modules(path: Path) -> list[Path]:
    """The modules of a folder, or the one module."""
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def sample(every: list[Fault], count: int, seed: int) -> list[Fault]:
    """So many faults at random, each as likely as any other."""
    shuffled = random.Random(seed).sample(every, len(every))  # noqa: S311 - a test's, no secret
    chosen: list[Fault] = []
    for fault in shuffled:
        if len(chosen) == count:
            break
        if fault.mutant.is_program:
            chosen.append(fault)
    return chosen


class CallMap:
    """Which tests call which functions, kept in a file from run to run."""

    def __init__(self, folders: list[str]) -> None:
        self._tests = sorted({tests for folder in folders for tests in _tested_by(folder)})
        self.files = _known()

    def renew(self, *, fresh: bool, jobs: int) -> None:
        """Run the tests again whose calls aren't known, or not for sure."""
        there = [
            path.relative_to(ROOT).as_posix() for tests in self._tests for path in _files(tests)
        ]
        digests = _Digests()
        stale = [file for file in there if fresh or not self._is_known(file, digests)]
        if not stale:
            return
        Console(stderr=True).print(
            f"Noting what the tests of {len(stale)} files call (once for each)"
        )
        with tempfile.TemporaryDirectory(prefix="sudare-calls-") as folder:
            _trace(stale, Path(folder), jobs)
            noted = _notes(Path(folder))
        for file in stale:
            tests = {name: test for name, test in noted.items() if name.split("::")[0] == file}
            called = {call[0] for test in tests.values() for call in test["calls"]}
            sources = [file, *(f"{PACKAGE.as_posix()}/{name}" for name in sorted(called))]
            self.files[file] = {
                "digests": {name: digests[name] for name in sources},
                "tests": tests,
            }
        CALLS.parent.mkdir(exist_ok=True)
        # Another run may have noted others meanwhile.
        written = {**_known(), **{file: self.files[file] for file in stale}}
        CALLS.write_text(json.dumps(written), encoding="utf-8")

    def _is_known(self, file: str, digests: "_Digests") -> bool:
        known = self.files.get(file)
        return known is not None and all(
            digests[name] == digest for name, digest in known["digests"].items()
        )

    @property
    def failing(self) -> list[str]:
        """The tests that fail without any fault, and so show nothing."""
        return [
            name
            for file in self.files.values()
            for name, test in file["tests"].items()
            if not test["passed"]
        ]

    def tests_of(self, fault: Fault) -> list[tuple[str, float]]:
        """The tests that could see a fault and how long each takes, the likeliest first."""
        wanted, outside = fault.mutant.function, not self._is_called(fault)
        found = []
        for file, known in self.files.items():
            rank, imported = _rank(file, fault.file), fault.file in _imported(file)
            for name, test in known["tests"].items():
                calls = {called for path, called in test["calls"] if path == fault.file}
                # Outside of all functions, or where a class is made, whoever uses the file sees it.
                uses = wanted in calls or (outside and bool(calls))
                # Who imports it and calls nothing in it may read its numbers, or a default.
                if test["passed"] and (uses or (imported and not calls)):
                    found.append((rank, test["seconds"], name))
        return [(name, seconds) for _, seconds, name in sorted(found)]

    @staticmethod
    def _is_called(fault: Fault) -> bool:
        """Whether a fault is in a function, and not beside all."""
        tail = fault.mutant.function.rpartition(".")[2]
        return bool(tail) and not tail.lstrip("_")[:1].isupper()


def _known() -> dict[str, Any]:
    """What earlier runs have noted, by the file of tests."""
    known: dict[str, Any] = {}
    if CALLS.exists():
        known = json.loads(CALLS.read_text(encoding="utf-8"))
    return known


class _Digests(dict[str, str]):
    """The digests of files, by their path below the root; empty for one that is gone."""

    def __missing__(self, name: str) -> str:
        path = ROOT / name
        data = path.read_bytes() if path.exists() else b""
        self[name] = hashlib.sha256(data).hexdigest()[:16] if data else ""
        return self[name]


def _tested_by(folder: str) -> tuple[str, ...]:
    """Where the tests of a folder of the package are; a part of one has the tests of the whole."""
    known = [tests for name, tests in TESTED_BY.items() if folder.startswith(name)]
    return known[0] if known else (folder,)


def _files(tests: str) -> list[Path]:
    """The files of tests in a folder, or the one file."""
    path = ROOT / "tests" / tests
    return [path] if path.is_file() else sorted(path.rglob("test_*.py"))


@cache
def _imported(file: str) -> set[str]:
    """The files of the package that a file of tests imports by name."""
    path = ROOT / file
    if not path.exists():
        return set()
    found = [
        f"{node.module}.{name.name}".split(".")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
        for name in node.names
    ]
    modules = [part for parts in found if parts[0] == "sudare" for part in (parts[1:], parts[1:-1])]
    return {f"{'/'.join(parts)}.py" for parts in modules}


def _rank(test: str, file: str) -> int:
    """How near tests are to a file of the package: named after it, beside it, or elsewhere."""
    folder, _, name = test.removeprefix("tests/").rpartition("/")
    home, _, module = file.rpartition("/")
    if folder != home:
        return 2
    return 0 if name.startswith(f"test_{module.removesuffix('.py')}") else 1


def _trace(files: list[str], folder: Path, jobs: int) -> None:
    """Run some tests with their calls noted."""
    (folder / "sitecustomize.py").write_text(CHILD)
    paths = [str(folder), str(ROOT / "src"), str(ROOT / "tests")]
    environment = {**os.environ, FOLDER: str(folder), "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "pytest", "-p", "support.noted_tests", "--tb=short"]
    command += ["-p", "no:cacheprovider", "-n", str(jobs), "--dist", "loadgroup", *files]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=sys.stderr, check=False)
    if done.returncode not in {0, 1}:  # all passed, or some failed
        raise SystemExit("the tests can't be run: nothing is known about what they call")


def _notes(folder: Path) -> dict[str, dict[str, Any]]:
    """The notes of tests and of the processes they started, joined."""
    noted: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            note = json.loads(line)
            test = noted.setdefault(note["test"], {"seconds": 0.0, "passed": True, "calls": []})
            known = {tuple(call) for call in test["calls"]}
            new = [call for call in note.pop("calls") if tuple(call) not in known]
            test.update(note, calls=[*test["calls"], *new])
    return noted


class Copy:
    """A copy of the tree for one mutant at a time; what the package doesn't need is linked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        for entry in ROOT.iterdir():
            if entry.name in {"src", "tests"}:
                shutil.copytree(entry, folder / entry.name, symlinks=True)
            elif not entry.name.startswith("."):
                (folder / entry.name).symlink_to(entry)

    def verdict(self, fault: Fault, tests: list[tuple[str, float]]) -> tuple[str, str]:
        """Whether a fault is killed by some tests, and by which."""
        path = self.folder / PACKAGE / fault.file
        genuine = ROOT / PACKAGE / fault.file
        try:
            path.write_text(fault.mutant.text, encoding="utf-8")
            return self._run(fault, tests)
        finally:
            shutil.copy2(genuine, path)  # with its time, by which its bytecode is known

    def _run(self, fault: Fault, tests: list[tuple[str, float]]) -> tuple[str, str]:
        chosen = self.folder / "chosen.json"
        failed = chosen.with_suffix(".failed")
        failed.unlink(missing_ok=True)
        chosen.write_text(json.dumps([name for name, _ in tests]))
        files = sorted({name.split("::")[0] for name, _ in tests})
        limit = 4 * sum(seconds for _, seconds in tests) + PATIENCE
        code, written = self._pytest(files, chosen, fault, limit)
        if code is None:
            return "killed", f"the clock, after {limit:.0f} seconds"
        if code == 0:
            return "survived", ""
        if code == 5 or (code == 1 and not failed.exists()):  # no test was found, or none failed
            raise RuntimeError(f"no test was run for {fault.file}:\n{written}")
        return "killed", failed.read_text() if failed.exists() else "all that imports it"

    def _pytest(
        self, files: list[str], chosen: Path, fault: Fault, limit: float
    ) -> tuple[int | None, str]:
        """Pytest's code, and all that it wrote; no code if it took too long."""
        environment = {
            **os.environ,
            CHOSEN: str(chosen),
            "PYTHONPATH": os.pathsep.join(str(self.folder / name) for name in ("src", "tests")),
            "PYTHONDONTWRITEBYTECODE": "1",  # nothing of a mutant outlasts it
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # half of the time to start is theirs
        }
        with tempfile.TemporaryDirectory(prefix="sudare-mutant-") as temporary:
            environment["TMPDIR"] = temporary
            if fault.file.startswith("kernels/"):  # machine code of callers would be the old one
                environment["NUMBA_CACHE_DIR"] = str(Path(temporary) / "kernels")
            command = [sys.executable, "-m", "pytest", "-x", "--tb=no", "--no-header"]
            command += ["-p", "xdist.plugin", "-p", "support.chosen_tests"]
            command += ["-p", "no:cacheprovider", *files]
            written = Path(temporary) / "written"
            with written.open("wb") as file:
                process = subprocess.Popen(
                    command,
                    cwd=self.folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                code = _ended(process, limit)
            return code, written.read_text(errors="replace")[-4000:]


def _ended(process: subprocess.Popen[bytes], limit: float) -> int | None:
    """The code of a process; after a time it is asked to end, then made to, with its children."""
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        pass
    finally:
        for number in (signal.SIGINT, signal.SIGKILL):
            if process.poll() is None:
                process.send_signal(number)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    continue
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what it has left running
    return None


class Campaign:
    """A sample of faults, tried on several copies at once."""

    def __init__(self, calls: CallMap, chosen: list[Fault], seconds: float, jobs: int) -> None:
        self._calls = calls
        self._chosen = chosen
        self._seconds = seconds
        self._jobs = jobs
        self._explained = explanations()
        self._copies: queue.SimpleQueue[Copy] = queue.SimpleQueue()

    def verdicts(self) -> Iterator[Verdict]:
        """What came of each fault, as it comes."""
        with tempfile.TemporaryDirectory(prefix="sudare-mutants-") as folder:
            for number in range(self._jobs):
                self._copies.put(Copy(Path(folder) / str(number)))
            with ThreadPoolExecutor(self._jobs) as pool:
                waiting = {pool.submit(self._verdict, fault) for fault in self._chosen}
                try:
                    while waiting:
                        done: set[Future[Verdict]]
                        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                        yield from (future.result() for future in done)
                finally:
                    pool.shutdown(cancel_futures=True)

    def _verdict(self, fault: Fault) -> Verdict:
        every, tests, left = self._calls.tests_of(fault), list[tuple[str, float]](), self._seconds
        for name, seconds in every:
            left -= seconds
            if left > 0 or not tests:
                tests.append((name, seconds))
        fate, by = ("survived", "" if tests else "no test calls it")
        if tests:
            copy = self._copies.get()
            try:
                fate, by = copy.verdict(fault, tests)
            finally:
                self._copies.put(copy)
        if fate == "survived" and len(tests) < len(every):
            by = f"and {len(every) - len(tests)} slower ones were not tried"
        if fate == "survived":
            for explanation in self._explained:
                if explanation.covers(fault):
                    fate, by = "explained", explanation.why
        mutant = fault.mutant
        shown = mutant.diff((PACKAGE / fault.file).as_posix())
        return Verdict(fault.file, mutant.line, mutant.kind, fate, by, len(tests), shown)


def campaign(options: argparse.Namespace) -> tuple[list[Verdict], bool]:
    """The verdicts on a sample, each survivor shown as it is found; and whether all were tried."""
    chosen = sample(faults(options.folder), options.count, options.seed)
    calls = CallMap(options.folder)
    calls.renew(fresh=options.fresh, jobs=options.jobs)
    console = Console(stderr=True)
    for name in calls.failing:
        console.print(f"fails without a fault, and is left out: {name}", **PLAIN)
    columns = TextColumn("mutants"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    verdicts: list[Verdict] = []
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=len(chosen))
        try:
            for verdict in Campaign(calls, chosen, options.seconds, options.jobs).verdicts():
                verdicts.append(verdict)
                progress.advance(task)
                if verdict.fate == "survived":
                    said = f"number {len(verdicts)} survived {verdict.tests} tests {verdict.by}"
                    console.print(f"{said}\n{verdict.diff}\n", **PLAIN)
        except KeyboardInterrupt:
            console.print("stopped")
            return verdicts, False
    return verdicts, True


def main() -> None:
    """Try a sample; the code is 1 if there is a survivor that isn't explained."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50, help="how many mutants (50)")
    parser.add_argument("--seed", type=int, help="which ones; another each time unless given")
    parser.add_argument(
        "--folder",
        action="append",
        help=f"or file of the package, may be repeated ({', '.join(FOLDERS)})",
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of tests for each (120)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at once")
    parser.add_argument("--fresh", action="store_true", help="note again which test calls what")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all verdicts there")
    options = parser.parse_args()
    options.folder = options.folder or list(FOLDERS)
    if options.seed is None:
        options.seed = secrets.randbelow(1 << 32)
    start = time.monotonic()
    verdicts, whole = campaign(options)
    fates = Counter(verdict.fate for verdict in verdicts)
    said = {
        **{name: getattr(options, name) for name in ("seed", "count", "folder")},
        **{name: fates[name] for name in ("killed", "survived", "explained")},
        "minutes": round((time.monotonic() - start) / 60, 1),
    }
    if options.json is not None:
        every = sorted(verdicts, key=lambda verdict: (verdict.file, verdict.line))
        document = {**said, "mutants": [asdict(verdict) for verdict in every]}
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    print(json.dumps(said))  # noqa: T201 - what was asked for
    sys.exit(130 if not whole else bool(fates["survived"]))


if __name__ == "__main__":
    main()
