"""``sudare remote`` against a real collector at a port of this machine, over HTTP."""

import csv
import stat
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from sudare import Seeded
from sudare.cli import cli
from sudare.collection.windows import Windows
from sudare.collector.stores.contract import Role
from sudare.formats.report_files import report_file
from support.analysts import DAYS, NOON, ONLINE, TEA, WORDS, Collector, at_port
from support.commands import Result, refused, run, succeed


class Desk:
    """A folder with profiles and tokens, from which a collector is administered."""

    def __init__(self, folder: Path, collector: Collector, address: str) -> None:
        self.folder, self.collector, self.address = folder, collector, address
        for role, token in collector.tokens.items():
            (folder / f"{role}.token").write_text(f"{token}\n")

    def _arguments(self, words: tuple[object, ...], role: Role | None) -> tuple[object, ...]:
        token = () if role is None else ("--token-file", f"{role}.token")
        return ("remote", *words, "--collector", self.address, *token)

    def do(self, *words: object, role: Role | None = Role.ADMIN, stdin: bytes = b"") -> Result:
        return succeed(self.folder, *self._arguments(words, role), stdin=stdin)

    def refuse(self, *words: object, role: Role | None = Role.ADMIN) -> str:
        return refused(self.folder, *self._arguments(words, role))

    def state(self, name: str) -> str:
        return str(self.held[name].state)

    @property
    def held(self) -> dict[str, Any]:
        return {one.collection.name: one for one in self.collector.store.held_collections()}


@pytest.fixture(autouse=True)
def no_other_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("SUDARE_COLLECTOR", "SUDARE_TOKEN", "SUDARE_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    folder = tmp_path / "desk"
    folder.mkdir()
    with Collector() as collector, at_port(collector) as address:
        collector.clock.now = NOON + 1
        yield Desk(folder, collector, address)


def test_who_logs_in_needs_to_say_no_more(desk: Desk) -> None:
    token = desk.collector.tokens[Role.ADMIN]
    name = token.split("_")[1]
    said = succeed(desk.folder, "remote", "login", desk.address, stdin=f"{token}\n".encode())
    assert f"admin “a test's”, token {name}, without end" in said.out
    assert token not in said.out + said.err
    assert "takes reports" in succeed(desk.folder, "remote", "health").out
    assert succeed(desk.folder, "remote", "list", "--json").json() == []
    more = ("--token-file", "analyst.token", "--profile", "work", "--json")
    document = succeed(desk.folder, "remote", "login", desk.address, *more).json()
    assert (document["role"], document["profile"]) == ("analyst", "work")
    told = succeed(desk.folder, "remote", "health", "--profile", "work", "--json").json()
    assert (told["status"], told["session"]["role"]) == ("ok", "analyst")
    succeed(desk.folder, "remote", "logout")
    sentence = refused(desk.folder, "remote", "list")
    assert sentence.startswith("no collector is named")
    assert "there is no profile default" in refused(desk.folder, "remote", "logout")


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        (b"", "there is no token on stdin"),
        (b"secret", "a token looks like sdr_<name>_<secret>"),
        (b"sdr_guess_0000000000000000", "the collector answered 401: this token is not valid here"),
    ],
)
def test_a_wrong_token_leaves_no_profile(desk: Desk, token: bytes, sentence: str) -> None:
    done = run(desk.folder, "remote", "login", desk.address, stdin=token)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert not (desk.folder.parent / "config").exists()


def test_a_collection_is_added_paused_resumed_released_closed_and_deleted(desk: Desk) -> None:
    (desk.folder / "tea.json").write_bytes(TEA.to_json())
    added = desk.do("add", "tea.json", "--grace", 7)
    assert "is held from now on" in added.out
    assert f"{desk.address}/s/{TEA.key}" in added.out
    assert (desk.held["tea"].grace, desk.held["tea"].public) == (7, False)
    assert "was held already" in desk.do("add", "tea.json", "--public").out
    assert desk.held["tea"].public
    desk.do("withhold", "tea", role=Role.ANALYST)
    assert not desk.held["tea"].public
    desk.do("release", TEA.key[:8], role=Role.ANALYST)
    assert desk.held["tea"].public
    assert "takes no reports for now" in desk.do("pause", "tea").out
    assert desk.state("tea") == "paused"
    assert desk.do("resume", TEA.key, "--json").json()["state"] == "open"
    assert "add --yes" in desk.refuse("close", "tea")
    assert desk.state("tea") == "open"
    desk.do("close", "tea", "--yes")
    assert desk.state("tea") == "closed"
    assert "is closed, for good" in desk.refuse("resume", "tea")
    assert "add --yes" in desk.refuse("delete", "tea")
    assert desk.do("delete", "tea", "--yes", "--json").json()["deleted"] == TEA.key
    assert desk.held == {}


