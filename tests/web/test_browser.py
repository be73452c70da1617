"""The pages in a real browser, before a real collector."""

import re
import threading
import time
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from sudare import GRR, OUE, Collection, Device, Glance, Mechanism
from sudare.collection.windows import Windows
from sudare.collector.stores.contract import Role
from sudare.questions import text
from sudare.questions.text import decode
from support.analysts import at_port
from support.browsing import (
    COLOURS,
    HARMONY,
    INVITED,
    ROUND_SECONDS,
    ROUNDS,
    TEA,
    WORDS,
    Stage,
    Visit,
    online,
    visit,
)
from support.chance import assert_follows, rejects
from support.node import WEB, install, npm
from support.strangers import commands

pytestmark = pytest.mark.xdist_group("web")  # one browser, one collector
# Rounds of two hours: while the tests run, it is the first.
HALF_DAY = Windows(int(time.time()) - 5, 12 * 3600)
ONLINE = Collection("on", "Online?", ("no", "yes"), Glance.calibrate(6, 2.0), 20, HALF_DAY)
# It is the second day; the first still takes reports.
DAY = 24 * 3600
DAILY = replace(COLOURS, name="daily", windows=Windows(int(time.time()) - 3 * DAY // 2, DAY))
KEPT = [
    replace(TEA, name="tea, in English", keeps_reports=True),
    replace(TEA, name="お茶", keeps_reports=True),
]
FAIR = Collection("fair", "Is it fair?", ("yes", "no"), GRR(2, 0.75), 100)
FEW = replace(TEA, name="few")
UNREAD = replace(WORDS, name="nobody has read it")
STRANGE = Collection(
    *("na\u202eme אב 1", "Which\u202e, 2?", ("gr\u202een אב", "\x1b[2K\u2067black"), GRR(2, 0.75)),
    100,
)
HELD = (STRANGE, TEA, COLOURS, WORDS, ONLINE, INVITED, HARMONY, FEW, UNREAD, *KEPT)
TRUTH = {"green": 0.42, "black": 0.3, "oolong": 0.23, "hojicha": 0.05}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    minute = online(int(time.time()) - 30 * ROUND_SECONDS)
    rounds: dict[str, float] = {}
    truths = {TEA.key: lambda: TRUTH, minute.key: lambda: rounds}
    with Stage(tmp_path_factory.mktemp("store"), truths=truths) as made:
        for collection in HELD:
            made.hold(collection, public=True)
        made.hold(DAILY, public=True, grace=DAY)
        made.hold(FAIR)
        made.answer(TEA, {tea: round(3000 * share) for tea, share in TRUTH.items()})
        made.answer(FEW, {"green": 37})
        made.answer(STRANGE, {STRANGE.answers[0]: 700, STRANGE.answers[1]: 300})
        made.answer(FAIR, {"yes": 700, "no": 300})
        made.answer(WORDS, {"news.example": 1500, "mail.example": 800})
        made.store.keep_candidates(WORDS.key, ["news.example", "mail.example", "none.example"])
        made.answer(UNREAD, {"news.example": 1500})
        made.hold(minute, public=True)
        rounds.update(made.stream(minute, 6000, 28))
        yield made


@pytest.fixture(scope="module")
def url(stage: Stage) -> Iterator[str]:
    with at_port(stage) as address:
        yield address


def survey(context: BrowserContext, url: str, collection: Collection, then: str = "") -> Visit:
    return visit(context, f"{url}/s/{collection.key}{then}")


def shown(page: Page, what: str) -> str:
    """A part of what the page says it has sent, without the spaces between groups."""
    return page.locator(f"[data-sent={what}]").inner_text().replace(" ", "")


def counted(stage: Stage, collection: Collection) -> int:
    """How many reports have counted."""
    return sum(window.n for window in stage.store.windows(collection.key))


ARRIVED = {"en-GB": "Arrived, and counted.", "ja-JP": "届いて、数えられました。"}


@pytest.mark.parametrize(
    ("language", "collection"),
    [("en-GB", KEPT[0]), ("ja-JP", KEPT[1])],
    ids=["English", "Japanese"],
)
def test_an_answer_by_keyboard_is_what_the_collector_gets(
    browser: Browser, stage: Stage, url: str, language: str, collection: Collection
) -> None:
    context = browser.new_context(locale=language)
    made = survey(context, url, collection)
    page = made.page
    expect(page.locator("html")).to_have_attribute("lang", language[:2])
    expect(page.get_by_role("radio")).to_have_count(4)
    for _ in range(3):  # past language and theme, into the group
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="black")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_have_text(ARRIVED[language])
    expect(page.locator(".sent h2").first).to_be_focused()

    [posted] = made.posted
    assert posted.post_data == page.locator("[data-sent=body]").inner_text()
    assert f"POST{posted.url}" == shown(page, "to")
    body = msgspec.json.decode(posted.post_data or "")
    assert body == {"id": shown(page, "id"), "report": shown(page, "record")}
    assert "cookie" not in posted.all_headers()
    [reports] = stage.store.reports(collection.key)
    assert reports.tobytes().hex() == body["report"]
    # The same name again, as a device would that lost the answer: it has counted.
    again = httpx.post(
        posted.url, content=posted.post_data, headers={"Content-Type": "application/json"}
    )
    assert again.json() == {"new": 0, "repeated": 1, "refused": 0}

    page.reload()  # nothing can be answered twice
    expect(page.locator(".sent")).to_be_visible()
    expect(page.get_by_role("radio")).to_have_count(0)
    assert shown(page, "id") == body["id"]
    assert made.complaints == []
    context.close()


def test_free_text_stays_on_the_device(context: BrowserContext, url: str) -> None:
    made = survey(context, url, WORDS)
    page = made.page
    page.get_by_role("textbox").first.fill("zanzibar.example")
    page.get_by_role("button", name="Scramble and send").click()
    expect(page.get_by_role("status").first).to_have_text("Arrived, and counted.")
    expect(page.locator(".sent")).to_contain_text("zanzibar.example (yours)")
    [sent] = made.posted
    assert "zanzibar" not in f"{sent.url}{sent.post_data}{sent.headers}"
    kept = page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    assert "zanzibar" not in kept
    assert made.complaints == []


def test_a_report_waits_for_the_network_and_stays_the_same(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    made = survey(context, url, COLOURS)
    page, before = made.page, counted(stage, COLOURS)
    expect(page.get_by_role("radio")).to_have_count(3)
    context.set_offline(True)
    page.get_by_role("radio", name="red").check()
    page.get_by_role("button", name="Scramble and send").click()
    expect(page.get_by_role("status").first).to_contain_text("You are offline")
    name, record = shown(page, "id"), shown(page, "record")
    context.set_offline(False)
    expect(page.get_by_role("status").first).to_have_text("Arrived, and counted.")
    assert (shown(page, "id"), shown(page, "record")) == (name, record)
    page.evaluate(  # as a page of before left it, closed before the collector's answer came
        """key => { const name = `sudare sent ${key}`, [sent] = JSON.parse(localStorage[name]);
                    const before = { ...sent, number: null, settled: false };
                    localStorage[name] = JSON.stringify(before); }""",
        COLOURS.key,
    )
    page.reload()
    expect(page.get_by_role("status").first).to_have_text("It had arrived before, and counts once.")
    assert shown(page, "id") == name
    assert counted(stage, COLOURS) == before + 1


def test_a_paused_survey_is_waited_for(context: BrowserContext, stage: Stage, url: str) -> None:
    made, before = survey(context, url, COLOURS), counted(stage, COLOURS)
    page = made.page
    page.get_by_role("radio", name="red").check()
    bearer = {"Authorization": f"Bearer {stage.tokens[Role.ADMIN]}"}
    httpx.post(f"{url}/collections/{COLOURS.key}/pause", headers=bearer).raise_for_status()
    page.get_by_role("button", name="Scramble and send").click()
    said = page.get_by_role("status").first
    expect(said).to_contain_text("can’t take it now (the survey is paused)")
    name = shown(page, "id")
    page.reload()  # what was paid for isn't forgotten
    expect(said).to_contain_text("can’t take it now (the survey is paused)")
    httpx.post(f"{url}/collections/{COLOURS.key}/open", headers=bearer).raise_for_status()
    expect(said).to_have_text("Arrived, and counted.")
    assert shown(page, "id") == name
    assert counted(stage, COLOURS) == before + 1


def test_reports_of_several_windows_are_waited_for(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    context.clock.set_fixed_time(time.time() - DAY)  # the first window, by the browser
    made = survey(context, url, DAILY)
    page, said = made.page, made.page.get_by_role("status")
    bearer = {"Authorization": f"Bearer {stage.tokens[Role.ADMIN]}"}
    expect(page.get_by_role("radio")).to_have_count(3)
    httpx.post(f"{url}/collections/{DAILY.key}/pause", headers=bearer).raise_for_status()
    names = []
    for window, answer in enumerate(("red", "blue")):
        page.get_by_role("radio", name=answer).check()
        page.get_by_role("button", name="Scramble and send").click()
        expect(page.locator("[data-sent=to]")).to_contain_text(f"window={window}")
        expect(said.first).to_contain_text("can’t take it now (the survey is paused)")
        names.append(shown(page, "id"))
        context.clock.set_fixed_time(time.time())
    page.reload()  # both were paid for: neither is forgotten
    expect(said.first).to_contain_text("can’t take it now (the survey is paused)")
    httpx.post(f"{url}/collections/{DAILY.key}/open", headers=bearer).raise_for_status()
    expect(said.first).to_have_text("Arrived, and counted.")
    expect(said.nth(1)).to_have_text("An earlier report: Arrived, and counted.")
    assert shown(page, "id") == names[1] != names[0]
    assert [window.n for window in stage.store.windows(DAILY.key)] == [1, 1]
    sent = len(made.posted)
    page.reload()
    expect(page.locator(".sent")).to_be_visible()
    assert shown(page, "id") == names[1]
    assert len(made.posted) == sent  # settled: nothing is sent again


def test_the_cap_is_kept(context: BrowserContext, url: str) -> None:
    made = survey(context, url, TEA)
    page = made.page
    page.get_by_label("Your cap for life").fill("1")
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_text("Your cap is now ε = 1.")).to_be_visible()
    page.get_by_role("radio", name="green").check()
    page.get_by_role("button", name="Scramble and send").click()
    said = "this would cost ε = 1.5; 0 of your 1 is spent, 1 is left"
    expect(page.get_by_role("status").first).to_contain_text(said)
    assert made.posted == []


def test_another_document_or_mechanism_is_refused(context: BrowserContext, url: str) -> None:
    page = survey(context, url, HARMONY).page
    expect(page.get_by_role("alert")).to_contain_text(
        "uses \u2068harmony\u2069, which works on devices but not"
    )

    def swapped(route: Route) -> None:
        route.fulfill(body=COLOURS.to_json(), content_type="application/json")

    context.route(f"**/collections/{TEA.key}", swapped)
    page = survey(context, url, TEA).page
    expect(page.get_by_role("alert")).to_contain_text("sent another question than the one")
    expect(page.get_by_role("radio")).to_have_count(0)


def secrets_for(collection: Collection) -> dict[bool, bytes]:
    """A secret whose round is the first of window 0, and one whose isn't."""
    found: dict[bool, bytes] = {}
    for number in range(1000):
        secret = number.to_bytes(32)
        speaks = int(Device(secret).plan(collection, 0).rounds[0, 0]) == 1
        found.setdefault(speaks, secret)
    return found


@pytest.mark.parametrize("speaks", [True, False])
def test_a_device_speaks_in_its_own_round_only(
    context: BrowserContext, url: str, *, speaks: bool
) -> None:
    secret = secrets_for(ONLINE)[speaks]
    context.add_init_script(f'localStorage["sudare secret"] = "{secret.hex()}"')
    made = survey(context, url, ONLINE)
    page = made.page
    expect(page.get_by_text("Round 1 of 6")).to_be_visible()
    page.get_by_role("radio", name="yes").check()
    page.get_by_role("button", name="Answer this round").click()
    if speaks:
        expect(page.get_by_role("status").first).to_have_text("Arrived, and counted.")
        assert shown(page, "id") == Device(secret).report_id(ONLINE, 1).hex()
    else:
        expect(page.get_by_role("status").first).to_contain_text("Nothing was sent")
        assert made.posted == []
    expect(page.get_by_role("radio")).to_have_count(0)
    expect(page.get_by_text("You have answered this round.")).to_be_visible()
    assert made.complaints == []


def test_an_invitation_is_used_once_and_never_in_an_address(
    context: BrowserContext, browser: Browser, stage: Stage, url: str
) -> None:
    page = survey(context, url, INVITED).page
    expect(page.get_by_text("This survey is for invited people")).to_be_visible()
    path = f"{url}/collections/{INVITED.key}/invitations"
    bearer = {"Authorization": f"Bearer {stage.tokens[Role.ADMIN]}"}
    [token] = httpx.post(path, headers=bearer).json()["invitations"]
    outcomes = []
    for _ in range(2):
        fresh = browser.new_context(locale="en-GB")
        made = survey(fresh, url, INVITED, f"#invitation={token}")
        page = made.page
        expect(page.get_by_text("can link your report to you")).to_be_visible()
        page.get_by_role("radio", name="yes").check()
        page.get_by_role("button", name="Scramble and send").click()
        expect(page.get_by_role("status").first).to_have_text(re.compile("Arrived|refused"))
        outcomes.append(page.get_by_role("status").first.inner_text())
        [posted] = made.posted
        assert posted.headers["sudare-invitation"] == token
        assert token not in posted.url
        fresh.close()
    assert outcomes[0] == "Arrived, and counted."
    assert outcomes[1].startswith("The collector refused it")


def test_a_report_waits_for_its_invitation(context: BrowserContext, stage: Stage, url: str) -> None:
    path = f"{url}/collections/{INVITED.key}/invitations"
    bearer = {"Authorization": f"Bearer {stage.tokens[Role.ADMIN]}"}
    [token] = httpx.post(path, headers=bearer).json()["invitations"]
    page = survey(context, url, INVITED, f"#invitation={token}").page
    page.get_by_role("radio", name="yes").check()
    context.set_offline(True)
    page.get_by_role("button", name="Scramble and send").click()
    expect(page.get_by_role("status").first).to_contain_text("You are offline")
    page.close()
    context.set_offline(False)
    made = survey(context, url, INVITED)  # without the link: it would be refused for good
    expect(made.page.get_by_text("This survey is for invited people")).to_be_visible()
    expect(made.page.locator(".sent")).to_be_visible()
    assert made.posted == []
    page = survey(context, url, INVITED, f"#invitation={token}").page
    expect(page.get_by_role("status").first).to_have_text("Arrived, and counted.")


def test_a_refusal_is_said_in_the_language_of_the_page(browser: Browser, url: str) -> None:
    context = browser.new_context(locale="ja-JP")
    page = survey(context, url, INVITED, "#invitation=nobodys").page
    page.get_by_role("radio", name="yes").check()
    page.locator("button.main").click()
    said = page.get_by_role("status").first
    expect(said).to_have_text("収集者が受け取りませんでした：招待状が無効か、すでに使われています")
    page.locator("select").first.select_option("en")
    expect(said).to_have_text(
        "The collector refused it: the invitation is unknown, or was used already"
    )
    context.close()


def test_numbers_change_without_loading_again(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    made = visit(context, f"{url}/#{FEW.key}")
    page = made.page
    page.evaluate("window.stayed = true")
    expect(page.get_by_text("37 of 100 reports")).to_be_visible()
    seen = []
    for people in (163, 400):
        reports = FEW.randomize(["oolong"] * people)
        stage.count(FEW, reports)
        total = counted(stage, FEW)
        expect(page.locator(".count")).to_have_text(f"{total:,}")
        expect(page.locator(".result")).to_contain_text(f"From {total:,} reports")
        seen.append(page.locator(".bars").inner_text())
        estimate = httpx.get(f"{url}/collections/{FEW.key}/estimate").json()
        for row in estimate["answers"]:
            value = f"{100 * row['share']:.1f}".replace("-", "−")
            assert f"{value}\u00a0%" in seen[-1].replace("−0.0", "0.0")
    assert seen[0] != seen[1]
    assert page.evaluate("window.stayed") is True
    assert made.complaints == []


def test_a_lost_connection_is_said_and_made_again(context: BrowserContext, url: str) -> None:
    context.route("**/live?*", lambda route: route.abort())
    page = visit(context, f"{url}/#{TEA.key}").page
    expect(page.locator(".connection")).to_contain_text("Connection lost")
    context.unroute("**/live?*")
    expect(page.locator(".connection")).to_have_text("Live")
    expect(page.locator(".bars")).to_be_visible()
    page.get_by_role("checkbox").check()
    expect(page.locator("circle.truth")).to_have_count(4)


def test_a_share_over_time_has_gaps_and_its_truth(browser: Browser, url: str) -> None:
    context = browser.new_context(locale="en-GB", timezone_id="UTC")
    made = visit(context, f"{url}/")
    page = made.page
    page.get_by_role("link", name="online").click()
    line = page.locator(".share-line")
    expect(line).to_have_attribute("d", re.compile("^M[0-9]"))
    assert str(line.get_attribute("d")).count("L") < ROUNDS - 1  # the open rounds aren't drawn
    key = page.url.partition("#")[2]
    start = httpx.get(f"{url}/collections/{key}").json()["windows"]["start"]

    def times(round_: int) -> str:
        ends = (start + ROUND_SECONDS * number for number in (round_ - 1, round_))
        return ".*".join(time.strftime("%H:%M:%S", time.gmtime(end)) for end in ends)

    page.locator("summary").click()
    expect(page.locator("tbody tr").first).to_contain_text("%")
    expect(page.locator("tbody th").first).to_have_text(re.compile(f"20.., {times(1)}$"))
    # Only rounds that have been, of which the last has no reports.
    over = (time.time() - start) // ROUND_SECONDS
    assert min(over, ROUNDS) - 3 <= page.locator("tbody tr").count() <= min(over + 3, ROUNDS)
    expect(page.locator("tbody tr").last).to_contain_text("none")
    page.get_by_role("checkbox").check()
    expect(page.locator(".truth-line")).to_have_attribute("d", re.compile("^M[0-9]"))
    page.locator("summary").click()  # closed again: live numbers must not move the chart away
    chart = page.get_by_role("slider")
    chart.hover(position={"x": 50, "y": 100})
    expect(page.locator(".readout")).to_contain_text(re.compile(f"{times(1)}: "))
    axes = page.locator(".series svg text").all_text_contents()
    assert "Share in %" in axes
    assert any(re.fullmatch(r"\d\d:\d\d:\d\d", text) for text in axes)
    expect(page.locator(".result")).to_contain_text("Times are by the clock of UTC.")
    page.mouse.move(0, 0)
    chart.focus()
    for key, round_ in (("Home", 1), ("ArrowRight", 2)):
        page.keyboard.press(key)
        expect(chart).to_have_attribute("aria-valuenow", str(round_))
        expect(page.locator(".readout")).to_contain_text(re.compile(f"{times(round_)}: "))
    page.keyboard.press("End")
    expect(chart).to_have_attribute("aria-valuetext", re.compile(": none$"))
    page.keyboard.press("Home")
    expect(chart).to_have_attribute(
        "aria-valuetext", re.compile(rf"{times(1)}: .*\s%, between .* and .*\s%$")
    )
    assert made.complaints == []
    context.close()


def rounds_of(count: int) -> list[dict[str, float]]:
    """An estimate's rows, some of them with intervals below 0; one stands out."""
    shares = [0.9 if number == 1234 else 0.05 for number in range(1, count + 1)]
    ends = {"stderr": 0.05, "withheld": False, "reports": 60}
    return [
        {"round": number, "share": share, "low": share - 0.1, "high": share + 0.1}
        | {"band_low": share - 0.2, "band_high": share + 0.2}
        | ends
        for number, share in enumerate(shares, 1)
    ]


def test_thousands_of_rounds_are_drawn_and_can_be_looked_at_closely(
    browser: Browser, url: str
) -> None:
    context = browser.new_context(locale="en-GB", viewport={"width": 360, "height": 740})
    estimate: dict[str, object] = {
        "window": 0,
        "n": 120_000,
        "level": 0.95,
        "state": "yes",
        "rounds": 2000,
        "reports_each": 1,
    }
    estimate |= {"minimum_reports": 20, "estimates": rounds_of(2000)}
    event = f"event: estimate\ndata: {msgspec.json.encode(estimate).decode()}\n\n"
    context.route(
        "**/live?*", lambda route: route.fulfill(body=event, content_type="text/event-stream")
    )
    # Rounds by their numbers, as of a collection whose document this page can't have.
    context.route(f"**/collections/{ONLINE.key}", lambda route: route.abort())
    page = visit(context, f"{url}/#{ONLINE.key}").page
    line = page.locator(".share-line")
    expect(line).to_have_attribute("d", re.compile("^M[0-9]"))
    assert str(line.get_attribute("d")).count("L") <= 360  # not more than there are pixels
    ticks = page.locator(".series svg text.side").all_text_contents()
    assert any(tick.startswith("−") for tick in ticks)
    chart = page.get_by_role("slider")
    expect(page.get_by_role("button", name="Zoom out")).to_be_disabled()
    page.get_by_role("button", name="Zoom in").click()
    expect(page.get_by_role("button", name="Zoom out")).to_be_enabled()
    chart.focus()
    page.keyboard.press("End")
    expect(page.locator(".series svg text", has_text="2,000")).to_be_visible()
    for _ in range(9):
        page.keyboard.press("+")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".readout")).to_contain_text("Round 1,999: 5")
    assert str(line.get_attribute("d")).count("L") == 10  # eleven rounds
    for _ in range(9):
        page.keyboard.press("-")
    expect(page.get_by_role("button", name="Zoom out")).to_be_disabled()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


def test_a_kind_that_the_page_does_not_know_is_said(context: BrowserContext, url: str) -> None:
    """Such as the stars of docs/how-to/add-a-question.md, from a collector that knows them."""
    estimate = {"window": 0, "n": 900, "level": 0.95, "estimates": [{"mean": 3.1, "stderr": 0.2}]}
    event = f"event: estimate\ndata: {msgspec.json.encode(estimate).decode()}\n\n"
    context.route(
        "**/live?*", lambda route: route.fulfill(body=event, content_type="text/event-stream")
    )
    made = visit(context, f"{url}/#{TEA.key}")
    said = made.page.locator(".result .notice")
    expect(said).to_have_text(
        "This page doesn’t know this kind of question and can’t draw its results."
    )
    made.page.locator("select").first.select_option("ja")
    expect(said).to_have_text(
        "このページはこの種類の質問に対応していないため、結果を表示できません。"
    )
    expect(made.page.locator(".bars")).to_have_count(0)
    expect(made.page.get_by_role("button", name="CSV")).to_be_enabled()
    assert made.complaints == []


def test_texts_that_were_found_are_ranked(context: BrowserContext, url: str) -> None:
    page = visit(context, f"{url}/#{WORDS.key}").page
    found = page.locator("tbody th")
    expect(found.first).to_have_text("news.example", timeout=90_000)  # decoding is compiled first
    expect(found).to_have_text(["news.example", "mail.example"])


def test_what_free_text_waits_for_is_said(
    context: BrowserContext, stage: Stage, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def slowly(*arguments: Any) -> Any:
        go_on.wait(60)
        return decode(*arguments)

    monkeypatch.setattr(text, "decode", slowly)
    page = visit(context, f"{url}/#{UNREAD.key}").page
    nothing = page.locator(".nothing")
    expect(nothing).to_contain_text("no candidates to decode them against yet")
    httpx.put(
        f"{url}/collections/{UNREAD.key}/candidates",
        content="news.example\nnone.example",
        headers={"Authorization": f"Bearer {stage.tokens[Role.ANALYST]}"},
    ).raise_for_status()
    expect(nothing).to_contain_text("They are being decoded")
    page.locator("select").first.select_option("ja")
    expect(nothing).to_contain_text("解読しています")
    go_on.set()
    expect(page.locator("tbody th")).to_have_text(["news.example"], timeout=90_000)


def test_what_is_not_public_needs_a_token(context: BrowserContext, stage: Stage, url: str) -> None:
    page = visit(context, f"{url}/#{FAIR.key}").page
    expect(page.get_by_text("These results aren’t public")).to_be_visible()
    expect(page.get_by_role("button", name="CSV")).to_have_count(0)
    page.get_by_label("Token").fill("sdr_nobody_nothing")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("is not valid here")
    page.get_by_label("Token").fill(stage.tokens[Role.ANALYST])
    page.locator("main").get_by_role("button", name="Sign in").click()
    expect(page.locator(".result")).to_contain_text("From 1,000 reports")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    path = f"{url}/collections/{FAIR.key}/estimate?format=csv"
    bearer = {"Authorization": f"Bearer {stage.tokens[Role.ANALYST]}"}
    assert Path(download.value.path()).read_bytes() == httpx.get(path, headers=bearer).content
    kept = page.evaluate("[JSON.stringify(localStorage), JSON.stringify(sessionStorage)]")
    assert stage.tokens[Role.ANALYST] not in kept[0]
    assert stage.tokens[Role.ANALYST] in kept[1]


# What stands around isolated text, where it isn't to the right of what it follows on its line.
DISORDER = """(element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found = [];
  let [inside, top, left] = [false, -Infinity, -Infinity];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    for (let at = 0; at < data.length; at++) {
      if (data[at] === "\u2068") inside = true;
      else if (data[at] === "\u2069") inside = false;
      else if (!inside && !parentElement.closest("bdi") && data[at].trim()) {
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + 1);
        const place = range.getBoundingClientRect();
        if (place.top <= top + 5 && place.left < left) found.push(data.slice(at, at + 20));
        [top, left] = [place.top, place.left];
      }
    }
  }
  return found;
}"""


def test_a_strangers_text_turns_nothing_around_it(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    assert counted(stage, STRANGE) == 1000
    for address in (f"/s/{STRANGE.key}", f"/#{STRANGE.key}"):
        page = visit(context, url + address).page
        name, question = page.locator(".kicker bdi"), page.locator("h1 bdi")
        expect(name).to_have_text("na<U+202E>me אב 1")
        expect(question).to_have_text("Which<U+202E>, 2?")
        for its in (name, question):
            expect(its).to_have_css("unicode-bidi", "isolate")
        labels = page.locator("label.choice bdi, .bar-label bdi")
        expect(labels.first).to_have_text("gr<U+202E>en אב")
        expect(labels.nth(1)).to_have_text("<U+001B>[2K<U+2067>black")
        odds = page.locator(".odds, .label dd").filter(has_text="gr<U+202E>en").first
        expect(odds).to_contain_text("“\u2068gr<U+202E>en אב\u2069”, about 75 report")
        assert odds.evaluate(DISORDER) == []
        assert commands(page.locator("body").inner_text()) <= {"U+2068", "U+2069"}
        assert commands(page.title()) == set()
        sentence = odds.element_handle()
        sentence.evaluate("(it) => { it.textContent = 'a \u202e“b”, about 75 report'; }")
        assert sentence.evaluate(DISORDER) != []  # it would be found


SERIOUS = """async () => {
  const { violations } = await axe.run();
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}"""
SMALL = """() => [...document.querySelectorAll("button, select, a, label:has(input), summary")]
  .filter((each) => each.getClientRects().length && each.getBoundingClientRect().height < 43.5)
  .map((each) => each.outerHTML)"""

PAPER = {"light": "rgb(251, 249, 243)", "dark": "rgb(23, 22, 18)"}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_both_pages_fit_and_can_be_used_by_everybody(
    browser: Browser, url: str, theme: Any, width: int
) -> None:
    install()
    context = browser.new_context(
        locale="ja-JP" if theme == "dark" else "en-GB",
        color_scheme=theme,
        viewport={"width": width, "height": 740},
        bypass_csp=True,  # for the examiner, not for the pages: other tests hold the policy
    )
    context.set_default_timeout(20_000)
    for address in (f"/#{TEA.key}", f"/s/{TEA.key}", "/"):
        made = visit(context, url + address)
        page = made.page
        if address.startswith("/s/"):
            page.get_by_role("radio").first.check()
            page.locator("button.main").click()
            expect(page.locator(".sent")).to_be_visible()
        else:
            if address == "/":
                page.get_by_role("link", name=re.compile("^online ")).click()
            page.locator("summary").click()
        expect(page.locator(".bars, .series svg").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        expect(page.locator("body")).to_have_css("background-color", PAPER[theme])
        page.add_script_tag(path=WEB / "node_modules/axe-core/axe.min.js")
        assert page.evaluate(SERIOUS) == []
        assert page.evaluate(SMALL) == []
        assert made.complaints == []
        other = "light" if theme == "dark" else "dark"
        page.locator("select").nth(1).select_option(other)
        expect(page.locator("body")).to_have_css("background-color", PAPER[other])
        page.locator("select").nth(1).select_option("auto")
    context.close()


REPORTS = 2000


def test_reports_made_in_a_browser_follow_the_exact_law(
    browser: Browser, url: str, tmp_path: Path
) -> None:
    """Fails on a right device with probability 4e-9 at most."""
    install()
    npm("exec", "--", "vite", "build", "-c", "vite.device.config.ts", "--outDir", str(tmp_path))
    module = (tmp_path / "device.js").read_text("utf-8")
    context = browser.new_context()
    context.route(
        "**/device.js", lambda route: route.fulfill(body=module, content_type="text/javascript")
    )
    page = visit(context, f"{url}/").page
    wrong: dict[str, Mechanism] = {TEA.name: GRR.calibrate(4, 1.9), COLOURS.name: OUE(3, 0.5, 0.25)}
    for collection in (TEA, COLOURS):
        made = page.evaluate(
            """async ({ text, answer, count }) => {
              const { Collection, Device, KeySecret } = await import("/device.js");
              const collection = Collection.read(new TextEncoder().encode(text));
              const secret = new KeySecret(await KeySecret.fresh());
              const made = [];
              for (let i = 0; i < count; i++) {
                const { record } = await new Device(secret).report(collection, answer);
                made.push(Array.from(record));
              }
              return made;
            }""",
            {"text": collection.to_json().decode(), "answer": "green", "count": REPORTS},
        )
        counts = Counter[Hashable](bytes(record) for record in made)
        value = collection.answers.index("green")
        law = collection.mechanism.channel([value]).laws[value]
        assert_follows(counts, law, REPORTS)
        assert rejects(counts, wrong[collection.name].channel([value]).laws[value], REPORTS)
    context.close()
