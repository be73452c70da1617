"""The dashboard as an analyst uses it, in a real browser before a real collector."""

import io
import re
import struct
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import httpx
import numpy as np
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Browser, BrowserContext, Download, Locator, Page, expect

from sudare import OUE, Collection, Seeded, SquareWave
from sudare.collection.windows import Windows
from sudare.collector.stores.contract import Role
from support.analysts import at_port
from support.browsing import (
    AGE,
    HOBBIES,
    ROUND_SECONDS,
    ROUNDS,
    STUDY,
    TEA,
    WORDS,
    Stage,
    online,
    violations,
    visit,
)
from support.node import install

pytestmark = pytest.mark.xdist_group("web")  # one browser, one collector
DAY = 86_400
TODAY = int(time.time()) // DAY * DAY
WEEK = Windows(TODAY - 6 * DAY, DAY)
TEAS = replace(TEA, windows=WEEK)
SHARES = {"green": -0.02, "black": 0.0, "oolong": 0.02, "hojicha": 0.0}  # more each day
LANDS = tuple(
    f"{first}{second}land" for first in "ABCDEFGHIJKLMNOPQRSTU" for second in "aeiouklmnrs"
)
COUNTRIES = Collection("country", "Where?", LANDS[:217], OUE.calibrate(217, 2.0), 100)
INCOME = Collection(
    *("income", "In a year, in yen?", ("0", "20000000")),
    SquareWave.calibrate(20_000, 2.0),
    100,
)
FEW = Collection("rare", "Ever?", ("never", "once", "often"), OUE.calibrate(3, 6.0), 10)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with Stage(tmp_path_factory.mktemp("store")) as made:
        made.hold(TEAS, grace=10 * DAY)
        for collection in (COUNTRIES, FEW, HOBBIES, AGE, INCOME, STUDY, WORDS):
            made.hold(collection, public=True)
        first = {"green": 0.42, "black": 0.3, "oolong": 0.2, "hojicha": 0.08}
        for day in range(7):  # on the fifth hardly anybody answered
            asked = 40 if day == 4 else 4000
            people = {tea: round(asked * (first[tea] + day * SHARES[tea])) for tea in first}
            made.answer(TEAS, people, window=day, seed=day + 1)
        shares = 1 / np.arange(1, 218) ** 1.1
        counts = (20_000 * shares / shares.sum()).astype(int) + 1
        made.answer(COUNTRIES, dict(zip(COUNTRIES.answers[::-1], counts.tolist(), strict=True)))
        made.answer(STUDY, {("green", "Tokyo", "yes"): 2000, ("black", "Kyoto", "no"): 1000})
        made.answer(HOBBIES, {"reading;chess": 2000, "cooking": 1000, ";": 1000})
        made.answer(AGE, {"30": 2000, "50": 1000, "70": 1000})
        made.answer(INCOME, {"3000000": 2000, "4000000": 1000, "9000000": 1000})
        made.answer(FEW, {"never": 40, "once": 2, "often": 1})
        made.answer(WORDS, {"news.example": 1500, "mail.example": 800})
        made.store.keep_candidates(WORDS.key, ["news.example", "mail.example", "none.example"])
        made.store.change(TEAS.key, public=True)
        made.service.refresh()
        yield made


@pytest.fixture(scope="module")
def url(stage: Stage) -> Iterator[str]:
    with at_port(stage) as address:
        yield address