def test_a_list_shows_what_one_may_see(desk: Desk) -> None:
    assert "holds no collection that is public" in desk.do("list", role=None).out
    desk.collector.hold(TEA)
    desk.collector.hold(WORDS, public=True)
    desk.collector.answer(TEA, {"green": 1234})
    shown = desk.do("list").out
    assert "tea" in shown
    assert "1,234" in shown
    assert "words" in shown
    assert "tea" not in desk.do("list", role=None).out
    assert [one["name"] for one in desk.do("list", "--json", role=None).json()] == ["words"]


def test_a_collection_is_shown_with_its_windows_to_those_who_may(desk: Desk) -> None:
    desk.collector.hold(DAYS)
    desk.collector.answer(DAYS, {"yes": 30}, window=0)
    shown = desk.do("show", "mood").out
    assert "window 0: 30 reports, results show 0, open" in shown
    assert desk.do("show", "mood", "--json").json()["reports"] == 30
    stranger = desk.do("show", DAYS.key, role=None).out
    assert "30" not in stranger.replace(DAYS.key, "").replace(desk.address, "")  # nor its port
    assert "not told without a token" in stranger


def test_a_name_must_be_one_collections(desk: Desk) -> None:
    desk.collector.hold(TEA)
    desk.collector.hold(replace(TEA, minimum_reports=101))
    sentence = desk.refuse("show", "tea")
    assert sentence.startswith("2 collections are “tea”: name one by how its key begins (")
    assert "no collection “coffee” is at" in desk.refuse("show", "coffee")
    assert "there: “tea”, “tea”" in desk.refuse("show", TEA.key[:3])  # too short to mean a key
    assert "no collection 000000000000 is held here" in desk.refuse("show", "0" * 64)


REFUSALS = [
    (("pause", "tea"), Role.ANALYST, "the collector answered 403: this needs the role admin"),
    (("pause", TEA.key), None, "the collector answered 401: this needs a token of the role admin"),
    (("invitations", "tea"), Role.ADMIN, "the collector answered 409: “tea” needs no invitations"),
    (("candidates", "tea", "texts"), Role.ADMIN, "409: “tea” takes no candidates"),
    (("results", "tea"), Role.ADMIN, "the collector answered 409: there are 0 reports"),
    (("results", "tea", "--json", "--csv"), Role.ADMIN, "--json and --csv"),
    (("results", "tea", "--window", "x"), Role.ADMIN, "400: window must be a number from 0"),
    (("results", TEA.key), Role.RELAY, "the collector answered 403"),
    (("download", "tea", "-o", "x", "--document", "--window", "1"), Role.ADMIN, "no effect"),
    (("token", "list"), Role.ANALYST, "the collector answered 403"),
    (("token", "revoke", "a/../b"), Role.ADMIN, "the collector answered 404"),
    (("upload", "tea", "tea.json"), Role.RELAY, "no collection “tea” is at"),
    (("upload", TEA.key, "tea.json"), Role.RELAY, "tea.json is a collection; each of REPORTS is"),
    (("upload", TEA.key, "-"), Role.RELAY, "reports are uploaded from files"),
    (("add", "texts"), Role.ADMIN, "texts is a text file, not a collection"),
    (("invitations", "tea", "--qr", "--json"), Role.ADMIN, "--qr draws for people"),
    (("invitations", "tea", "-o", "none/a.csv"), Role.ADMIN, "must be a folder"),
    (("invitations", "tea", "--png", "there"), Role.ADMIN, "there is there already"),
]


