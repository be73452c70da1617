"""The survey page in a real browser, before a real collector."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from sudare import (
    GRR,
    OUE,
    SUE,
    Collection,
    Device,
    Glance,
    HadamardResponse,
    JointQuestions,
    KShot,
    LocalHashing,
    Loloha,
    ProjectiveGeometry,
    Rappor,
    SampledQuestions,
    SquareWave,
    SubsetSelection,
)
from sudare.collection.windows import Windows
from sudare.collector.http.limits import Limits
from sudare.collector.stores.contract import Role
from support.analysts import at_port
from support.browsing import (
    AGE,
    COLOURS,
    HOBBIES,
    INVITED,
    STUDY,
    TEA,
    WORDS,
    Stage,
    Visit,
    violations,
    visit,
)
from support.commands import succeed
from support.node import install

pytestmark = pytest.mark.xdist_group("web")  # as all that starts a browser
DAY = 24 * 3600
# Rounds of two hours: while the tests run, it is the first.
HALF_DAY = Windows(int(time.time()) - 5, DAY // 2)
ONLINE = Collection("on", "Online?", ("no", "yes"), Glance.calibrate(6, 2.0), 20, HALF_DAY)
OFTEN = replace(ONLINE, name="often", mechanism=KShot.calibrate(6, 3.0, shots=3))
# It is the second day; the first still takes reports.
DAILY = replace(COLOURS, name="daily", windows=Windows(int(time.time()) - 3 * DAY // 2, DAY))
KEPT = [
    replace(TEA, name="tea, in English", keeps_reports=True),
    replace(TEA, name="お茶", keeps_reports=True),
]
MOST = 5  # reports in a window
COUNTRIES = (*(f"Country {number}" for number in range(1, 217)), "Côte d’Ivoire")
MANY = Collection("born", "Where were you born?", COUNTRIES, OUE.calibrate(217, 2.0), 100)
PRIVATE = replace(TEA, name="private")
SEVERAL = [replace(HOBBIES, name=f"hobbies {number}", keeps_reports=True) for number in range(2)]
STUDIES = [replace(STUDY, name=f"study {number}", keeps_reports=True) for number in range(2)]
STUDIES[1] = replace(
    STUDIES[1], mechanism=SampledQuestions((GRR(3, 0.5), GRR(2, 0.75), GRR(2, 0.75)))
)
AGES = [replace(AGE, name=f"age {number}", keeps_reports=True) for number in range(2)]
# The mechanisms that nobody answers by in the tests above, each with its own form on the page.
OTHERS = {
    name: replace(asked, name=name, mechanism=mechanism, keeps_reports=True)
    for name, asked, mechanism in (
        ("subset", TEA, SubsetSelection.calibrate(4, 1.5)),
        ("projective", TEA, ProjectiveGeometry.calibrate(4, 1.5)),
        ("hadamard", TEA, HadamardResponse.calibrate(4, 1.5)),
        ("olh", TEA, LocalHashing.calibrate(4, 1.5)),
        ("loloha", TEA, Loloha.calibrate(4, 1.5, lifetime=3.0)),
        ("rappor", TEA, Rappor.calibrate(1.5, form="basic", bits=4)),
        ("sue", TEA, SUE.calibrate(4, 1.5)),
        ("wave", AGE, SquareWave.calibrate(81, 2.0)),
        ("joint", STUDY, JointQuestions((3, 2, 2), OUE.calibrate(12, 2.0))),
    )
}
HELD = (
    *STUDIES,
    *OTHERS.values(),
    TEA,
    COLOURS,
    *SEVERAL,
    *AGES,
    WORDS,
    ONLINE,
    OFTEN,
    INVITED,
    MANY,
    *KEPT,
)


@dataclass(frozen=True)
class Place:
    """A collector, and where it is."""

    stage: Stage
    url: str

    def path(self, collection: Collection) -> str:
        return f"{self.url}/collections/{collection.key}"

    def change(self, collection: Collection, verb: str) -> None:
        """Pause, open or close a collection."""
        httpx.post(f"{self.path(collection)}/{verb}", headers=self._bearer).raise_for_status()

    def invitation(self) -> str:
        path = f"{self.path(INVITED)}/invitations"
        return str(httpx.post(path, headers=self._bearer).json()["invitations"][0])

    @property
    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.stage.tokens[Role.ADMIN]}"}

    def counted(self, collection: Collection) -> int:
        """How many reports have counted."""
        return sum(window.n for window in self.stage.store.windows(collection.key))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    limits = Limits(window_reports=MOST * 10)
    with Stage(tmp_path_factory.mktemp("store"), limits=limits) as made:
        for collection in HELD:
            made.hold(collection, public=True)
        made.hold(DAILY, public=True, grace=DAY)
        made.hold(PRIVATE)
        with at_port(made) as url:
            yield Place(made, url)


def survey(
    context: BrowserContext, place: Place, collection: Collection, invitation: str = ""
) -> Visit:
    then = f"#invitation={invitation}" if invitation else ""
    return visit(context, f"{place.url}/s/{collection.key}{then}")


def answer(page: Page, label: str) -> None:
    page.get_by_role("radio", name=label, exact=True).check()
    page.locator("button.main").click()


def shown(page: Page, what: str) -> str:
    """A part of what the page says it has sent, without the spaces between groups."""
    return page.locator(f"[data-sent={what}]").inner_text().replace(" ", "")


def kept(page: Page, name: str) -> Any:
    return page.evaluate("name => localStorage.getItem(name)", name)


def spent(page: Page, collection: Collection) -> bool:
    """Whether the ledger knows of anything that was paid to a collection."""
    return collection.key in (kept(page, "sudare ledger") or "")


ARRIVED = {
    "en-GB": "Thank you! Your report has arrived and counts.",
    "ja-JP": "ご回答ありがとうございました。送信が完了し、集計されました。",
}
REPORTS = "**/reports?*"


@pytest.mark.parametrize(
    ("language", "collection"),
    [("en-GB", KEPT[0]), ("ja-JP", KEPT[1])],
    ids=["English", "Japanese"],
)
def test_an_answer_by_keyboard_is_what_the_collector_gets(
    browser: Browser, place: Place, language: str, collection: Collection
) -> None:
    context = browser.new_context(locale=language)
    made = survey(context, place, collection)
    page = made.page
    expect(page.locator("html")).to_have_attribute("lang", language[:2])
    expect(page.get_by_role("radio")).to_have_count(4)
    expect(page).to_have_title(re.compile(f"^{collection.name} · "))
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
    [reports] = place.stage.store.reports(collection.key)
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


def test_the_promise_stands_above_the_button(context: BrowserContext, place: Place) -> None:
    page = survey(context, place, TEA).page
    page.get_by_role("radio", name="black").check()
    promise = page.locator("form .promise")
    expect(promise).to_contain_text("scrambled on this device before it is sent")
    expect(promise).to_contain_text("Of 100 people who choose “\u2068black\u2069”, about 60 report")
    above, button = (page.locator(each).bounding_box() for each in ("form .promise", "button.main"))
    assert above is not None
    assert button is not None
    assert above["y"] + above["height"] <= button["y"]


def test_what_was_sent_is_explained_also_when_it_is_the_answer(
    context: BrowserContext, place: Place
) -> None:
    page = survey(context, place, TEA).page
    answer(page, "black")
    said = page.locator(".sent .words").inner_text()
    meaning = page.locator(".sent .meaning")
    if "black" in said:
        expect(meaning).to_contain_text("By chance, this is your own answer. It is sent for about")
    else:
        expect(meaning).to_contain_text("This isn’t what you chose: chance put it in its place.")
    page.reload()
    expect(meaning).to_contain_text("the page doesn’t keep what you chose")


def test_thanks_and_the_way_to_the_results_if_they_are_public(
    context: BrowserContext, place: Place
) -> None:
    for collection in (COLOURS, PRIVATE):
        page = survey(context, place, collection).page
        answer(page, collection.answers[0])
        expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
        link = page.get_by_role("link", name="See the results")
        if collection is PRIVATE:
            expect(page.get_by_text("You have answered.")).to_be_visible()
            expect(link).to_have_count(0)
        else:
            link.click()
            expect(page.locator("h1")).to_have_text("Which colour?")


def test_no_more_boxes_can_be_checked_than_may_be(context: BrowserContext, place: Place) -> None:
    made = survey(context, place, SEVERAL[0])
    page = made.page
    boxes, send = page.get_by_role("checkbox"), page.locator("button.main")
    expect(boxes).to_have_count(5)
    send.click()
    first = page.get_by_role("status").filter(has_text="None of these")
    expect(first).to_have_text("Choose answers first, or “None of these”.")
    none = page.get_by_role("checkbox", name="None of these")
    none.check()
    page.get_by_role("checkbox", name="singing; alone").check()
    expect(none).not_to_be_checked()
    expect(page.locator("#selected")).to_have_text("1 of at most 2 selected")
    page.get_by_role("checkbox", name="chess").check()
    expect(page.get_by_role("checkbox", name="reading")).to_be_disabled()
    expect(page.get_by_role("checkbox", name="cooking")).to_be_disabled()
    page.get_by_role("checkbox", name="chess").uncheck()
    expect(page.get_by_role("checkbox", name="reading")).to_be_enabled()
    page.get_by_role("checkbox", name="cooking").check()
    send.click()
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
    [reports] = place.stage.store.reports(SEVERAL[0].key)
    assert reports.tobytes().hex() == shown(page, "record")
    assert SEVERAL[0].aggregate(reports).n == 1
    expect(page.locator(".meaning")).to_contain_text("By chance, it names")
    assert "singing" not in "".join(request.post_data or "" for request in made.posted)
    assert made.complaints == []


def test_none_of_these_is_an_answer(context: BrowserContext, place: Place) -> None:
    page = survey(context, place, SEVERAL[1]).page
    page.get_by_role("checkbox", name="None of these").check()
    page.locator("button.main").click()
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
    assert place.counted(SEVERAL[1]) == 1


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.mechanism.name)
def test_several_questions_leave_in_one_report(
    study: Collection, context: BrowserContext, place: Place
) -> None:
    made = survey(context, place, study)
    page = made.page
    send = page.locator("button.main")
    expect(page.get_by_role("radio")).to_have_count(7)
    for part in study.parts:
        expect(page.get_by_role("group", name=part.question)).to_be_visible()
    page.get_by_role("radio", name="none; at all").check()
    page.get_by_role("radio", name="Kyoto").check()
    send.click()
    expect(page.get_by_role("status").filter(has_text="every")).to_have_text(
        "Answer every question first."
    )
    pet = page.get_by_role("group", name="Have you a pet?")  # the one that is not answered
    expect(pet.get_by_role("radio").first).to_be_focused()
    page.get_by_role("radio", name="no", exact=True).check()
    expect(page.get_by_role("radio", name="Kyoto")).to_be_checked()
    expect(page.get_by_text("Answer every question first.")).to_have_count(0)
    send.click()
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
    [reports] = place.stage.store.reports(study.key)
    assert reports.tobytes().hex() == shown(page, "record")
    assert study.aggregate(reports).n == 1
    meaning = page.locator(".meaning")
    if study is STUDIES[1]:
        drawn = study.parts[int(reports["question"][0])].question
        expect(meaning).to_contain_text(f"drew the question “\u2068{drawn}\u2069”")
        expect(meaning).to_contain_text("Your other answers were not sent.")
    else:
        for part in study.parts:
            expect(meaning).to_contain_text(f"“\u2068{part.question}\u2069”:")
    assert "Kyoto" not in "".join(request.post_data or "" for request in made.posted)
    assert made.complaints == []


def test_a_number_by_field_and_slider(context: BrowserContext, place: Place) -> None:
    made = survey(context, place, AGES[0])
    page = made.page
    field, slider = page.locator("[name=answer]"), page.get_by_role("slider")
    send, note = page.locator("button.main"), page.locator("#number-note")
    send.click()
    asked = page.get_by_role("status").filter(has_text="Enter a number")
    expect(asked).to_have_text("Enter a number first.")
    expect(field).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", "nothing entered yet")
    field.fill("forty")
    expect(note).to_have_text("This can’t be read as a number. Write it like 58.")
    field.fill("-")  # more may follow
    expect(note).to_have_text("")
    field.fill("４０")  # as keyboards for Japanese write it
    expect(slider).to_have_attribute("aria-valuetext", "40")
    expect(note).to_have_text("")
    field.fill("40.5")
    expect(note).to_have_text("The nearest step is 41: it counts as that.")
    expect(slider).to_have_attribute("aria-valuetext", "41")
    field.press("ArrowUp")
    expect(field).to_have_value("42")
    expect(note).to_have_text("")
    slider.press("ArrowLeft")
    expect(field).to_have_value("41")
    slider.press("End")
    expect(field).to_have_value("99")
    field.fill("104")
    expect(note).to_have_text("This lies outside 18 to 99: it counts as 99.")
    send.click()
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
    [reports] = place.stage.store.reports(AGES[0].key)
    assert reports.tobytes().hex() == shown(page, "record")
    assert AGES[0].aggregate(reports).n == 1
    expect(page.locator(".meaning")).to_contain_text("people with your number")
    assert "104" not in "".join(request.post_data or "" for request in made.posted)
    assert made.complaints == []


def test_a_number_can_be_answered_by_the_slider_alone(
    context: BrowserContext, place: Place
) -> None:
    page = survey(context, place, AGES[1]).page
    page.get_by_role("slider").press("Home")
    expect(page.locator("[name=answer]")).to_have_value("18")
    page.locator("[name=answer]").fill("４２")
    expect(page.get_by_role("slider")).to_have_value("24")
    page.locator("button.main").click()
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
    assert place.counted(AGES[1]) == 1


@pytest.mark.parametrize("collection", OTHERS.values(), ids=OTHERS)
def test_a_survey_of_any_mechanism_is_answered_and_counts(
    collection: Collection, context: BrowserContext, place: Place
) -> None:
    made = survey(context, place, collection)
    page = made.page
    for part in collection.parts:
        page.get_by_role("group", name=part.question).get_by_role("radio").last.check()
    if collection.mechanism.name == "wave":
        page.locator("[name=answer]").fill("41")
    elif not collection.parts:
        page.get_by_role("radio", name=collection.answers[-1]).check()
    page.locator("button.main").click()
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
    expect(page.locator(".meaning")).not_to_be_empty()
    [reports] = place.stage.store.reports(collection.key)
    assert reports.tobytes().hex() == shown(page, "record")
    assert collection.aggregate(reports).n == 1
    assert spent(page, collection)
    assert made.complaints == []


def test_free_text_stays_on_the_device(context: BrowserContext, place: Place) -> None:
    made = survey(context, place, WORDS)
    page = made.page
    page.get_by_role("textbox").first.fill("zanzibar.example")
    page.locator("button.main").click()
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
    expect(page.locator(".sent")).to_contain_text("zanzibar.example (yours)")
    [sent] = made.posted
    assert "zanzibar" not in f"{sent.url}{sent.post_data}{sent.headers}"
    notes = page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    assert "zanzibar" not in notes
    assert made.complaints == []


# Obstacles: nothing is drawn, so nothing is charged, and nothing is called sent.


def _paused(place: Place, _: Page) -> None:
    place.change(COLOURS, "pause")


def _full(place: Place, _: Page) -> None:
    place.stage.answer(COLOURS, {"red": MOST * 10 - place.counted(COLOURS)}, seed=3)


def _offline(_: Place, page: Page) -> None:
    page.context.set_offline(True)


def _silent(_: Place, page: Page) -> None:
    page.context.route("**/admission?*", lambda route: route.abort())


def _stranger(_: Place, page: Page) -> None:
    login = {"status": 200, "body": "<h1>Log in to the hotel</h1>", "content_type": "text/html"}
    page.context.route("**/admission?*", lambda route: route.fulfill(**login))


def _busy(_: Place, page: Page) -> None:
    error = {"error": {"code": "store_unavailable", "message": "the store takes nothing now"}}
    answered = {"status": 503, "json": error, "headers": {"Sudare-Api": "1"}}
    page.context.route("**/admission?*", lambda route: route.fulfill(**answered))


MET: dict[str, tuple[Callable[[Place, Page], None], str]] = {
    "paused": (_paused, "This survey is paused"),
    "window_full": (_full, "There are enough answers for now"),
    "offline": (_offline, "You are offline"),
    "unreachable": (_silent, "The survey can’t be reached"),
    "a stranger": (_stranger, "The survey can’t be reached"),
    "busy": (_busy, "The survey can’t take answers right now"),
}


@pytest.mark.parametrize("name", MET)
def test_who_is_refused_when_sending_is_told_why_and_charged_nothing(
    context: BrowserContext, tmp_path: Path, name: str
) -> None:
    """On a collector of its own: what is full stays full."""
    act, title = MET[name]
    with Stage(tmp_path, limits=Limits(window_reports=MOST * 10)) as stage:
        for collection in (TEA, COLOURS):
            stage.hold(collection)
        with at_port(stage) as url:
            place = Place(stage, url)
            page = survey(context, place, TEA).page
            answer(page, "green")
            expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
            made = survey(context, place, COLOURS)
            page = made.page
            expect(page.get_by_role("radio")).to_have_count(3)
            before = kept(page, "sudare ledger")
            act(place, page)
            answer(page, "red")
            heading = page.get_by_role("alert").get_by_role("heading")
            expect(heading).to_have_text(title)
            expect(heading).to_be_focused()
            check_nothing_happened(made, COLOURS, before)
            assert TEA.key in before
            if name in {"window_full", "paused"}:
                return
            context.unroute_all()
            context.set_offline(False)
            if name != "offline":  # else it goes on by itself
                page.get_by_role("button", name="Try again").click()
            expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
            assert place.counted(COLOURS) == 1
            assert spent(page, COLOURS)


def check_nothing_happened(made: Visit, collection: Collection, before: str | None) -> None:
    page = made.page
    expect(page.get_by_role("alert")).to_contain_text(
        "Nothing was sent, and nothing was charged to your ledger."
    )
    expect(page.locator(".sent")).to_have_count(0)
    assert kept(page, "sudare ledger") == before
    assert kept(page, f"sudare sent {collection.key}") is None
    assert kept(page, f"sudare last round {collection.key}") is None
    assert made.posted == []


def test_a_paused_survey_goes_on_with_the_answer_that_was_chosen(
    context: BrowserContext, place: Place
) -> None:
    made, before = survey(context, place, COLOURS), place.counted(COLOURS)
    page = made.page
    expect(page.get_by_role("radio")).to_have_count(3)
    place.change(COLOURS, "pause")
    answer(page, "red")
    expect(page.get_by_role("alert")).to_contain_text("This survey is paused")
    page.reload()  # now it is known from the beginning
    expect(page.get_by_role("alert")).to_contain_text("This survey is paused")
    place.change(COLOURS, "open")
    page.get_by_role("button", name="Try again").click()
    answer(page, "red")
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
    assert place.counted(COLOURS) == before + 1


@pytest.mark.parametrize("invitation", ["used", "unknown"])
def test_an_invitation_that_is_no_good_is_told_before_anything_is_drawn(
    browser: Browser, place: Place, invitation: str
) -> None:
    token = place.invitation()
    if invitation == "used":
        first = browser.new_context(locale="en-GB")
        made = survey(first, place, INVITED, token)
        expect(made.page.get_by_text("can link your report to you")).to_be_visible()
        answer(made.page, "yes")
        expect(made.page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
        [posted] = made.posted
        assert posted.headers["sudare-invitation"] == token
        assert token not in posted.url
        made.page.reload()  # the invitation is used now, by this person
        expect(made.page.get_by_text("You have answered.")).to_be_visible()
        first.close()
    context = browser.new_context(locale="en-GB")
    made = survey(context, place, INVITED, token if invitation == "used" else "nobodys")
    answer(made.page, "yes")
    alert = made.page.get_by_role("alert")
    expect(alert).to_contain_text("This invitation can’t be used")
    expect(alert).to_contain_text("ask whoever invited you for a new link")
    check_nothing_happened(made, INVITED, None)
    made.page.locator("select").first.select_option("ja")
    expect(alert).to_contain_text("この招待リンクは使えません")
    context.close()


AT_ONCE = {
    "an unknown key": ("/s/" + "0" * 64, "There is no such survey here"),
    "no key": ("/s/", "This link is incomplete"),
    "no invitation": (f"/s/{INVITED.key}", "This survey is by invitation"),
}


@pytest.mark.parametrize("case", AT_ONCE)
def test_a_link_that_leads_nowhere_has_a_page_that_says_so(
    context: BrowserContext, place: Place, case: str
) -> None:
    address, title = AT_ONCE[case]
    made = visit(context, f"{place.url}{address}")
    expect(made.page.get_by_role("alert")).to_contain_text(title)
    expect(made.page.get_by_role("radio")).to_have_count(0)
    check_nothing_happened(made, INVITED, None)
    # What Chromium itself says of a page that isn't there is no complaint of ours.
    assert all("404" in complaint for complaint in made.complaints)


def test_a_closed_survey_leads_to_its_results(context: BrowserContext, place: Place) -> None:
    closed = replace(TEA, name="closed")
    place.stage.hold(closed, public=True)
    place.change(closed, "close")
    made = survey(context, place, closed)
    expect(made.page.get_by_role("alert")).to_contain_text("This survey is closed")
    expect(made.page.get_by_role("link", name="See the results")).to_be_visible()
    check_nothing_happened(made, closed, None)


def test_a_survey_that_has_not_begun_says_when_it_does(
    context: BrowserContext, place: Place
) -> None:
    start = int(time.time()) + DAY
    later = replace(TEA, name="later", windows=Windows(start, DAY))
    place.stage.hold(later, public=True)
    made = survey(context, place, later)
    expect(made.page.get_by_role("alert")).to_contain_text("This survey hasn’t begun")
    begins = time.strftime(
        "%-d %b %Y", time.localtime(start)
    )  # as in Britain, where this reader is
    expect(made.page.get_by_role("alert")).to_contain_text(f"It begins on {begins}")
    expect(made.page.get_by_role("link", name="See the results")).to_have_count(0)
    check_nothing_happened(made, later, None)


def test_another_document_or_mechanism_is_refused(context: BrowserContext, place: Place) -> None:
    def swapped(route: Route) -> None:
        route.fulfill(body=COLOURS.to_json(), content_type="application/json")

    def newer(route: Route) -> None:
        document = msgspec.json.decode(TEA.to_json())
        document["mechanism"] = {"name": "unheard", "k": 4}
        route.fulfill(json=document)

    for handler, title in ((swapped, "isn’t the survey of your link"), (newer, "\u2068unheard")):
        context.route(f"**/collections/{TEA.key}", handler)
        made = survey(context, place, TEA)
        expect(made.page.get_by_role("alert")).to_contain_text(title)
        expect(made.page.get_by_role("radio")).to_have_count(0)
        check_nothing_happened(made, TEA, None)
        context.unroute_all()


# From here on the report has been drawn: it may have been seen, and stays charged.


def test_a_report_waits_for_the_network_and_stays_the_same(
    context: BrowserContext, place: Place
) -> None:
    made = survey(context, place, COLOURS)
    page, before = made.page, place.counted(COLOURS)
    context.route(REPORTS, lambda route: route.abort())
    answer(page, "red")
    expect(page.get_by_role("status").first).to_contain_text("Not there yet")
    expect(page.locator(".sent h2").first).to_have_text("Exactly what is being sent")
    expect(page.get_by_text("You have answered")).to_have_count(0)
    assert spent(page, COLOURS)
    name, record = shown(page, "id"), shown(page, "record")
    context.unroute_all()
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
    expect(page.locator(".sent h2").first).to_have_text("Exactly what was sent")
    assert (shown(page, "id"), shown(page, "record")) == (name, record)
    page.evaluate(  # as a page of before left it, closed before the collector's answer came
        """key => { const name = `sudare sent ${key}`, [sent] = JSON.parse(localStorage[name]);
                    const { fate, ...before } = { ...sent, number: null, settled: false };
                    localStorage[name] = JSON.stringify(before); }""",
        COLOURS.key,
    )
    page.reload()
    expect(page.get_by_role("status").first).to_contain_text("had arrived before. It counts once.")
    assert shown(page, "id") == name
    assert place.counted(COLOURS) == before + 1


def test_a_report_whose_answer_is_lost_counts_once_and_is_charged_once(
    context: BrowserContext, place: Place
) -> None:
    made, before = survey(context, place, COLOURS), place.counted(COLOURS)
    lost: list[int] = []

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch().status)
            route.abort()

    context.route(REPORTS, lose)
    answer(made.page, "blue")
    expect(made.page.get_by_role("status").first).to_contain_text("had arrived before")
    assert lost == [202]
    assert place.counted(COLOURS) == before + 1
    ledger = msgspec.json.decode(kept(made.page, "sudare ledger"))
    assert ledger["paid"] == [[COLOURS.key, {"epsilon": COLOURS.epsilon, "spans": [[0, 1]]}]]


@pytest.mark.parametrize("doubtful", [False, True], ids=["surely", "maybe counted"])
def test_a_report_that_was_seen_and_refused_stays_charged_and_is_not_called_sent(
    context: BrowserContext, place: Place, *, doubtful: bool
) -> None:
    closing = replace(TEA, name=f"closing, {doubtful}")
    place.stage.hold(closing)
    made = survey(context, place, closing)
    tries: list[str] = []

    def close_first(route: Route) -> None:
        tries.append(route.request.url)
        if doubtful and len(tries) == 1:
            route.abort()  # the page can't know whether it arrived
            return
        place.change(closing, "close")
        route.continue_()

    context.route(REPORTS, close_first)
    page, said = made.page, made.page.get_by_role("status").first
    answer(page, "green")
    expect(said).to_contain_text("The collector refused your report: the survey is closed.")
    expect(said).to_contain_text("it stays in your ledger")
    heading = "Exactly what was sent" if doubtful else "What the collector refused"
    if doubtful:
        expect(said).to_contain_text("An earlier attempt may have counted all the same")
    assert spent(page, closing)
    assert place.counted(closing) == 0
    for _ in range(2):
        expect(page.locator(".sent h2").first).to_have_text(heading)
        refused = page.get_by_text("The collector refused your report. It doesn’t count.")
        expect(refused).to_have_count(0 if doubtful else 1)
        page.reload()
    assert len(made.posted) == len(tries)  # settled: nothing is sent again


def test_reports_of_several_windows_are_waited_for(context: BrowserContext, place: Place) -> None:
    context.clock.set_fixed_time(time.time() - DAY)  # the first window, by the browser
    made = survey(context, place, DAILY)
    page, said = made.page, made.page.get_by_role("status")
    expect(page.get_by_role("radio")).to_have_count(3)
    context.route(REPORTS, lambda route: route.abort())
    names = []
    for window, label in enumerate(("red", "blue")):
        answer(page, label)
        expect(page.locator("[data-sent=to]")).to_contain_text(f"window={window}")
        expect(said.first).to_contain_text("Not there yet")
        names.append(shown(page, "id"))
        context.clock.set_fixed_time(time.time())
    context.unroute_all()
    page.reload()  # both were paid for: neither is forgotten
    # Tried again in the very moment of the reload, one may have arrived, and its receipt not.
    thanks = r"Thank you! Your report (has arrived and counts|had arrived before. It counts once)\."
    expect(said.first).to_have_text(re.compile(f"^{thanks}$"))
    expect(said.nth(1)).to_have_text(re.compile(f"^An earlier report: {thanks}$"))
    assert shown(page, "id") == names[1] != names[0]
    assert [window.n for window in place.stage.store.windows(DAILY.key)] == [1, 1]
    sent = len(made.posted)
    page.reload()
    expect(page.locator(".sent")).to_be_visible()
    assert shown(page, "id") == names[1]
    assert len(made.posted) == sent  # settled: nothing is sent again


def test_a_report_waits_for_its_invitation(context: BrowserContext, place: Place) -> None:
    token = place.invitation()
    page = survey(context, place, INVITED, token).page
    context.route(REPORTS, lambda route: route.abort())
    answer(page, "yes")
    expect(page.get_by_role("status").first).to_contain_text("Not there yet")
    page.close()
    context.unroute_all()
    made = survey(context, place, INVITED)  # without the link: it would be refused for good
    expect(made.page.locator(".sent")).to_be_visible()
    assert made.posted == []
    page = survey(context, place, INVITED, token).page
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])


def test_the_cap_is_kept(context: BrowserContext, place: Place) -> None:
    made = survey(context, place, TEA)
    page = made.page
    page.get_by_label("Your cap for life").fill("１")  # a digit of full width
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_text("Your cap is now ε = 1.")).to_be_visible()
    answer(page, "green")
    said = "this would cost ε = 1.5; 0 of your 1 is spent, 1 is left"
    expect(page.get_by_role("status").first).to_contain_text(said)
    assert made.posted == []


# Over time


def secrets_for(collection: Collection) -> dict[bool, bytes]:
    """A secret whose round is the first of window 0, and one whose isn't."""
    found: dict[bool, bytes] = {}
    for number in range(1000):
        secret = number.to_bytes(32)
        speaks = 1 in Device(secret).plan(collection, 0).rounds[0].tolist()
        found.setdefault(speaks, secret)
    return found