@pytest.fixture
def analyst(browser: Browser) -> Iterator[BrowserContext]:
    """Somebody whose clock is that of the windows."""
    made = browser.new_context(
        locale="en-GB",
        timezone_id="UTC",
        viewport={"width": 1200, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
    )
    made.set_default_timeout(20_000)
    yield made
    made.close()


def date(day: int) -> str:
    """A day as the page says it in British English."""
    found = datetime.fromtimestamp(WEEK.opens(day), UTC)
    month = "Sept" if found.month == 9 else found.strftime("%b")
    return f"{found.day} {month} {found.year}"


def labels(page: Page) -> list[str]:
    return page.locator(".result .bar:not(.axis) .bar-label").all_text_contents()


def is_seen(part: Locator) -> bool:
    return bool(part.evaluate("(it) => it.getClientRects().length > 0"))


def in_screen(page: Page, part: Locator) -> bool:
    box = part.bounding_box()
    size = page.viewport_size
    return box is not None and size is not None and box["y"] + box["height"] <= size["height"]


def test_of_several_answers_the_mean_stands_among_the_first(
    analyst: BrowserContext, url: str
) -> None:
    made = visit(analyst, f"{url}/#{HOBBIES.key}")
    page = made.page
    expect(page.locator(".lead .figure")).to_have_count(5)
    estimate = httpx.get(f"{url}/collections/{HOBBIES.key}/estimate").json()
    assert estimate["most"] == 2
    values = page.locator(".lead .figure").all_text_contents()
    assert float(values[3]) == pytest.approx(estimate["selected"]["mean"], abs=0.01)
    expect(page.locator(".lead")).to_contain_text("answers that people select, in the mean")
    expect(page.locator(".result")).to_contain_text("so the shares don’t sum to 100")
    assert sorted(labels(page)) == sorted(HOBBIES.answers)
    assert made.complaints == []


def test_of_several_questions_each_has_a_chart(analyst: BrowserContext, url: str) -> None:
    made = visit(analyst, f"{url}/#{STUDY.key}")
    page = made.page
    expect(page.locator(".lead .figure")).to_have_count(3)
    expect(page.locator(".result section.question")).to_have_count(3)
    for part in STUDY.parts:
        asked = page.locator(".result section.question", has_text=part.question)
        expect(asked.locator("[data-chart]")).to_have_count(1)
        for label in part.answers:
            expect(asked.locator("[data-chart]")).to_contain_text(label)
    estimate = httpx.get(f"{url}/collections/{STUDY.key}/estimate").json()
    assert [question["n"] for question in estimate["questions"]] == [3000] * 3
    assert made.complaints == []


def test_of_numbers_the_mean_stands_first(analyst: BrowserContext, url: str) -> None:
    made = visit(analyst, f"{url}/#{AGE.key}")
    page = made.page
    expect(page.locator(".lead .figure")).to_have_count(4)
    estimate = httpx.get(f"{url}/collections/{AGE.key}/estimate").json()
    assert estimate["range"] == {"least": 18.0, "most": 99.0, "step": 1.0}
    [row] = estimate["estimates"]
    values = page.locator(".lead .figure").all_text_contents()
    assert float(values[0]) == pytest.approx(row["mean"], abs=0.1)
    expect(page.locator(".result")).to_contain_text("A number outside 18 to 99 counts")
    expect(page.locator(".result circle.point")).to_have_count(1)
    expect(page.locator(".result .whisker")).to_have_count(1)
    assert ".point{fill:#" in " ".join(parsed(saved(page, "SVG")).itertext())
    assert made.complaints == []


def test_of_a_distribution_the_median_stands_first_and_long_numbers_in_groups(
    analyst: BrowserContext, url: str
) -> None:
    made = visit(analyst, f"{url}/#{INCOME.key}")
    page = made.page
    expect(page.locator(".lead .figure")).to_have_count(4)
    estimate = httpx.get(f"{url}/collections/{INCOME.key}/estimate").json()
    middle = next(row for row in estimate["quantiles"] if row["quantile"] == 0.5)
    expect(page.locator(".lead .figure").first).to_have_text(f"{middle['value']:,.0f}")
    bars = page.locator(".result .bar:not(.axis)")
    expect(bars).to_have_count(len(estimate["bins"]))
    last = estimate["bins"][-1]
    expect(bars.last).to_contain_text(f"{last['least']:,.0f} to {last['most']:,.0f}")
    expect(bars.last).to_contain_text(f"{100 * last['share']:.1f}\u00a0%")
    quantiles = page.locator(".result table").first.locator("tbody tr")
    expect(quantiles).to_have_count(len(estimate["quantiles"]) + 1)
    expect(quantiles.nth(2)).to_contain_text(f"{middle['low']:,.0f} to {middle['high']:,.0f}")
    assert made.complaints == []


def test_the_answer_comes_first(analyst: BrowserContext, url: str) -> None:
    made = visit(analyst, f"{url}/#{TEAS.key}")
    page = made.page
    expect(page.locator(".lead .figure")).to_have_count(4)
    estimate = httpx.get(f"{url}/collections/{TEAS.key}/estimate").json()
    most = max(estimate["answers"], key=lambda row: row["share"])
    widest = max(row["high"] - row["low"] for row in estimate["answers"])
    values = page.locator(".lead .figure").all_text_contents()
    assert values[0] == f"{100 * most['share']:.1f}\u00a0%"
    assert values[1] == f"{estimate['n']:,}"
    margin = float(values[2].removeprefix("±\u00a0"))
    assert 0 <= margin - 50 * widest < 0.1  # never less than it is
    assert values[3] == "ε = 1.5"
    lead = page.locator(".lead")
    expect(lead).to_contain_text(most["answer"])
    expect(lead).to_contain_text("people")
    expect(lead).to_contain_text("Of 100 people who choose “\u2068green\u2069”, about 60 report")
    expect(page).to_have_title("tea · Sudare")
    # The chart stands before its switches, and both on the first screen.
    order = page.evaluate(
        """() => [".lead", ".bars", ".result select"]
             .map((part) => document.querySelector(part).getBoundingClientRect().top)"""
    )
    assert order == sorted(order)
    assert in_screen(page, page.locator(".result .bars"))
    page.locator("select").first.select_option("ja")
    expect(page).to_have_title("tea · 簾 Sudare")
    assert made.complaints == []


def test_of_all_windows_reports_are_not_called_people(analyst: BrowserContext, url: str) -> None:
    page = visit(analyst, f"{url}/#{TEAS.key}/all").page
    expect(page.locator(".lead")).to_contain_text("a person may count in each")
    expect(page.locator(".lead dt").nth(1)).to_have_text("reports")
    expect(page.get_by_role("combobox", name="Window")).to_have_value("all")
    expect(page.get_by_label("Compare with")).to_have_count(0)
    page.get_by_role("combobox", name="Window").select_option("6")
    page.get_by_label("Compare with").select_option("2")
    expect(page.locator(".change")).to_be_visible()
    page.get_by_role("combobox", name="Window").select_option("all")
    expect(page.locator(".change")).to_have_count(0)


def test_217_answers_are_on_one_screen(analyst: BrowserContext, url: str) -> None:
    made = visit(analyst, f"{url}/#{COUNTRIES.key}")
    page = made.page
    rows = httpx.get(f"{url}/collections/{COUNTRIES.key}/estimate").json()["answers"]
    assert len(rows) == 217
    by_share = [row["answer"] for row in sorted(rows, key=lambda row: -row["share"])]
    expect(page.locator(".result .bar:not(.axis)")).to_have_count(12)
    assert labels(page) == by_share[:12]
    more = page.get_by_role("button", name="Show all 217")
    assert in_screen(page, more)
    expect(page.get_by_role("status").filter(has_text="of 217")).to_have_text("12 of 217")

    search = page.get_by_label("Search")
    search.fill("KAL")
    wanted = [name for name in by_share if "kal" in name.lower()]
    assert wanted
    expect(page.get_by_role("status").filter(has_text="of 217")).to_have_text(
        f"{len(wanted)} of 217"
    )
    assert labels(page) == wanted
    page.locator("summary").click()
    assert page.locator(".result tbody th").all_text_contents() == wanted  # the table follows
    search.fill("nowhere")
    expect(page.get_by_text("Nothing has this in its name.")).to_be_visible()
    search.fill("")

    more.click()
    expect(page.locator(".result .bar:not(.axis)")).to_have_count(217)
    assert labels(page) == by_share
    page.get_by_label("Sort by").select_option("name")
    assert labels(page) == sorted(LANDS[:217], key=str.casefold)
    page.get_by_label("Sort by").select_option("given")
    assert labels(page) == list(LANDS[:217])
    expect(page.locator(".result tbody tr")).to_have_count(217)
    page.get_by_role("button", name="Show fewer").click()
    expect(page.locator(".result .bar:not(.axis)")).to_have_count(12)
    assert made.complaints == []


def test_everything_of_a_long_list_is_done_by_keyboard(analyst: BrowserContext, url: str) -> None:
    page = visit(analyst, f"{url}/#{COUNTRIES.key}").page
    more = page.get_by_role("button", name="Show all 217")
    expect(more).to_be_visible()
    page.get_by_label("Search").focus()
    page.keyboard.type("aland")
    assert all("aland" in name.lower() for name in labels(page))
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Sort by")).to_be_focused()
    page.keyboard.press("Tab")
    expect(more).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".result .bar:not(.axis)")).to_have_count(217)


