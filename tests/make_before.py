"""Makes ``tests/golden/before`` anew, by the commands and the HTTP of the version installed.

``python tests/make_before.py FOLDER`` takes a minute: some
windows have to close. What people answer and their noise come from seeds; secrets, tokens and
ciphertexts are new every time.
"""

import contextlib
import csv
import hashlib
import json
import math
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa

from support.before import Step, address_of, ask_again, moved, rows, run_again, served, take
from support.commands import run, succeed, together

DAYS = 18_250  # about 50 years: a window, or a round, that lasts as long
ROUNDS = 4
PEOPLE = 120
WINDOWED = ("mood", "awake", "busy", "online", "night")
TEAS = ("green", "black", "oolong")
SHOES = ("boots", "clogs", "loafers", "sandals", "trainers")
PAGES = ("news", "mail", "maps", "music", "shop", "weather")
SAID = ("https://a.example", "https://b.example/茶", "お茶", "café", "slow and steady")
CANDIDATES = (*SAID, "https://c.example", "tea", "haste", "水")
WORDS = ("milk", "soap", "rice")
PACKED, ARROW = "application/octet-stream", "application/vnd.apache.arrow.stream"


def _answers(*labels: str) -> list[object]:
    return [part for label in labels for part in ("--answer", label)]


def collections(boundary: int) -> dict[str, list[object]]:
    """The options of each; a window, or the first round, of those with windows ends then."""
    begins = datetime.fromtimestamp(boundary - DAYS * 86_400, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    lasting = ["--start", begins, "--window", f"{DAYS}d"]
    rounds = ["--start", begins, "--window", f"{ROUNDS * DAYS}d", "--rounds", ROUNDS]
    text = ["--free-text", "--mechanism", "rappor"]
    return {
        "tea": ["--mechanism", "grr", "--epsilon", 1, *_answers(*TEAS)],
        "trousers": ["--mechanism", "oue", "--epsilon", 2, *_answers(*SHOES)],
        "shoes": ["--mechanism", "sue", "--epsilon", 2, *_answers(*SHOES)],
        "pages": [*("--mechanism", "rappor", "--epsilon", 2, "--lifetime", 4), *_answers(*PAGES)],
        "guess": [
            *("--mechanism", "rappor", "--form", "instant", "--epsilon", 1),
            *_answers(*PAGES),
        ],
        "mood": [*("--epsilon", 1, "--keep-reports"), *_answers("bad", "good"), *lasting],
        "club": [*("--epsilon", 1, "--invited"), *_answers("no", "yes")],
        "homepage": [
            *(*text, "--epsilon", 4, "--lifetime", 8, "--keep-reports"),
            *("--bits", 64, "--cohorts", 8, "--hashes", 2),
        ],
        "motto": [*text, "--form", "one-time", "--epsilon", 2, "--bits", 32, "--cohorts", 4],
        "awake": ["--mechanism", "glance", "--epsilon", 1, *rounds],
        "busy": ["--mechanism", "harmony", "--epsilon", 1, *rounds],
        "online": ["--mechanism", "borappor", "--epsilon", 4, *rounds],
        "night": ["--mechanism", "kshot", "--epsilon", 4, "--shots", 2, *rounds],
        "shift": [*("--rounds", 6, "--epsilon", 3), *_answers("off", "on")],
    }


def people(name: str, number: int) -> Iterator[Sequence[object]]:
    """A header, and what each person answers."""
    one_of = {"tea": TEAS, "trousers": SHOES, "shoes": SHOES, "pages": PAGES, "guess": PAGES}
    two = {"mood": ("bad", "good"), "club": ("no", "yes")}
    texts = {"homepage": SAID[:4], "motto": SAID[3:]}
    values = {**one_of, **two, **texts}.get(name)
    if values is None:
        rounds = 6 if name == "shift" else ROUNDS
        yield list(range(1, rounds + 1))
        yield from ([int(i % 5 <= t) for t in range(rounds)] for i in range(number))
        return
    yield ["answer"]  # the first is the most frequent, and so on
    yield from ([values[math.isqrt(i * len(values) ** 2 // number)]] for i in range(number))


def records(path: Path) -> list[bytes]:
    """Each report of a file as bytes."""
    table = rows(path)
    columns = [
        [
            value if isinstance(value, bytes) else value.to_bytes(field.type.bit_width // 8)[::-1]
            for value in table[field.name].to_pylist()
        ]
        for field in table.schema
    ]
    return [b"".join(row) for row in zip(*columns, strict=True)]


def with_ids(table: pa.Table, ids: list[bytes]) -> bytes:
    """Reports as the Arrow stream that a collector takes."""
    field = pa.field("id", pa.binary(16), nullable=table.schema.field(0).nullable)
    named = table.replace_schema_metadata().add_column(0, field, pa.array(ids, field.type))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, named.schema) as writer:
        writer.write_table(named)
    return bytes(sink.getvalue())


def id_of(name: str, number: int) -> bytes:
    """The id of a report."""
    return hashlib.sha256(f"{name} {number}".encode()).digest()[:16]


class Made:
    """The set while it is made."""

    collector: httpx.Client

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.boundary = math.ceil(time.time()) + 30
        self.keys: dict[str, str] = {}
        self.tokens: dict[str, str] = {}
        self.invitations: list[str] = []

    def run(self, *arguments: object) -> Any:
        """A command; the JSON that it says, if it is asked for any."""
        done = succeed(self.folder, *arguments)
        return done.json() if "--json" in arguments else None

    # Files

    def files(self) -> None:
        """Collections, reports, aggregates."""
        for name in ("collections", "answers", "reports", "aggregates", "tables", "discovery"):
            (self.folder / name).mkdir()
        for name, options in collections(self.boundary).items():
            document, reports = f"collections/{name}.json", f"reports/{name}.arrow"
            least = 2 if name == "club" else 20
            question = ("--question", f"Which {name}?", "--minimum-reports", least)
            self.run("collection", "new", name, *question, *options, "-o", document)
            self.keys[name] = self.run("collection", "show", document, "--json")["key"]
            self._answered(f"answers/{name}.csv", people(name, PEOPLE))
            self._randomized(document, name, reports)
            self.run("aggregate", document, reports, "-o", f"aggregates/{name}.json")
        self._randomized("collections/tea.json", "tea", "reports/tea.parquet")
        (self.folder / "candidates.txt").write_text("\n".join(CANDIDATES) + "\n")

    def _answered(self, path: str, lines: Iterator[Sequence[object]]) -> None:
        with (self.folder / path).open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)

    def _randomized(self, document: str, name: str, reports: str) -> None:
        answers = f"answers/{name}.csv"
        self.run("randomize", document, answers, "--insecure-seed", 7, "-o", reports)

    def discovery(self) -> None:
        """A plan, and its reports."""
        plan, question = "discovery/plan.json", ("--question", "What did you look for?")
        lengths = ("--length", 4, "--gram", 2, "--minimum-reports", 20)
        self.run("discover", "new", "searches", *question, "--epsilon", 8, *lengths, "-o", plan)
        said = [[word] for i, word in enumerate(WORDS) for _ in range(100 - 25 * i)]
        self._answered("discovery/answers.csv", iter([["answer"], *said]))
        seeded = ("--insecure-seed", 7, "-o", "discovery/monday")
        self.run("discover", "randomize", plan, "discovery/answers.csv", *seeded)

    # Two parties

    def parties(self) -> None:
        """Tables, ledgers, a count that was opened and one that wasn't yet."""
        kept = ("table", "--epsilon", 1, "--delta")
        self.run(*kept, 1e-6, "-o", "tables/digits.json")
        self.run(*kept, 1e-6, "--draws", 2, "-o", "tables/draws.json")
        self.run(*kept, 1e-3, "--draws", 2, "--distinct", "-o", "tables/distinct.json")
        self._answered("bits.csv", iter([["answer"], *([int(i % 3 > 0)] for i in range(30))]))
        for name, options in {"opened": (), "waiting": ("--proofs",)}.items():
            (self.folder / name).mkdir()
            document, secret = f"{name}/count.json", f"{name}/secret.json"
            terms = ("--epsilon", 1, "--delta", 1e-6, "--people", 100, *options)
            self.run("joint-count", "new", name, *terms, "-o", document, "--secret", secret)
            self.run("joint-count", "encrypt", document, "bits.csv", "-o", f"{name}/records.bin")
        for party in ("one", "two"):
            self.run("ledger", "new", f"ledger-{party}.json", "--cap", 3, "--delta-cap", 1e-5)
        for done in together(self.folder, *parties("opened")):
            assert done.code == 0, done.err

    # A collector and a device

    def collected(self) -> None:
        """A store with open and closed windows and rounds, and a device that answered it."""
        store = self.folder / "store.db"
        for role in ("admin", "analyst", "relay"):
            made = ("--role", role, "--days", 3660, "--label", f"test {role}", "--store", store)
            self.tokens[role] = self.run("token", "new", *made, "--json")["token"]
        self.run("device", "new", "device", "--cap", 40, "--collection-cap", 12)
        held = [self.folder / f"collections/{name}.json" for name in self.keys if name != "shift"]
        with served(store, *held, "--grace", 0) as self.collector:
            self._before_the_boundary()
            while time.time() < self.boundary + 3:
                time.sleep(0.5)
            self._after_the_boundary()
        self.run("backup", "store.db", "store.backup")

    def _before_the_boundary(self) -> None:
        for name, number in {"tea": 80, "shoes": 60, "pages": 60, "mood": 60}.items():
            self.upload(name, 0, number)
            self.ask(f"GET /collections/{self.keys[name]}/estimate")  # what was released stays
        self.upload("tea", 80, 20)
        self.upload("trousers", 0, 80, arrow=True)
        self.upload("homepage", 0, PEOPLE, arrow=True)
        for name in ("awake", "busy", "online", "night"):
            self.upload(name, 0, 22, number=1)
        self.upload("night", 0, 20, number=2)
        self.ask(f"POST /collections/{self.keys['pages']}/close")
        self.ask(f"PUT /collections/{self.keys['tea']}/release")
        candidates = (self.folder / "candidates.txt").read_bytes().hex()
        path = f"/collections/{self.keys['homepage']}"
        self.ask(f"PUT {path}/candidates", type="text/plain", body=candidates)
        invited = self.ask(f"POST /collections/{self.keys['club']}/invitations?count=4")
        self.invitations = invited["invitations"]
        for number in range(2):
            self.ask(**self.invited(number, number))
        for name, answer in {"tea": "black", "motto": "haste", "homepage": "お茶"}.items():
            assert self.answer(name, answer)["fate"] == "taken"
        assert self.answer("homepage", "お茶")["fate"] == "taken"
        assert self.answer("online", "yes", "--round", 1)["fate"] == "taken"
        self.answer("night", "yes", "--round", 1)
        self.ask(f"POST /collections/{self.keys['night']}/close")
        self.ask(f"POST /collections/{self.keys['shoes']}/pause")
        assert time.time() < self.boundary - 1, "too slow: the windows have closed already"

    def _after_the_boundary(self) -> None:
        self.upload("mood", 60, 40, window=1)
        for name in ("awake", "busy", "online"):
            self.ask(f"GET /collections/{self.keys[name]}/estimate")
            self.upload(name, 0, 20, number=2)
        address = address_of(self.collector)
        window = ("device", "answer", address, self.keys["mood"], "good", "--window", 0)
        refused = run(self.folder, *window, "--device", "device")
        assert "window 0 is closed" in refused.err
        later = ("--offline", "--collection")
        self.answer("motto", "slow", *later, "collections/motto.json")
        self.answer("mood", "good", *later, "collections/mood.json", "--window", 1)
        given = ("--invitation", self.invitations[2])
        waits = self.answer("club", "yes", *later, "collections/club.json", *given)
        assert waits["fate"] == "waiting"
        with deaf() as address:
            about = ("device", "answer", address, self.keys["pages"], "mail", "--device", "device")
            more = ("--patience", 0, "--collection", "collections/pages.json", "--json")
            assert self.run(*about, *more)["fate"] == "waiting"

    def answer(self, name: str, answer: str, *options: object) -> Any:
        """An answer of the device."""
        address = address_of(self.collector)
        about = ("device", "answer", address, self.keys[name], answer, *options)
        return self.run(*about, "--device", "device", "--json")

    def ask(self, ask: str, **step: Any) -> Any:
        """A request that must be granted."""
        done = ask_again({"as": "admin", "ask": ask, **step}, self.collector, self.tokens)
        assert done["status"] < 300, done
        return done["says"]

    def invited(self, number: int, invitation: int) -> Step:
        """The step of a report with an invitation."""
        path = f"/collections/{self.keys['club']}/reports"
        report = records(self.folder / "reports/club.arrow")[number].hex()
        body = json.dumps({"id": id_of("club", number).hex(), "report": report}).encode().hex()
        about = {"type": "application/json", "body": body}
        return {"ask": f"POST {path}", "invitation": self.invitations[invitation], **about}

    def reports(
        self,
        name: str,
        first: int,
        count: int,
        *,
        window: int = 0,
        number: int = 0,
        arrow: bool = False,
    ) -> Step:
        """The step of some reports: over time, of those of a round."""
        path = self.folder / f"reports/{name}.arrow"
        some = [one for one in records(path) if not number or one[0] == number]
        some = some[first : first + count]
        ids = [id_of(f"{name} {number}", first + i) for i in range(len(some))]
        body = b"".join(map(bytes.__add__, ids, some))
        if arrow:
            body = with_ids(rows(path).slice(first, count), ids)
        query = f"?window={window}" if name in WINDOWED else ""
        ask = f"POST /collections/{self.keys[name]}/reports{query}"
        return {"ask": ask, "type": ARROW if arrow else PACKED, "body": body.hex()}

    def upload(self, name: str, first: int, count: int, **more: Any) -> None:
        """Reports that must be new."""
        said = self.ask(**self.reports(name, first, count, **more))
        assert said["repeated"] + said["refused"] == 0, said
        assert said["new"], said


def parties(name: str) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """The options of both parties of a count."""
    common = ("--count", f"{name}/count.json", "--insecure", "--json", "--ledger")
    one = (*common, "ledger-one.json", "--secret", f"{name}/secret.json")
    return one, (*common, "ledger-two.json", "--records", f"{name}/records.bin")


@contextmanager
def deaf() -> Iterator[str]:
    """The address of what takes requests and answers none: nobody knows what became of them."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    connection.recv(1 << 16)
                    connection.close()

        threading.Thread(target=hang_up, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)


# What is asked


def commands(made: Made) -> Iterator[str]:
    """Commands that read the set."""
    texts = "--candidates candidates.txt --json"
    for name in made.keys:
        document = f"collections/{name}.json"
        yield f"epsilon {document} --json"
        if name in {"homepage", "motto"}:
            yield f"decode {document} aggregates/{name}.json {texts}"
        else:
            yield f"estimate {document} aggregates/{name}.json --json"
    yield f"decode collections/homepage.json aggregates/homepage.json {texts} --complete"
    yield f"decode collections/homepage.json reports/homepage.arrow {texts} --likelihood"
    more = "--simultaneous --consistent norm-sub --json"
    yield f"estimate collections/shoes.json aggregates/shoes.json {more}"
    yield "aggregate collections/tea.json reports/tea.parquet aggregates/tea.json"
    yield (
        "associate collections/tea.json reports/tea.arrow collections/shoes.json "
        "reports/shoes.arrow --json"
    )
    yield "discover decode discovery/plan.json discovery/monday --json"
    yield "table check tables/digits.json --json"
    yield "table check tables/draws.json --p2-blind --json"
    yield "table check tables/draws.json --json"
    yield "table check tables/distinct.json --json"
    yield "ledger show ledger-one.json --json"
    yield "ledger show ledger-two.json --json"
    yield "device ledger device --json"
    yield "token list --store store.db --json"
    for party in ("one --listen 127.0.0.1:0", "two --connect 127.0.0.1:1"):
        own = "--secret opened/secret.json" if "one" in party else "--records opened/records.bin"
        yield f"party {party} --count opened/count.json {own} --insecure"


def requests(made: Made) -> Iterator[Step]:
    """Requests that read the store."""
    yield {"ask": "GET /collections", "as": "analyst"}
    for name, key in made.keys.items():
        if name == "shift":  # which has no windows: no collector can hold it
            continue
        windows = (
            ("0", "1", "all") if name == "mood" else ("all", "0") if name in WINDOWED else ("all",)
        )
        for window in windows:
            for what in ("estimate", "aggregate"):
                yield {"ask": f"GET /collections/{key}/{what}?window={window}", "as": "analyst"}
    yield {"ask": f"GET /collections/{made.keys['tea']}/estimate"}
    key = made.keys["shoes"]
    yield {"ask": f"GET /collections/{key}/estimate"}
    yield {"ask": f"GET /collections/{key}/estimate?format=csv&consistent=project", "as": "analyst"}
    yield {"ask": f"POST /collections/{key}/open", "as": "analyst"}


def further_requests(made: Made) -> Iterator[Step]:
    """Requests that go on with the store: reports that are new, and those that it knows."""
    keys = made.keys
    yield made.reports("tea", 90, 20)
    yield {**made.reports("trousers", 70, 40, arrow=True), "as": "relay"}
    yield made.reports("shoes", 55, 10)
    yield {"ask": f"POST /collections/{keys['shoes']}/open", "as": "admin"}
    yield made.reports("shoes", 55, 10)
    yield made.reports("pages", 50, 20)
    yield made.reports("guess", 0, 20)
    yield made.reports("mood", 50, 20)
    yield made.reports("mood", 90, 20, window=1)
    yield made.reports("homepage", 110, 10)
    for name in ("awake", "busy", "online"):
        yield made.reports(name, 15, 10, number=1)
        yield made.reports(name, 15, 10, number=2)
    yield made.reports("night", 0, 10, number=3)
    for number, invitation in ((0, 0), (4, 0), (4, 3), (4, 3)):
        yield made.invited(number, invitation)
    yield from standings(made, "shoes", "guess", "mood", "club", "awake")
    for name in ("tea", "trousers", "mood", "homepage", "awake", "busy", "online"):
        yield {
            "ask": f"GET /collections/{keys[name]}/aggregate?window={int(name == 'mood')}",
            "as": "analyst",
        }


def standings(made: Made, *names: str) -> Iterator[Step]:
    """How some collections stand."""
    for name in names:
        path = f"/collections/{made.keys[name]}/standing"
        yield {"ask": f"GET {path}", "as": "analyst", "chance": ["per_minute"]}


def device_steps(made: Made) -> Iterator[Step]:
    """The device goes on, and the collector counts what it sends."""

    def answer(name: str, *rest: str) -> str:
        options = "--device device --json"
        return " ".join(["device answer {address}", made.keys[name], *rest, options])

    chance = ["id", "report"]
    yield {"run": "device send device --json", "chance": ["collector", "address"]}
    yield {"run": "device send device --json", "chance": ["address"]}
    yield from standings(made, "mood", "club", "motto")
    for name, window in {"mood": 1, "club": 0}.items():
        path = f"/collections/{made.keys[name]}/aggregate?window={window}"
        yield {"ask": f"GET {path}", "as": "analyst"}
    yield {"run": answer("motto", "haste"), "chance": ["id", "collector"]}
    yield {"run": answer("motto", "slow"), "chance": ["id", "collector"]}
    yield {"run": answer("motto", "tea"), "chance": ["id", "collector"]}
    yield {"run": answer("homepage", "お茶"), "chance": [*chance, "collector"]}
    yield {"run": answer("tea", "green"), "chance": [*chance, "collector"]}
    yield {"run": answer("mood", "bad")}
    yield {"run": answer("online", "yes", "--round", "1")}
    yield {"run": answer("online", "no", "--round", "2"), "chance": ["collector"]}
    yield {"run": answer("online", "no", "--round", "2")}
    yield {"run": answer("awake", "yes"), "chance": ["collector"]}
    yield {"run": answer("busy", "yes"), "chance": ["collector"]}
    yield {"run": answer("night", "yes", "--round", "2")}
    yield {"run": answer("shoes", "boots", "--patience", "0"), "chance": [*chance, "collector"]}
    yield {"run": "device ledger device --cap 1 --json"}
    yield {"run": answer("tea", "green")}
    yield {"run": "device ledger device --json"}


def expected(made: Made) -> dict[str, Any]:
    """What this version says of the set, and of how it goes on."""
    tokens = made.tokens

    def told(steps: Iterator[Step]) -> list[Step]:
        with copied(made.folder) as copy, served(copy / "store.db") as collector:
            moved(copy / "device", address_of(collector))
            return [take(step, copy, collector, tokens) for step in steps]

    with copied(made.folder) as copy:
        opened = [done.json() for done in together(copy, *parties("waiting"))]
    with copied(made.folder) as copy:
        said = [run_again({"run": command}, copy) for command in commands(made)]
    asked = told(chain(requests(made), further_requests(made)))
    chance = {"chance": ["session", "total", "bytes", "cpu_seconds"]}
    return {
        "tokens": tokens,
        "keys": made.keys,
        "commands": said,
        "requests": asked,
        "device": told(device_steps(made)),
        "count": [{"says": says, **chance} for says in opened],
    }


@contextmanager
def copied(folder: Path) -> Iterator[Path]:
    """The set in another place, where it may be changed."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(shutil.copytree(folder, Path(name) / "set"))


def written(told: dict[str, Any]) -> str:
    """JSON with a line for each step."""

    def dense(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    parts = [
        f"{dense(name)}: [\n" + ",\n".join(map(dense, part)) + "\n]"
        if isinstance(part, list)
        else f"{dense(name)}: {dense(part)}"
        for name, part in told.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    """Make the set in a new folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    made = Made(folder)
    made.files()
    made.discovery()
    made.collected()
    made.parties()
    for left in folder.rglob("*.lock"):
        left.unlink()
    (folder / "expected.json").write_text(written(expected(made)))


if __name__ == "__main__":
    main()