@pytest.mark.parametrize("collection", [ONLINE, OFTEN], ids=["glance", "kshot"])
@pytest.mark.parametrize("speaks", [True, False])
def test_a_device_speaks_in_its_own_rounds_only(
    context: BrowserContext, place: Place, collection: Collection, *, speaks: bool
) -> None:
    secret = secrets_for(collection)[speaks]
    context.add_init_script(f'localStorage["sudare secret"] = "{secret.hex()}"')
    made = survey(context, place, collection)
    page = made.page
    expect(page.get_by_text("Round 1 of 6")).to_be_visible()
    answer(page, "yes")
    if speaks:
        expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
        assert shown(page, "id") == Device(secret).report_id(collection, 1).hex()
        record = Device(secret).observe(collection, 1, "yes")
        assert record is not None
        assert shown(page, "record") == record.tobytes().hex()
    else:
        expect(page.get_by_role("status").first).to_contain_text("Nothing was sent")
        assert made.posted == []
    expect(page.get_by_role("radio")).to_have_count(0)
    expect(page.get_by_text("You have answered this round.")).to_be_visible()
    assert made.complaints == []


def test_a_collection_over_time_as_it_is_made_by_default_is_answered_in_every_round(
    context: BrowserContext, place: Place, tmp_path: Path
) -> None:
    """Made by the command line without naming a mechanism, told in all rounds of a window."""
    rounds, epsilon = 4, 4
    options = ["--rounds", rounds, "--epsilon", epsilon, "--window", "4h"]
    succeed(tmp_path, "collection", "new", "mood", "--question", "Well?", *options, "-o", "m.json")
    made_so = Collection.from_json((tmp_path / "m.json").read_bytes())
    start = int(time.time()) - 5
    collection = replace(made_so, windows=Windows(start, 4 * 3600))
    assert isinstance(collection.mechanism, KShot)
    assert collection.mechanism.shots > 1
    place.stage.hold(collection, grace=DAY)
    secret = bytes(range(32))
    context.add_init_script(f'localStorage["sudare secret"] ??= "{secret.hex()}"')
    made = survey(context, place, collection)
    page = made.page
    expect(page.locator(".promise")).to_contain_text("A device reports in 2 rounds of 4")
    records = []
    clock = place.stage.service.clock
    try:
        for number in range(1, rounds + 1):
            now = start + 3600 * (number - 1) + 10
            place.stage.service.clock = partial(float, now)
            context.clock.set_fixed_time(now)
            expect(page.get_by_text(f"Round {number} of {rounds}")).to_be_visible()
            answer(page, "yes")
            expect(page.get_by_text("You have answered this round.")).to_be_visible()
            status = page.get_by_role("status").first
            expect(status).to_have_text(re.compile("Thank you!|Nothing was sent"))
            if "Thank" in status.inner_text():
                records.append(shown(page, "record"))
    finally:
        place.stage.service.clock = clock
    plan = Device(secret).plan(collection, 0)
    wanted = collection.mechanism.report(plan.rounds[0], 1, plan.heard[0], plan.noise[0])
    assert records == [record.tobytes().hex() for record in wanted]
    assert len(records) == collection.mechanism.shots
    assert place.counted(collection) == len(records)
    ledger = msgspec.json.decode(kept(page, "sudare ledger"))
    assert ledger["paid"] == [[collection.key, {"epsilon": collection.epsilon, "spans": [[0, 1]]}]]
    assert made.complaints == []