def test_windows_are_dates_and_can_be_compared(analyst: BrowserContext, url: str) -> None:
    made = visit(analyst, f"{url}/#{TEAS.key}")
    page = made.page
    window = page.get_by_role("combobox", name="Window")
    expect(page.locator(".result h2")).to_contain_text(date(6))
    shown = window.locator("option").all_text_contents()
    days = [date(day) for day in reversed(range(7))]
    assert shown == [f"Latest: {days[0]}", "All together", *days]
    expect(page.locator(".result h2")).to_contain_text(days[0])
    expect(page.locator(".result")).to_contain_text("Time zone: UTC.")
    expect(page.locator(".change")).to_have_count(0)

    page.get_by_label("Compare with").select_option("2")
    change = page.locator(".change")
    expect(change.locator("h2")).to_have_text(f"Change since {date(2)}")
    now, then = (
        httpx.get(f"{url}/collections/{TEAS.key}/estimate?window={day}").json()["answers"]
        for day in (6, 2)
    )
    for new, old, value, ends in zip(
        now,
        then,
        change.locator(".bar-value b").all_text_contents(),
        change.locator(".bar-value small").all_text_contents(),
        strict=True,
    ):
        difference = new["share"] - old["share"]
        error = np.hypot(new["stderr"], old["stderr"])
        low, high = (float(end.replace("−", "-")) / 100 for end in ends.split(" to "))
        assert float(value.replace("−", "-")) == pytest.approx(100 * difference, abs=0.051)
        assert low == pytest.approx(difference - 1.96 * error, abs=0.002)
        assert high == pytest.approx(difference + 1.96 * error, abs=0.002)
    page.get_by_label("Compare with").select_option("4")
    expect(page.get_by_role("alert")).to_contain_text("there are too few reports")
    expect(change.locator("h2")).to_have_count(0)
    window.select_option("1")
    expect(page.locator(".result h2")).to_contain_text(date(1))
    assert page.url.endswith(f"#{TEAS.key}/1")
    page.reload()  # the address says what is looked at
    expect(window).to_have_value("1")
    expect(page.locator(".result h2")).to_contain_text(date(1))
    assert all("409" in said for said in made.complaints)  # of the window with too few


