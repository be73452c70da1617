"""The dashboard, and what both pages have in common, in a real browser before a real collector."""

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
from playwright.sync_api import Browser, BrowserContext, expect

from sudare import (
    GRR,
    OUE,
    Collection,
    Glance,
    HadamardResponse,
    JointQuestions,
    KShot,
    LocalHashing,
    Loloha,
    Mechanism,
    Part,
    ProjectiveGeometry,
    SampledQuestions,
    SetResponse,
    SplitQuestions,
    SquareWave,
    SubsetSelection,
    Window,
)
from sudare.collection.windows import Windows
from sudare.collector.stores.contract import Role
from sudare.questions import text
from sudare.questions.text import decode
from support.analysts import at_port
from support.browsing import (
    COLOURS,
    HOBBIES,
    ROUND_SECONDS,
    ROUNDS,
    TEA,
    WORDS,
    Stage,
    online,
    violations,
    visit,
)
from support.chance import assert_follows, rejects
from support.node import install, npm
from support.strangers import commands

pytestmark = pytest.mark.xdist_group("web")  # one browser, one collector
# Rounds of two hours: while the tests run, it is the first.
HALF_DAY = Windows(int(time.time()) - 5, 12 * 3600)
ONLINE = Collection("on", "Online?", ("no", "yes"), Glance.calibrate(6, 2.0), 20, HALF_DAY)
FAIR = Collection("fair", "Is it fair?", ("yes", "no"), GRR(2, 0.75), 100)
FEW = replace(TEA, name="few")
UNREAD = replace(WORDS, name="nobody has read it")
STRANGE = Collection(
    *("na\u202eme אב 1", "Which\u202e, 2?", ("gr\u202een אב", "\x1b[2K\u2067black"), GRR(2, 0.75)),
    100,
)
HELD = (STRANGE, TEA, COLOURS, WORDS, ONLINE, FEW, UNREAD)
TRUTH = {"green": 0.42, "black": 0.3, "oolong": 0.23, "hojicha": 0.05}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    minute = online(int(time.time()) - 30 * ROUND_SECONDS)
    rounds: dict[str, float] = {}
    truths = {TEA.key: lambda: TRUTH, minute.key: lambda: rounds}
    with Stage(tmp_path_factory.mktemp("store"), truths=truths) as made:
        for collection in HELD:
            made.hold(collection, public=True)
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


def counted(stage: Stage, collection: Collection) -> int:
    """How many reports have counted."""
    return sum(window.n for window in stage.store.windows(collection.key))


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
    expect(page.locator(".result")).to_contain_text("Time zone: UTC.")
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
        assert violations(page, serious=True) == []
        assert page.evaluate(SMALL) == []
        assert made.complaints == []
        other = "light" if theme == "dark" else "dark"
        page.locator("select").nth(1).select_option(other)
        expect(page.locator("body")).to_have_css("background-color", PAPER[other])
        page.locator("select").nth(1).select_option("auto")
    context.close()


REPORTS = 2000
HASHED = replace(TEA, name="hashed", mechanism=LocalHashing(4, 0.5, 3, 2))
SOLVED = replace(TEA, name="solved", mechanism=ProjectiveGeometry(4, 0.625, 2, 2))
SIGNED = replace(TEA, name="signed", mechanism=HadamardResponse(4, 0.75))
LASTING = replace(TEA, name="lasting", mechanism=Loloha(4, 3, 2, 0.75, 0.625))
OFTEN = replace(ONLINE, name="often", mechanism=KShot(3, 2, 0, 0.625), windows=None)
PARTS = (
    Part("tea", "Which tea?", ("green", "black")),
    Part("town", "Where?", ("Tokyo", "Kyoto")),
)
UNEVEN = Collection("six", "How many?", ("0", "6"), Window(6, 2, 0.75, (-3, -2, 0, 2, 3)), 10)
FEW_HOBBIES = replace(HOBBIES, mechanism=SetResponse(4, 2, 2, 0.8125))
SIZES = Collection(
    "sizes", "Which size?", ("XS", "S", "M", "L", "XL"), SubsetSelection(5, 2, 0.8125), 100
)
AGES = Collection("ages", "How old are you?", ("18", "99"), SquareWave.calibrate(81, 1.0))