# Two hundred answers


@pytest.mark.parametrize(("width", "height"), [(1200, 800), (390, 844)], ids=["desk", "phone"])
def test_two_hundred_answers_are_searched_and_chosen_on_one_screen(
    browser: Browser, place: Place, width: int, height: int
) -> None:
    context = browser.new_context(locale="en-GB", viewport={"width": width, "height": height})
    made = survey(context, place, MANY)
    page = made.page
    expect(page.get_by_role("radio")).to_have_count(217)
    button = page.locator("button.main").bounding_box()
    assert button is not None
    assert button["y"] + button["height"] <= height
    for _ in range(3):  # past language and theme
        page.keyboard.press("Tab")
    expect(page.get_by_label("Search the answers")).to_be_focused()
    page.keyboard.type("country 21")
    found = sum("21" in label for label in COUNTRIES)
    expect(page.get_by_role("radio")).to_have_count(found)
    expect(page.locator("label.search small")).to_have_text(f"{found} of 217")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(page.get_by_role("radio", name="Country 21", exact=True)).to_be_checked()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("cote")
    expect(page.get_by_role("radio")).to_have_count(1)
    expect(page.locator("legend")).to_contain_text("Country 21")  # chosen, though not in sight
    page.keyboard.press("Enter")  # the only one that fits
    expect(page.get_by_role("radio", name="Côte d’Ivoire")).to_be_checked()
    assert made.posted == []
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_have_text(ARRIVED["en-GB"])
    likely = page.get_by_role("group", name="What the collector can conclude")
    expect(likely.locator(".bar:not(.axis)")).to_have_count(12)  # the likeliest
    page.get_by_role("button", name="Show all 217").click()
    expect(likely.locator(".bar:not(.axis)")).to_have_count(217)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