def test_rounds_are_compared_with_the_same_rounds_of_another_window(
    analyst: BrowserContext, stage: Stage, url: str
) -> None:
    minutes = replace(online(int(time.time()) - 3 * ROUNDS * ROUND_SECONDS), name="minutes")
    stage.hold(minutes, public=True, grace=86_400)  # the clock closes nothing meanwhile
    for window, share in ((0, 0.2), (1, 0.6)):
        states = np.random.default_rng(window).random((8000, ROUNDS)) < share
        reports = minutes.mechanism.randomize(states.astype(np.uint8), Seeded(window))
        stage.count(minutes, reports, window)
    stage.store.close(minutes.key, 1)
    made = visit(analyst, f"{url}/#{minutes.key}/1")
    page = made.page
    page.get_by_label("Compare with").select_option("0")
    chart = page.locator(".change").get_by_role("slider")
    chart.focus()
    page.keyboard.press("Home")
    expect(chart).to_have_attribute("aria-valuetext", re.compile(" points, between "))
    path = f"{url}/collections/{minutes.key}/estimate?window="
    now, then = (httpx.get(f"{path}{window}").json()["estimates"][0] for window in (1, 0))
    said = str(chart.get_attribute("aria-valuetext")).replace("−", "-")
    found = re.search(r": (\S+) points, between (\S+) and (\S+)$", said)
    assert found is not None
    value, low, high = map(float, found.groups())
    assert value == pytest.approx(100 * (now["share"] - then["share"]), abs=0.051)
    error = np.hypot(now["stderr"], then["stderr"])
    assert (high - low) / 2 == pytest.approx(196 * error, rel=0.05)
    assert low < value < high
    assert made.complaints == []


def test_another_clock_says_its_own_times(browser: Browser, url: str) -> None:
    context = browser.new_context(locale="ja-JP", timezone_id="Asia/Tokyo")
    page = visit(context, f"{url}/#{TEAS.key}").page
    found = datetime.fromtimestamp(WEEK.opens(6), UTC)
    expect(page.locator(".result h2")).to_contain_text(
        f"{found.year}/{found.month:02}/{found.day:02} 9:00"
    )
    expect(page.locator(".result")).to_contain_text("Asia/Tokyo")
    context.close()