@pytest.mark.parametrize(("words", "role", "sentence"), REFUSALS)
def test_a_refusal_is_one_sentence(
    desk: Desk, words: tuple[str, ...], role: Role | None, sentence: str
) -> None:
    desk.collector.hold(TEA)
    (desk.folder / "tea.json").write_bytes(TEA.to_json())
    (desk.folder / "texts").write_text("a\nb\n")
    (desk.folder / "there").mkdir()
    done = run(desk.folder, *desk._arguments(words, role))
    assert (done.code, done.stdout) == (2, b"")
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert sentence in done.err
    assert all(token not in done.err for token in desk.collector.tokens.values())


def test_what_is_no_collector_or_not_there_is_said(tmp_path: Path, desk: Desk) -> None:
    away = refused(tmp_path, "remote", "list", "--collector", "http://127.0.0.1:9")
    assert away.startswith("http://127.0.0.1:9 can't be reached now: nothing listens there")
    plain = refused(tmp_path, "remote", "list", "--collector", "http://stats.example.org")
    assert plain.startswith("plain HTTP to stats.example.org")
    guess = {"Authorization": "Bearer sdr_guess_0000000000000000"}
    for _ in range(5):
        httpx.get(f"{desk.address}/session", headers=guess, trust_env=False)
    (desk.folder / "admin.token").write_text("sdr_guess_0000000000000000")
    slowed = desk.refuse("health")
    assert "the collector answered 429: 5 wrong tokens" in slowed
    assert "it may be asked again in " in slowed


def test_there_is_no_option_for_a_token_as_text() -> None:
    """Others on the machine can read arguments."""

    def options(command: Any) -> set[str]:
        below = getattr(command, "commands", {}).values()
        own = {name for one in command.params for name in one.opts}
        return own.union(*(options(one) for one in below))

    named = options(cli.commands["remote"])
    assert {"--token-file", "--collector", "--profile"} <= named
    assert "--token" not in named


# Invitations.


def test_invitations_are_links_for_the_survey_page_that_work_once(desk: Desk) -> None:
    desk.collector.hold(DAYS)
    links = desk.do("invitations", "mood", "--count", 2).out.split()
    start = f"{desk.address}/s/{DAYS.key}#invitation="
    assert all(link.startswith(start) for link in links)
    report = DAYS.randomize(["yes"], Seeded(1)).tobytes().hex()

    def answer(number: int) -> int:
        return httpx.post(
            f"{desk.address}/collections/{DAYS.key}/reports?window=0",
            headers={"Sudare-Invitation": links[0].removeprefix(start)},
            json={"id": f"{number:032x}", "report": report},
            trust_env=False,
        ).status_code

    assert [answer(1), answer(2)] == [202, 409]


