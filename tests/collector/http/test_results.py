"""Results over HTTP: the command line's numbers, of released sums alone, to those who may."""

import asyncio
import io
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import msgspec
import numpy as np
import pyarrow.parquet as pq
import pytest

from sudare import Collection, Glance, Seeded
from sudare.collection.windows import Windows
from sudare.collector.http.openapi import RESULTS
from sudare.collector.http.releases import SERIES
from sudare.collector.http.standing import SHOWN_WINDOWS
from sudare.collector.stores.contract import HeldWindows, Role
from sudare.collector.stores.open import open_store
from sudare.mechanisms.aggregate import Aggregate
from sudare.questions.choice import Choice
from sudare.questions.interface import ResultOptions
from support.analysts import DAYS, NOON, ONLINE, TEA, WORDS, Collector, code
from support.commands import succeed

PEOPLE = {"green": 500, "black": 300, "oolong": 200}


@pytest.fixture(params=["memory", "sqlite"])
def collector(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Collector]:
    sqlite = request.param == "sqlite"
    with Collector(open_store(str(tmp_path / "store.db")) if sqlite else None) as made:
        yield made


def _estimate(collection: Collection, query: str = "") -> str:
    return f"/collections/{collection.key}/estimate{query}"


def _aggregate(collection: Collection, query: str = "") -> str:
    return f"/collections/{collection.key}/aggregate{query}"


def shaped(response: httpx.Response, name: str) -> Any:
    """The result as the OpenAPI document has it, under its name there; another is refused."""
    (shape,) = (one for one in RESULTS if one.__name__ == name)
    return msgspec.json.decode(response.content, type=shape)


QUERIES = {
    "": (),
    "?level=0.9": ("--level", "0.9"),
    "?simultaneous=true": ("--simultaneous",),
    "?population=true&consistent=norm-sub": ("--population", "--consistent", "norm-sub"),
    "?consistent=likelihood&window=0": ("--consistent", "likelihood"),
}


@pytest.mark.parametrize("query", QUERIES)
def test_the_numbers_are_those_of_the_command_line(
    collector: Collector, tmp_path: Path, query: str
) -> None:
    collector.hold(TEA, public=True)
    collector.answer(TEA, PEOPLE)
    (tmp_path / "tea.json").write_bytes(TEA.to_json())
    (tmp_path / "total.json").write_bytes(collector.get(_aggregate(TEA)).content)
    command = ("estimate", "tea.json", "total.json", *QUERIES[query])
    shown = collector.get(_estimate(TEA, query))
    assert shown.headers["content-type"] == "application/json"
    document = shown.json()
    assert document.pop("window") == 0
    assert document == succeed(tmp_path, *command, "--json").json()
    joined = f"{query}&" if query else "?"
    table = collector.get(_estimate(TEA, f"{joined}format=csv"))
    assert table.text == succeed(tmp_path, *command, "--csv").out
    assert table.headers["content-type"].startswith("text/csv")
    columns = pq.read_table(
        io.BytesIO(collector.get(_estimate(TEA, f"{joined}format=parquet")).content)
    )
    assert columns.to_pylist() == document["answers"]
    shaped(shown, "AnswersDocument")


def test_the_form_may_be_asked_for_in_the_head(collector: Collector) -> None:
    collector.hold(TEA, public=True)
    collector.answer(TEA, PEOPLE)
    for accept, kind in [
        ("text/csv", "text/csv"),
        ("text/html, application/vnd.apache.parquet;q=0.9", "application/vnd.apache.parquet"),
        ("*/*", "application/json"),
        ("application/json, text/csv", "application/json"),
    ]:
        response = collector.get(_estimate(TEA), headers={"Accept": accept})
        assert response.headers["content-type"].startswith(kind)
        assert response.headers["vary"] == "Accept"


def test_results_are_for_analysts_until_they_are_public(collector: Collector) -> None:
    collector.hold(TEA)
    collector.answer(TEA, PEOPLE)
    for path in (_estimate(TEA), _aggregate(TEA)):
        assert code(collector.get(path), 401) == "no_token"
        assert code(collector.get(path, Role.RELAY), 403) == "wrong_role"
        assert collector.get(path, Role.ANALYST).status_code == 200
    release = f"/collections/{TEA.key}/release"
    assert collector.ask("PUT", release, Role.ANALYST).json()["public"] is True
    assert collector.get(_estimate(TEA)).status_code == 200
    assert collector.ask("DELETE", release, Role.ANALYST).json()["public"] is False
    assert code(collector.get(_estimate(TEA)), 401) == "no_token"