def test_a_history_shows_each_window_with_its_band(analyst: BrowserContext, url: str) -> None:
    asked: list[str] = []
    analyst.on("request", lambda request: asked.append(request.url))
    made = visit(analyst, f"{url}/#{TEAS.key}")
    page = made.page
    history = page.locator(".history")
    expect(history).to_be_visible()
    history.get_by_label("Share of").select_option("oolong")
    chart = history.get_by_role("slider")
    chart.focus()
    said = []
    for _ in range(7):
        page.keyboard.press("ArrowRight")
        said.append(str(chart.get_attribute("aria-valuetext")))
    assert said[4] == f"{date(4)}: none"
    for day in (0, 6):
        answers = httpx.get(f"{url}/collections/{TEAS.key}/estimate?window={day}").json()["answers"]
        (row,) = (row for row in answers if row["answer"] == "oolong")
        assert said[day].startswith(f"{date(day)}: {100 * row['share']:.1f}\u00a0%, between")
    for part in (".band", ".interval", ".share-line"):
        drawn = str(history.locator(part).get_attribute("d"))
        assert drawn.count("M") == 2  # with a gap where too few answered
    # Two requests, however many windows there are.
    assert len([address for address in asked if "/history?" in address]) == 2
    assert made.complaints == []


def test_too_few_reports_are_said_as_on_the_command_line(analyst: BrowserContext, url: str) -> None:
    page = visit(analyst, f"{url}/#{FEW.key}").page
    rough = [
        row["answer"]
        for row in httpx.get(f"{url}/collections/{FEW.key}/estimate").json()["answers"]
        if row["rough"]
    ]
    assert rough
    said = f"Too few reports behind {len(rough)} of 3 answers: their intervals are rough."
    expect(page.locator(".result .notice")).to_have_text(said)
    marked = page.locator(".result .bar").filter(has=page.locator(".doubtful"))
    assert marked.locator(".bar-label").all_text_contents() == rough
    assert marked.locator("em").all_text_contents() == ["rough"] * len(rough)
    page.locator("summary").click()
    rows = page.locator(".result tbody tr").filter(has_text="(rough)")
    assert rows.locator("th").all_text_contents() == rough
    drawing = parsed(saved(page, "SVG"))
    text = " ".join(" ".join(drawing.itertext()).split())
    assert said in text
    assert text.count("rough") == len(rough) + 1
    csv = Path(saved(page, "CSV").path()).read_text("utf-8")
    assert csv.splitlines()[0].split(",")[-1] == "rough"
    enough = visit(analyst, f"{url}/#{TEAS.key}").page
    expect(enough.locator(".result .bars")).to_be_visible()
    expect(enough.locator(".result .notice, .doubtful")).to_have_count(0)


def saved(page: Page, form: str) -> Download:
    with page.expect_download() as found:
        page.get_by_role("button", name=form, exact=True).click()
    return found.value


def parsed(drawing: Download) -> ET.Element:
    return ET.parse(drawing.path()).getroot()  # noqa: S314 - our own file


def test_downloads_have_speaking_names_and_hold_what_is_seen(
    analyst: BrowserContext, url: str
) -> None:
    made = visit(analyst, f"{url}/#{TEAS.key}/3")
    page = made.page
    expect(page.locator(".bars")).to_be_visible()
    stem = f"tea-{datetime.fromtimestamp(WEEK.opens(3), UTC):%Y-%m-%d}"
    address = f"{url}/collections/{TEAS.key}/estimate?window=3&format="
    files = {form: saved(page, form) for form in ("CSV", "Parquet", "Sum (JSON)", "SVG", "PNG")}
    assert [file.suggested_filename for file in files.values()] == [
        *(f"{stem}.csv", f"{stem}.parquet", f"{stem}-sum.json", f"{stem}.svg", f"{stem}.png")
    ]
    for form in ("CSV", "Parquet"):
        answer = httpx.get(address + form.lower())
        assert Path(files[form].path()).read_bytes() == answer.content
        assert f'"{files[form].suggested_filename}"' in answer.headers["content-disposition"]
    assert pq.read_table(io.BytesIO(Path(files["Parquet"].path()).read_bytes())).num_rows == 4

    drawing = parsed(files["SVG"])
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    text = " ".join(drawing.itertext())
    for part in (TEAS.question, *TEAS.answers, date(3), "4,000 reports", "ε = 1.5", TEAS.key):
        assert part in text
    assert "var(" not in text  # it stands by itself
    assert not re.search("(href|src)=", Path(files["SVG"].path()).read_text("utf-8"))
    head = Path(files["PNG"].path()).read_bytes()
    assert head.startswith(b"\x89PNG\r\n")
    width, height = struct.unpack(">II", head[16:24])
    assert (width, height) == (
        2 * int(drawing.attrib["width"]),
        2 * float(drawing.attrib["height"]),
    )
    assert made.complaints == []