def test_invitations_are_written_for_their_maker_alone(desk: Desk) -> None:
    desk.collector.hold(DAYS)
    files = ("-o", "people.csv", "--png", "codes", "--public-address", "https://stats.example.org")
    said = desk.do("invitations", "mood", "--count", 12, *files).out
    assert "#invitation=" not in said
    with (desk.folder / "people.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len({row["link"] for row in rows}) == 12
    assert all(row["link"].startswith("https://stats.example.org/s/") for row in rows)
    modes = [stat.S_IMODE((desk.folder / name).stat().st_mode) for name in ("people.csv", "codes")]
    assert modes == [0o600, 0o700]
    pictures = sorted(path.name for path in (desk.folder / "codes").iterdir())
    assert pictures == [f"{number:02}.png" for number in range(1, 13)]
    drawn = desk.do("invitations", "mood", "--qr").out
    assert drawn.count("█") > 100
    assert "\x1b" not in drawn
    page = ("--page", "https://survey.example.org/", "--json")
    (link,) = desk.do("invitations", "mood", *page).json()["links"]
    assert link.startswith(f"https://survey.example.org/#key={DAYS.key}&invitation=")


# Reports and results.


def write_reports(desk: Desk, name: str, collection: Any, answers: Any, seed: int = 1) -> None:
    reports = collection.randomize(answers, Seeded(seed))
    with report_file(desk.folder / name, collection.report_dtype, collection.key) as sink:
        sink.write(reports)


@pytest.mark.parametrize("role", [Role.RELAY, Role.ANALYST, None])
def test_uploaded_again_each_report_counts_once(desk: Desk, role: Role | None) -> None:
    desk.collector.hold(TEA)
    write_reports(desk, "one.arrow", TEA, ["green"] * 150)
    write_reports(desk, "two.parquet", TEA, ["green"] * 150)  # the same reports, of other people
    first = desk.do("upload", TEA.key, "one.arrow", "two.parquet", role=role)
    assert first.out == "300 of 300 reports are new and count from now on\n"
    again = desk.do("upload", TEA.key, "two.parquet", "one.arrow", "--json", role=role).json()
    assert (again["new"], again["repeated"], again["refused"]) == (0, 300, 0)
    assert sum(one.n for one in desk.collector.store.windows(TEA.key)) == 300


def test_a_window_is_said_where_there_are_several(desk: Desk) -> None:
    asked = replace(DAYS, invited=False)
    desk.collector.hold(asked)
    desk.collector.hold(DAYS)
    write_reports(desk, "day.arrow", asked, ["yes"] * 20)
    assert "“mood” has windows: say --window" in desk.refuse(
        "upload", asked.key, "day.arrow", role=Role.RELAY
    )
    assert "takes single reports" in desk.refuse("upload", DAYS.key, "day.arrow", role=Role.RELAY)
    desk.do("upload", asked.key, "day.arrow", "--window", 0, role=Role.RELAY)
    assert [one.n for one in desk.collector.store.windows(asked.key)] == [20]
    sentence = desk.refuse("upload", asked.key, "day.arrow", "--window", 1, role=Role.RELAY)
    assert "day.arrow was uploaded before for window 0" in sentence


def test_a_file_that_is_cut_is_not_sent_at_all(desk: Desk) -> None:
    desk.collector.hold(TEA)
    write_reports(desk, "one.arrow", TEA, ["green"] * 150)
    whole = (desk.folder / "one.arrow").read_bytes()
    (desk.folder / "one.arrow").write_bytes(whole[:-200])
    assert "is damaged after 150 reports" in desk.refuse("upload", "tea", "one.arrow")
    assert list(desk.collector.store.windows(TEA.key)) == []


def test_a_paused_collection_is_waited_for_and_then_said(desk: Desk) -> None:
    desk.collector.hold(TEA)
    write_reports(desk, "one.arrow", TEA, ["green"] * 15)
    desk.do("pause", "tea")
    done = run(
        desk.folder, *desk._arguments(("upload", "tea", "one.arrow", "--patience", 0), Role.ADMIN)
    )
    assert done.code == 2
    assert "takes no reports now" in done.err or "is paused" in done.err
    assert "uploading the same files again goes on where this ended" in done.err
    desk.do("resume", "tea")
    assert desk.do("upload", "tea", "one.arrow", "--json").json()["new"] == 15


def test_results_are_those_of_estimate(desk: Desk) -> None:
    desk.collector.hold(TEA)
    desk.collector.answer(TEA, {"green": 600, "black": 300})
    desk.do("download", "tea", "-o", "total.json", role=Role.ANALYST)
    desk.do("download", "tea", "--document", "-o", "tea.json", role=Role.ANALYST)
    assert (desk.folder / "tea.json").read_bytes() == TEA.to_json()
    more = ("--level", 0.9, "--consistent", "norm-sub")
    for form in ((), ("--csv",)):
        own = succeed(desk.folder, "estimate", "tea.json", "total.json", *more, *form).out
        assert desk.do("results", "tea", *more, *form, role=Role.ANALYST).out == own
        desk.do("results", "tea", *more, *form, "-o", f"kept{len(form)}", role=Role.ANALYST)
        assert (desk.folder / f"kept{len(form)}").read_text("utf-8") == own
    own = succeed(desk.folder, "estimate", "tea.json", "total.json", *more, "--json").json()
    told = desk.do("results", "tea", *more, "--json", role=Role.ANALYST).json()
    assert told == {"window": 0, **own}


def test_results_over_time_name_the_rounds_that_are_withheld(desk: Desk) -> None:
    least = ONLINE.minimum_reports
    desk.collector.hold(ONLINE, public=True)
    reports = np.zeros(2 * least, ONLINE.report_dtype)
    reports["round"] = [1] * least + [2] * (least - 1) + [4]
    desk.collector.count(ONLINE, reports)
    desk.collector.store.close(ONLINE.key, 0)
    shown = desk.do("results", "online", role=None).out
    assert shown.count("withheld") >= 2


def test_results_over_time_of_all_windows_are_a_table_each(desk: Desk) -> None:
    least = ONLINE.minimum_reports
    desk.collector.hold(ONLINE, public=True)
    for window in (0, 2):
        reports = np.zeros(2 * least, ONLINE.report_dtype)
        reports["round"] = [1 + window] * least + [2 + window] * least
        desk.collector.count(ONLINE, reports, window)
        desk.collector.store.close(ONLINE.key, window)
    single = [desk.do("results", "online", "--window", number, role=None).out for number in (0, 2)]
    shown = desk.do("results", "online", "--window", "all", role=None).out
    starts = [f"2030-03-17 17:{minute}:40 UTC" for minute in (46, 48)]
    first, second = (f"window {n}, from {at}\n" for n, at in zip((0, 2), starts, strict=True))
    assert shown == first + single[0] + second + single[1]
    desk.do("results", "online", "--window", "all", "-o", "kept.txt", role=None)
    assert (desk.folder / "kept.txt").read_text("utf-8") == shown


def test_free_text_is_decoded_against_the_candidates_kept(desk: Desk) -> None:
    desk.collector.hold(WORDS)
    desk.collector.answer(WORDS, {"news": 4000, "mail": 2000})
    assert "no candidates" in desk.refuse("results", "words", "--json")
    (desk.folder / "texts").write_text("news\nmail\nmaps\n")
    assert "has 3 candidates" in desk.do("candidates", "words", "texts", role=Role.ANALYST).out
    told = desk.do("results", "words", "--json", role=Role.ANALYST).json()
    assert [row["candidate"] for row in told["found"]] == ["news", "mail"]
    desk.do("download", "words", "-o", "total.json")
    desk.do("download", "words", "--document", "-o", "words.json")
    decode = ("decode", "words.json", "total.json", "--candidates", "texts")
    assert desk.do("results", "words").out == succeed(desk.folder, *decode).out


# Tokens.


def test_tokens_are_made_listed_and_revoked(desk: Desk) -> None:
    desk.collector.clock.now = time.time()
    made = desk.do("token", "new", "--role", "analyst", "--label", "Ada", "-o", "ada.token")
    path = desk.folder / "ada.token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    token = path.read_text().strip()
    assert token not in made.out
    listed = desk.do("token", "list").out
    name = token.split("_")[1]
    assert f"{name}  analyst  until " in listed
    assert token.split("_", 2)[2] not in listed
    session = ("remote", "health", "--collector", desk.address, "--token-file", path, "--json")
    assert succeed(desk.folder, *session).json()["session"]["label"] == "Ada"
    taken = desk.refuse("token", "new", "--role", "relay", "-o", "ada.token")
    assert "ada.token is there already" in taken
    assert len(desk.collector.store.tokens()) == len(Role) + 1
    desk.do("token", "revoke", name)
    assert name not in desk.do("token", "list").out
    own = desk.collector.tokens[Role.ADMIN].split("_")[1]
    assert "this is the last token of the role admin" in desk.refuse("token", "revoke", own)
    printed = desk.do("token", "new", "--role", "relay", "--days", 1, "--json").json()
    assert printed["token"].startswith(f"sdr_{printed['name']}_")


def test_windows_of_time_are_kept_through_the_wire(desk: Desk) -> None:
    asked = replace(TEA, windows=Windows(int(NOON), 60))
    (desk.folder / "timed.json").write_bytes(asked.to_json())
    desk.do("add", "timed.json")
    desk.do("download", asked.key, "--document", "-o", "back.json")
    assert (desk.folder / "back.json").read_bytes() == asked.to_json()