def test_what_is_shown_moves_in_steps(collector: Collector) -> None:
    collector.hold(TEA, public=True)
    collector.answer(TEA, {"green": 99})
    refused = collector.get(_estimate(TEA))
    assert code(refused, 409) == "too_few_reports"
    assert "there are 99 reports" in refused.json()["error"]["message"]
    shown = []
    for _ in range(101):
        collector.answer(TEA, {"green": 1})
        shown.append(collector.get(_estimate(TEA)).json()["n"])
    assert shown == [*[100] * 100, 200]
    assert Aggregate.from_json(collector.get(_aggregate(TEA)).content).n == 200


def test_a_history_is_what_each_window_shows_by_itself(collector: Collector) -> None:
    collector.hold(DAYS)
    path = f"/collections/{DAYS.key}/history"
    assert code(collector.get(path), 401) == "no_token"
    assert collector.get(path, Role.ANALYST).json() == {"windows": []}
    collector.store.change(DAYS.key, public=True)
    collector.service.refresh()
    for window, people in {0: 40, 1: 25, 3: 9, 4: 12}.items():
        collector.answer(DAYS, {"yes": people, "no": 10 if window == 1 else 0}, window)
    alone = {at: collector.get(_estimate(DAYS, f"?window={at}")).json() for at in (0, 1, 4)}
    shown = collector.get(path)
    assert shown.json() == {"windows": list(alone.values())}  # window 3 has too few
    assert shown.headers["cache-control"] == "no-store"
    last = collector.get(f"{path}?last=2").json()["windows"]
    assert last == [alone[1], alone[4]]
    # A report more changes nothing until there are as many as the minimum, here as there.
    collector.answer(DAYS, {"yes": 9}, 4)
    assert collector.get(path).json()["windows"][-1] == alone[4]
    collector.answer(DAYS, {"yes": 1}, 4)
    assert collector.get(path).json()["windows"][-1]["n"] == 22
    wide = collector.get(f"{path}?level=0.999").json()["windows"][0]["answers"][0]
    near = alone[0]["answers"][0]
    assert wide["low"] < near["low"] < near["share"] == wide["share"] < near["high"] < wide["high"]
    for wrong in ("last=0", "last=31", "level=1", "window=1"):
        assert code(collector.get(f"{path}?{wrong}"), 400) == "invalid_parameter"


def test_free_text_has_no_history(collector: Collector) -> None:
    collector.hold(WORDS, public=True)
    assert code(collector.get(f"/collections/{WORDS.key}/history"), 409) == "no_history"


def test_files_are_named_after_the_study_and_its_window(collector: Collector) -> None:
    collector.hold(DAYS, public=True)
    collector.answer(DAYS, {"yes": 40}, 1)

    def named(path: str) -> str:
        return collector.get(path).headers["content-disposition"].split('"')[1]

    assert named(_estimate(DAYS, "?format=csv")) == "mood-2030-03-17T184640Z.csv"
    assert named(_estimate(DAYS, "?format=parquet&window=all")) == "mood-all-2030-03-17.parquet"
    assert named(_aggregate(DAYS, "?window=1")) == "mood-2030-03-17T184640Z-sum.json"
    assert named(_aggregate(DAYS, "?window=all")) == "mood-all-2030-03-17-sum.json"
    assert "content-disposition" not in collector.get(_estimate(DAYS)).headers