def test_the_link_leads_to_the_same_view_and_bears_no_token(
    analyst: BrowserContext, stage: Stage, url: str
) -> None:
    token = stage.tokens[Role.ANALYST]
    analyst.add_init_script(f"sessionStorage.setItem('sudare token', '{token}')")
    page = visit(analyst, f"{url}/#{TEAS.key}").page
    page.get_by_role("combobox", name="Window").select_option("2")
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{url}/#{TEAS.key}/2"
    other = visit(analyst, link).page
    expect(other.locator(".result h2")).to_contain_text(date(2))


PRESSED = "button, select, input, summary, nav, a, [role=slider] + .readout"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_paper_has_the_answer_the_label_and_the_source_but_no_controls(
    browser: Browser, url: str, theme: Any
) -> None:
    context = browser.new_context(locale="en-GB", timezone_id="UTC", color_scheme=theme)
    page = visit(context, f"{url}/#{TEAS.key}").page
    expect(page.locator(".history")).to_be_visible()
    page.locator("select").nth(1).select_option(theme)  # by the page's own switch, too
    controls = page.locator(PRESSED)
    assert any(is_seen(each) for each in controls.all())
    page.emulate_media(media="print", color_scheme=theme)
    expect(page.locator("body")).to_have_css("color", "rgb(37, 35, 29)")  # ink, in any theme
    assert [each.evaluate("(it) => it.outerHTML") for each in controls.all() if is_seen(each)] == []
    for part in (".lead", ".bars", ".history svg", ".label", ".on-paper"):
        assert is_seen(page.locator(part).first), part
    expect(page.locator(".on-paper")).to_contain_text(f"{url}/#{TEAS.key}, as it stood on")
    made = page.pdf(format="A4")
    assert made.startswith(b"%PDF")
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", made)) <= 3
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_axe_finds_nothing(browser: Browser, url: str, theme: Any, width: int) -> None:
    install()
    context = browser.new_context(
        locale="ja-JP" if theme == "dark" else "en-GB",
        color_scheme=theme,
        viewport={"width": width, "height": 740},
        bypass_csp=True,  # for the examiner, not for the page: other tests hold the policy
    )
    context.set_default_timeout(90_000)  # decoding is compiled first
    for key in (TEAS.key, COUNTRIES.key, FEW.key, WORDS.key):
        page = visit(context, f"{url}/#{key}").page
        page.locator(".bars, tbody").first.wait_for()
        if key == TEAS.key:
            page.locator(".result select").nth(1).select_option("2")
            page.locator(".change .bars").wait_for()
            page.locator(".history svg").wait_for()
        for fold in page.locator("summary").all():
            fold.click()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


SANS = re.compile(r"Roboto|Noto Sans|Segoe|Helvetica|Ubuntu|Cantarell|Liberation Sans|Arial")
JAPANESE = re.compile(r"Gothic|Noto Sans|Hiragino|Meiryo")


@pytest.mark.parametrize("locale", ["en-GB", "ja-JP"])
def test_letters_are_those_of_typefaces_that_were_chosen(
    browser: Browser, url: str, locale: str
) -> None:
    """What a browser found by itself would be in none of these lists, or have serifs."""
    context = browser.new_context(locale=locale)
    page = visit(context, f"{url}/#{TEAS.key}").page
    expect(page.locator(".bars")).to_be_visible()
    session = context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    found: dict[str, set[str]] = {}
    for part in ("h1", ".brand", ".lead dt", ".lead .figure", ".fine", "select", ".key"):
        node = session.send("DOM.querySelector", {"nodeId": root, "selector": part})["nodeId"]
        fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        found[part] = {font["familyName"] for font in fonts}
    assert all("Mono" in name for name in found.pop(".key"))
    for part, names in found.items():
        for name in names:
            assert SANS.search(name) or JAPANESE.search(name), (part, name)
    context.close()


def test_the_page_has_a_mark_of_its_own(analyst: BrowserContext, url: str) -> None:
    page = visit(analyst, f"{url}/").page
    icon = str(page.locator("link[rel=icon]").get_attribute("href"))
    assert icon.startswith("data:image/svg+xml,")
    paths = page.locator(".brand svg path").evaluate_all(
        "(all) => all.map((it) => it.getAttribute('d'))"
    )
    assert len(paths) == 2
    for path in paths:
        assert f"d='{path}'" in icon  # the same drawing
    size = page.evaluate(
        """async (icon) => { const made = new Image(); made.src = icon; await made.decode();
                             return made.width; }""",
        icon,
    )
    assert size > 0