@pytest.mark.parametrize(
    ("language", "theme", "width"),
    [
        ("en-GB", "light", 1200),
        ("en-GB", "dark", 390),
        ("ja-JP", "light", 390),
        ("ja-JP", "dark", 1200),
    ],
)
def test_axe_finds_nothing_on_any_page_of_the_survey(
    browser: Browser, place: Place, language: str, theme: Any, width: int
) -> None:
    install()
    context = browser.new_context(
        locale=language,
        color_scheme=theme,
        viewport={"width": width, "height": 844},
        bypass_csp=True,  # for the examiner, not for the pages: other tests hold the policy
    )
    again = replace(TEA, name=f"tea, {language}, {theme}, {width}")
    place.stage.hold(again, public=True)

    def tell(page: Page) -> None:
        page.get_by_role("radio").first.check()
        page.locator("button.main").click()
        expect(page.locator(".sent, [role=alert]").first).to_be_visible()

    def wait(page: Page) -> None:
        expect(page.get_by_role("radio").or_(page.get_by_role("alert")).first).to_be_visible()

    def wait_for_a_number(page: Page) -> None:
        page.locator("[name=answer]").fill("104")

    def wait_for_boxes(page: Page) -> None:
        expect(page.get_by_role("checkbox").first).to_be_visible()
        for number in range(2):
            page.get_by_role("checkbox").nth(number).check()

    for address, act in (
        (f"/s/{again.key}", wait),
        (f"/s/{again.key}", tell),
        (f"/s/{MANY.key}", wait),
        (f"/s/{OFTEN.key}", wait),
        (f"/s/{SEVERAL[0].key}", wait_for_boxes),
        (f"/s/{AGES[0].key}", wait_for_a_number),
        (f"/s/{INVITED.key}#invitation=nobodys", tell),
        ("/s/", wait),
    ):
        page = visit(context, f"{place.url}{address}").page
        act(page)
        assert violations(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()
    context.close()


def test_before_the_program_comes_the_page_says_what_it_is(
    browser: Browser, context: BrowserContext, place: Place
) -> None:
    """As on a slow line, or without JavaScript."""
    context.route("**/assets/*.js", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{place.url}/s/{TEA.key}")
    expect(page.get_by_text("Your answer is scrambled on this device")).to_be_visible()
    expect(page.get_by_text("回答は、送信前にこの端末の中で")).to_be_visible()
    expect(page.locator(".late")).to_be_visible(timeout=15_000)
    unable = browser.new_context(java_script_enabled=False)
    page = unable.new_page()
    page.goto(f"{place.url}/s/{TEA.key}")
    expect(page.locator("noscript p")).to_be_visible()
    assert page.locator(".late").evaluate("it => getComputedStyle(it).display") == "none"
    unable.close()