def test_windows_one_by_one_the_latest_and_all(collector: Collector) -> None:
    collector.hold(DAYS, public=True)
    counted = {0: 40, 1: 25, 3: 9}
    for window, people in counted.items():
        collector.answer(DAYS, {"yes": people}, window)
    sums = {
        window: Aggregate.from_json(collector.get(_aggregate(DAYS, f"?window={window}")).content)
        for window in (0, 1)
    }
    assert {window: found.n for window, found in sums.items()} == {0: 40, 1: 25}
    latest = collector.get(_estimate(DAYS)).json()  # window 3 has too few
    assert (latest["window"], latest["n"]) == (1, 25)
    both = Aggregate.from_json(collector.get(_aggregate(DAYS, "?window=all")).content)
    assert both == sums[0] + sums[1]
    assert collector.get(_estimate(DAYS, "?window=all")).json()["window"] == "all"
    for window in (2, 3):
        refused = collector.get(_estimate(DAYS, f"?window={window}"))
        assert code(refused, 409) == "too_few_reports"
    # What is closed is added up once; what comes later is added to it.
    collector.store.close(DAYS.key, 1)
    assert collector.get(_estimate(DAYS, "?window=all")).json()["n"] == 65
    collector.answer(DAYS, {"no": 11}, 3)
    assert collector.get(_estimate(DAYS, "?window=all")).json()["n"] == 85
    collector.store.close(DAYS.key, 3)
    assert collector.get(_estimate(DAYS, "?window=all")).json()["n"] == 85
    # The same collection, held anew, starts from nothing.
    collector.store.remove(DAYS.key)
    collector.hold(DAYS, public=True)
    collector.answer(DAYS, {"no": 12}, 4)
    assert collector.get(_estimate(DAYS, "?window=all")).json()["n"] == 12


def test_a_closed_sum_is_not_that_of_a_collection_removed_elsewhere(collector: Collector) -> None:
    """By another process: this one hears of nothing, and every number of reports is the same."""
    collector.hold(DAYS, public=True)

    def shown() -> Aggregate:
        return Aggregate.from_json(collector.get(_aggregate(DAYS, "?window=all")).content)

    sums = []
    for people in ({"yes": 30}, {"no": 30}):
        collector.answer(DAYS, people, 1)
        collector.store.close(DAYS.key, 1)
        released = collector.store.release(DAYS.key, 1)
        assert released is not None
        sums.append(released.aggregate)
        assert shown() == sums[-1]
        collector.store.remove(DAYS.key)
        collector.hold(DAYS, public=True)
    assert sums[0] != sums[1]