STUDIES = [
    Collection(mechanism.name, "A study", (), mechanism, 100, parts=PARTS)
    for mechanism in (
        SampledQuestions((GRR(2, 0.75), OUE(2, 0.5, 0.25))),
        SplitQuestions((GRR(2, 0.875), OUE(2, 0.5, 0.25))),
        JointQuestions((2, 2), GRR(4, 0.625)),
    )
]


def test_reports_made_in_a_browser_follow_the_exact_law(
    browser: Browser, url: str, tmp_path: Path
) -> None:
    """Fails on a right device with probability 1.6e-8 at most."""
    install()
    npm("exec", "--", "vite", "build", "-c", "vite.device.config.ts", "--outDir", str(tmp_path))
    module = (tmp_path / "device.js").read_text("utf-8")
    context = browser.new_context()
    context.route(
        "**/device.js", lambda route: route.fulfill(body=module, content_type="text/javascript")
    )
    page = visit(context, f"{url}/").page
    wrong: dict[str, Mechanism] = {
        TEA.name: GRR.calibrate(4, 1.9),
        COLOURS.name: OUE(3, 0.5, 0.25),
        FEW_HOBBIES.name: SetResponse(4, 2, 2, 0.96875),
        SIZES.name: SubsetSelection(5, 2, 0.9375),
        HASHED.name: LocalHashing(4, 0.9375, 3, 2),
        SOLVED.name: ProjectiveGeometry(4, 0.875, 2, 2),
        SIGNED.name: HadamardResponse(4, 0.9375),
        LASTING.name: Loloha(4, 3, 2, 0.9375, 0.9375),
        OFTEN.name: KShot(3, 2, 0, 0.875),
        AGES.name: SquareWave(81, 16, 6, 0.875),
        "sample": SampledQuestions((GRR(2, 0.875), OUE(2, 0.5, 0.25))),
        "split": SplitQuestions((GRR(2, 0.75), OUE(2, 0.5, 0.25))),
        "joint": JointQuestions((2, 2), GRR(4, 0.5)),
        UNEVEN.name: Window(6, 2, 0.5, (-3, -2, 0, 2, 3)),
    }
    asked: list[tuple[Collection, Any, Any]] = [
        (TEA, "green", TEA.answers.index("green")),
        (COLOURS, "green", COLOURS.answers.index("green")),
        (FEW_HOBBIES, ["reading", "chess"], (1, 0, 0, 1)),
        (FEW_HOBBIES, [], (0, 0, 0, 0)),
        (SIZES, "S", 1),
        (HASHED, "black", TEA.answers.index("black")),
        (SOLVED, "black", TEA.answers.index("black")),
        (SIGNED, "black", TEA.answers.index("black")),
        (LASTING, "black", TEA.answers.index("black")),
        (OFTEN, ["no", "yes", "yes"], (0, 1, 1)),
        (AGES, "45.4", 27),
        (AGES, "120", 81),
        *((study, ["green", "Kyoto"], (0, 1)) for study in STUDIES),
        (UNEVEN, "3.2", 3),
        (UNEVEN, "1e9", 6),
    ]
    for collection, answer, value in asked:
        made = page.evaluate(
            """async ({ text, answer, count, states }) => {
              const { Collection, Device, KeySecret } = await import("/device.js");
              const collection = Collection.read(new TextEncoder().encode(text));
              const made = [];
              for (let i = 0; i < count; i++) {
                const secret = new KeySecret(await KeySecret.fresh()); // what is kept is its own
                const device = new Device(secret);
                if (!states) {
                  const { record } = await device.report(collection, answer);
                  made.push(Array.from(record));
                  continue;
                }
                const told = [];
                for (const [round, state] of answer.entries()) {
                  const report = await device.observe(collection, round + 1, state);
                  told.push(...(report?.record ?? []));
                }
                made.push(told);
              }
              return made;
            }""",
            {
                "text": collection.to_json().decode(),
                "answer": answer,
                "count": REPORTS,
                "states": collection is OFTEN,
            },
        )
        counts = Counter[Hashable](bytes(record) for record in made)
        law = collection.mechanism.channel([value]).laws[value]
        assert_follows(counts, law, REPORTS)
        assert rejects(counts, wrong[collection.name].channel([value]).laws[value], REPORTS)
    context.close()