def test_what_is_asked_of_the_store_does_not_grow_with_its_windows(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector.hold(DAYS, public=True)
    for window in range(SHOWN_WINDOWS + 20):
        collector.answer(DAYS, {"yes": 10}, window)
    collector.store.close(DAYS.key, SHOWN_WINDOWS + 16)
    plain, listed = collector.store.windows, list[int]()

    def counting(key: str, **which: int) -> HeldWindows:
        found = plain(key, **which)
        listed.append(len(found))
        return found

    monkeypatch.setattr(collector.store, "windows", counting)
    everything = collector.get(_aggregate(DAYS, "?window=all")).content  # once
    assert Aggregate.from_json(everything).n == 10 * (SHOWN_WINDOWS + 20)
    listed.clear()
    assert collector.get(_aggregate(DAYS, "?window=all")).content == everything
    assert listed == [3]
    assert collector.get(_estimate(DAYS)).json()["n"] == 10
    assert code(collector.get(_estimate(DAYS, "?window=999")), 409) == "too_few_reports"
    collector.get("/collections")
    collector.get(f"/collections/{DAYS.key}/standing")
    assert max(listed) == SHOWN_WINDOWS


def test_rounds_are_shown_when_they_are_closed(collector: Collector, tmp_path: Path) -> None:
    collector.hold(ONLINE, public=True)
    people = np.tile([[0, 1, 1, 0, 0, 1]], (600, 1))
    collector.count(ONLINE, ONLINE.randomize(people, Seeded(3)))
    assert code(collector.get(_estimate(ONLINE)), 409) == "too_few_reports"
    collector.store.close(ONLINE.key, 0, 2)
    response = collector.get(_estimate(ONLINE))
    document = shaped(response, "RoundsDocument")
    assert [row.share is not None for row in document.estimates] == [True] * 2 + [False] * 4
    (tmp_path / "online.json").write_bytes(ONLINE.to_json())
    (tmp_path / "total.json").write_bytes(collector.get(_aggregate(ONLINE)).content)
    printed = succeed(tmp_path, "estimate", "online.json", "total.json", "--json").json()
    assert response.json() == {"window": 0, **printed}
    first = response.json()["estimates"][:2]
    collector.store.close(ONLINE.key, 0)
    assert collector.get(_estimate(ONLINE)).json()["estimates"][:2] == first
    for option in ("simultaneous=true", "population=true", "consistent=clip"):
        assert code(collector.get(_estimate(ONLINE, f"?{option}")), 400) == "invalid_parameter"
    assert code(collector.get(_aggregate(ONLINE, "?window=all")), 400) == "invalid_parameter"


def test_a_round_of_too_few_is_withheld_and_one_of_nobody_is_empty(collector: Collector) -> None:
    """As on the command line, but without the number, which nobody was told."""
    least = ONLINE.minimum_reports
    collector.hold(ONLINE, public=True)
    reports = np.zeros(2 * least, ONLINE.report_dtype)
    reports["round"] = [1] * least + [2] * (least - 1) + [4]
    collector.count(ONLINE, reports)

    def shown(form: str = "json") -> httpx.Response:
        return collector.get(_estimate(ONLINE, f"?window=0&format={form}"))

    collector.store.close(ONLINE.key, 0, 1)
    before = shown()
    assert not any(row["withheld"] for row in before.json()["estimates"])
    for closed, withheld in ((3, {2}), (None, {2, 4})):
        collector.store.close(ONLINE.key, 0, closed)
        rows = shaped(shown(), "RoundsDocument").estimates
        assert {row.round for row in rows if row.withheld} == withheld
        assert [row.reports for row in rows] == [
            least if row.round == 1 else None if row.round in withheld else 0 for row in rows
        ]
        assert [row.share is None for row in rows] == [False] + [True] * 5
    assert (
        pq.read_table(io.BytesIO(shown("parquet").content)).to_pylist()
        == (shown().json()["estimates"])
    )
    lines = shown("csv").text.splitlines()
    assert [line.endswith(",True") for line in lines[1:]] == [False, True, False, True] + [
        False
    ] * 2
    released = Aggregate.from_json(collector.get(_aggregate(ONLINE)).content)
    assert released.counts.sum(axis=1).tolist() == [least, 0, 0, 0, 0, 0]


def test_rounds_of_many_windows_stand_in_a_row(collector: Collector) -> None:
    collector.hold(ONLINE, public=True)
    for window in range(12):
        states = np.full((300, 6), window % 2)
        collector.count(ONLINE, ONLINE.randomize(states, Seeded(window)), window)
        collector.store.close(ONLINE.key, window)
    response = collector.get(_estimate(ONLINE, "?window=all"))
    document = shaped(response, "RoundsDocument")
    assert document.windows == list(range(12 - SERIES, 12))
    assert [row.round for row in document.estimates] == list(range(6 * 2 + 1, 6 * 12 + 1))
    assert document.n == sum(row.reports or 0 for row in document.estimates)
    alone = collector.get(_estimate(ONLINE, "?window=7")).json()["estimates"]
    part = [row for row in response.json()["estimates"] if row["window"] == 7]
    assert [row["share"] for row in part] == [row["share"] for row in alone]
    table = collector.get(_estimate(ONLINE, "?window=all&format=csv")).text.splitlines()
    assert table[0].startswith("window,round,reports,share")
    assert len(table) == 1 + 6 * SERIES
    columns = pq.read_table(
        io.BytesIO(collector.get(_estimate(ONLINE, "?window=all&format=parquet")).content)
    )
    assert columns.to_pylist() == response.json()["estimates"]


def test_free_text_is_decoded_against_what_an_analyst_kept(
    collector: Collector, tmp_path: Path
) -> None:
    collector.hold(WORDS, public=True)
    collector.answer(WORDS, {"tea": 1500, "coffee": 900, "milk": 100})
    refused = collector.get(_estimate(WORDS))
    assert code(refused, 409) == "no_candidates"
    assert f"/collections/{WORDS.key}/candidates" in refused.json()["error"]["message"]
    for option in ("simultaneous=true", "population=true", "consistent=clip"):
        # Candidates would not help: what is wrong is said first.
        wrong = collector.get(_estimate(WORDS, f"?{option}"))
        assert code(wrong, 400) == "invalid_parameter"
    kept = f"/collections/{WORDS.key}/candidates"
    texts = "tea\ncoffee\n" + "".join(f"word {number}\n" for number in range(50))
    assert collector.ask("PUT", kept, Role.ANALYST, content=texts).json() == {"candidates": 52}
    response = collector.get(_estimate(WORDS))
    document = shaped(response, "TextsDocument")
    assert {row.candidate for row in document.found} >= {"tea", "coffee"}
    (tmp_path / "words.json").write_bytes(WORDS.to_json())
    (tmp_path / "total.json").write_bytes(collector.get(_aggregate(WORDS)).content)
    (tmp_path / "texts").write_text(texts)
    command = ("decode", "words.json", "total.json", "--candidates", "texts", "--level", 0.9)
    printed = succeed(tmp_path, *command, "--json").json()
    assert collector.get(_estimate(WORDS, "?level=0.9")).json() == {"window": 0, **printed}
    table = collector.get(_estimate(WORDS, "?level=0.9&format=csv")).text
    assert table == succeed(tmp_path, *command, "--csv").out
    # Other candidates, other result: nothing of the first is remembered.
    collector.ask("PUT", kept, Role.ANALYST, content="milk\ncoffee\n")
    found = collector.get(_estimate(WORDS)).json()["found"]
    assert "tea" not in {row["candidate"] for row in found}
    assert code(collector.get(_estimate(WORDS, "?simultaneous=true")), 400) == "invalid_parameter"


def test_a_result_is_computed_once(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    from sudare.collector.http import results

    calls, result = [], Choice.result

    def counting(*arguments: Any) -> object:
        calls.append(1)
        return result(*arguments)

    monkeypatch.setattr(Choice, "result", counting)
    collector.hold(TEA, public=True)
    collector.answer(TEA, PEOPLE)
    first = collector.get(_estimate(TEA)).content
    assert collector.get(_estimate(TEA)).content == first
    assert len(calls) == 1
    collector.get(_estimate(TEA, "?level=0.5"))
    assert len(calls) == 2
    collector.answer(TEA, PEOPLE)
    assert collector.get(_estimate(TEA)).content != first
    assert len(calls) == 3
    # No more is remembered than there is room for.
    monkeypatch.setattr(results, "_CACHED", 1)
    for level in ("0.6", "0.7", "0.6"):
        collector.get(_estimate(TEA, f"?level={level}"))
    assert len(calls) == 6


class Gated:
    """Results whose computation waits until it is let go, and how many have begun."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[float] = []
        self.begun, self.gate = threading.Event(), threading.Event()
        result = Choice.result

        def slow(question: Choice, counts: Any, options: ResultOptions) -> object:
            self.calls.append(options.level)
            self.begun.set()
            assert self.gate.wait(60)
            return result(question, counts, options)

        monkeypatch.setattr(Choice, "result", slow)


def client_of(collector: Collector, address: str = "192.0.2.1") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(collector.app, client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url="http://collector", timeout=60)


def test_many_who_ask_at_once_wait_for_one_computation(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Gated(monkeypatch)
    collector.hold(TEA, public=True)
    collector.answer(TEA, PEOPLE)

    async def scene() -> None:
        async with client_of(collector) as sender:
            asking = [asyncio.create_task(sender.get(_estimate(TEA))) for _ in range(5)]
            await asyncio.to_thread(slow.begun.wait, 60)
            slow.gate.set()
            assert {found.status_code for found in await asyncio.gather(*asking)} == {200}
            assert len(slow.calls) == 1

    collector.runner.run(scene())


def test_who_invents_options_waits_for_others(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty from one address: most are sent away, and others are served."""
    slow = Gated(monkeypatch)
    collector.hold(TEA, public=True)
    collector.answer(TEA, PEOPLE)

    def asked(sender: httpx.AsyncClient, level: float, role: Role | None = None) -> Any:
        bearer = {"authorization": f"Bearer {collector.tokens[role]}"} if role else {}
        path = _estimate(TEA, f"?level={level}")
        return asyncio.create_task(sender.get(path, headers=bearer))

    async def scene() -> None:
        async with client_of(collector) as greedy, client_of(collector, "192.0.2.2") as other:
            flood = [asked(greedy, 0.5 + number / 1000) for number in range(40)]
            sent_away = [await each for each in islice(asyncio.as_completed(flood), 36)]
            assert {code(each, 429) for each in sent_away} == {"busy"}
            assert {each.headers["retry-after"] for each in sent_away} == {"2"}
            late = [
                *(asked(other, 0.9), asked(greedy, 0.91, Role.ANALYST)),
                asked(other, 0.92),
            ]
            slow.gate.set()
            assert {(await each).status_code for each in late} == {200}
            answers = [each for each in await asyncio.gather(*flood) if each.status_code == 200]
            assert len(answers) == 4

    collector.runner.run(scene())
    assert len(slow.calls) == 7


@pytest.mark.parametrize(
    "query",
    [
        "?window=-1",
        "?window=1.5",
        "?window=last",
        "?window=",
        "?window=1000000000000000",
        "?level=1",
        "?level=0",
        "?level=nan",
        "?level=1e3",
        "?level=0,9",
        "?simultaneous=yes",
        "?consistent=much",
        "?format=xml",
        "?levels=0.9",
        "?level=0.9&level=0.8",
    ],
)
def test_a_question_that_cannot_be_read_is_refused(collector: Collector, query: str) -> None:
    collector.hold(TEA, public=True)
    collector.answer(TEA, PEOPLE)
    assert code(collector.get(_estimate(TEA, query)), 400) == "invalid_parameter"


def test_the_document_is_given_byte_for_byte(collector: Collector) -> None:
    key = collector.hold(TEA)
    response = collector.get(f"/collections/{key}")
    assert response.content == TEA.to_json()
    assert Collection.from_json(response.content).key == key
    other = "0" * 64
    for path in ("", "/standing", "/estimate", "/aggregate", "/live"):
        assert code(collector.get(f"/collections/{other}{path}"), 404) == "unknown_collection"


def test_a_standing_says_what_there_is_and_what_answering_means(collector: Collector) -> None:
    stream = replace(ONLINE, keeps_reports=True)
    for collection in (TEA, DAYS, stream, WORDS):
        collector.hold(collection, grace=7)
    collector.answer(TEA, PEOPLE)
    collector.clock.now = NOON + 75
    listed = collector.get("/collections", Role.ANALYST).json()["collections"]
    assert [one["name"] for one in listed] == ["tea", "mood", "online", "words"]
    tea, mood, online, words = listed
    assert tea == collector.get(f"/collections/{TEA.key}/standing", Role.ANALYST).json()
    assert (tea["reports"], tea["windows"][0]["released"]) == (1000, 0)
    assert (tea["state"], tea["public"], tea["grace"]) == ("open", False, 7)
    assert tea["privacy"]["odds"] == TEA.mechanism.odds
    assert "times likelier under one answer" in tea["privacy"]["promise"]
    assert "no report" in tea["privacy"]["kept"]
    assert tea["privacy"]["minimum_reports"] == TEA.minimum_reports
    assert tea["privacy"]["invitations"] is None
    assert "link" in mood["privacy"]["invitations"]
    assert (online["over_time"], online["rounds"], online["window"]) == (True, 6, 1)
    assert online["round"] == 2
    assert "stream of states" in online["privacy"]["promise"]
    assert "every report" in online["privacy"]["kept"]
    assert words["free_text"]
    assert len(tea["per_minute"]) == 60


def test_a_standing_shows_the_last_windows_and_counts_all(collector: Collector) -> None:
    quick = replace(ONLINE, mechanism=Glance.calibrate(1, 2.0), windows=Windows(int(NOON), 1))
    collector.hold(quick, public=True)
    for window in range(SHOWN_WINDOWS + 5):
        collector.count(quick, quick.randomize(np.ones((2, 1), int), Seeded(window)), window)
    standing = collector.get(f"/collections/{quick.key}/standing").json()
    assert standing["reports"] == 2 * (SHOWN_WINDOWS + 5)
    assert [one["window"] for one in standing["windows"]] == list(range(5, SHOWN_WINDOWS + 5))


def test_the_truth_is_known_in_a_demonstration_only() -> None:
    with Collector() as plain:
        plain.hold(TEA)
        assert code(plain.get(f"/collections/{TEA.key}/truth"), 404) == "not_found"
    with Collector(truths={TEA.key: lambda: {"green": 0.5}}) as demo:
        demo.hold(TEA, public=True)
        demo.hold(DAYS, public=True)
        assert demo.get(f"/collections/{TEA.key}/truth").json() == {"truth": {"green": 0.5}}
        assert code(demo.get(f"/collections/{DAYS.key}/truth"), 404) == "unknown_truth"
