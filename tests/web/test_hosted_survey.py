"""The survey page on a host of its own, before a real collector, in a real browser."""

import hashlib
import hmac
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from sudare import Collection, Device
from sudare.collector.hosted_page import hosted_files
from sudare.collector.stores.contract import Role
from sudare.formats.files import write_folder
from support.analysts import at_port
from support.browsing import COLOURS, INVITED, TEA, WORDS, Stage, Visit, visit
from support.hosting import hosting

pytestmark = pytest.mark.xdist_group("web")  # as all that starts a browser
OTHER = replace(TEA, name="other tea")
ARRIVED = "Thank you! Your report has arrived and counts."


@dataclass(frozen=True)
class Survey:
    """A collector, and a page of another host that was written for it."""

    stage: Stage
    collector: str
    host: str

    def page(self, collection: Collection, then: str = "") -> str:
        """The link that people get."""
        return f"{self.host}/deep/down/#key={collection.key}{then}"

    def counted(self, collection: Collection) -> int:
        return sum(window.n for window in self.stage.store.windows(collection.key))


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Survey]:
    folder = tmp_path_factory.mktemp("host")
    (folder / "deep").mkdir()
    with (
        hosting(folder) as host,
        Stage(tmp_path_factory.mktemp("store"), origins=[host]) as stage,
    ):
        for collection in (TEA, OTHER, COLOURS, WORDS, INVITED):
            stage.hold(collection)
        with at_port(stage) as collector:
            write_folder(folder / "deep" / "down", hosted_files(collector))
            yield Survey(stage, collector, host)


def answer(page: Page, label: str) -> None:
    page.get_by_role("radio", name=label).check()
    page.get_by_role("button", name="Scramble and send").click()


def kept(page: Page) -> str:
    return str(page.evaluate("JSON.stringify(localStorage)"))


def test_an_answer_on_another_hosts_page_is_counted_once(
    context: BrowserContext, survey: Survey
) -> None:
    made = visit(context, survey.page(TEA))
    page = made.page
    host, collector = (url.removeprefix("http://") for url in (survey.host, survey.collector))
    said = page.locator(".supplier")
    expect(said).to_contain_text(f"comes from {host}, which could serve another one")
    expect(said).to_contain_text(f"{collector} can do neither: it gets your report")
    answer(page, "green")
    expect(page.get_by_role("status").first).to_have_text(ARRIVED)
    [posted] = made.posted
    assert posted.url == f"{survey.collector}/collections/{TEA.key}/reports?window=0"
    assert page.locator("[data-sent=to]").inner_text() == f"POST {posted.url}"
    headers = posted.all_headers()
    assert headers["origin"] == survey.host
    assert not {"cookie", "authorization", "referer"} & headers.keys()
    assert survey.counted(TEA) == 1
    page.reload()
    expect(page.get_by_text("You have answered.")).to_be_visible()
    assert len(made.posted) == 1
    assert made.complaints == []
    # The collector's own page knows nothing of it: another origin, other notes.
    theirs = visit(context, f"{survey.collector}/s/{TEA.key}").page
    expect(theirs.get_by_role("radio")).to_have_count(4)
    expect(theirs.locator(".supplier")).to_contain_text(f"comes from {collector}, which also gets")
    assert TEA.key in kept(page)
    assert TEA.key not in kept(theirs)
    assert theirs.evaluate("indexedDB.databases()") == []


def test_another_link_in_the_same_tab_is_another_survey(
    context: BrowserContext, survey: Survey
) -> None:
    page = visit(context, survey.page(OTHER)).page
    expect(page.locator(".kicker")).to_have_text("other tea")
    page.goto(survey.page(COLOURS))
    expect(page.locator(".kicker")).to_have_text("colours")
    page.goto(f"{survey.host}/deep/down/")
    expect(page.get_by_role("alert")).to_contain_text("This link is incomplete")


def test_an_invitation_and_a_pause_reach_another_hosts_page(
    context: BrowserContext, survey: Survey
) -> None:
    bearer = {"Authorization": f"Bearer {survey.stage.tokens[Role.ADMIN]}"}
    path = f"{survey.collector}/collections/{INVITED.key}"
    [token] = httpx.post(f"{path}/invitations", headers=bearer).json()["invitations"]
    made = visit(context, survey.page(INVITED, f"&invitation={token}"))
    page, said = made.page, made.page.get_by_role("status").first
    expect(page.get_by_role("radio")).to_have_count(2)
    httpx.post(f"{path}/pause", headers=bearer).raise_for_status()
    answer(page, "yes")
    expect(page.get_by_role("alert")).to_contain_text("This survey is paused")
    assert made.posted == []
    httpx.post(f"{path}/open", headers=bearer).raise_for_status()
    page.get_by_role("button", name="Try again").click()
    expect(said).to_have_text(ARRIVED)
    assert {request.headers["sudare-invitation"] for request in made.posted} == {token}
    assert survey.counted(INVITED) == 1


def test_the_collector_cannot_swap_the_question_of_another_hosts_page(
    context: BrowserContext, survey: Survey
) -> None:
    def swapped(route: Route) -> None:
        allowed = {"Access-Control-Allow-Origin": survey.host}
        route.fulfill(body=OTHER.to_json(), content_type="application/json", headers=allowed)

    context.route(f"{survey.collector}/collections/{TEA.key}", swapped)
    page = visit(context, survey.page(TEA)).page
    expect(page.get_by_role("alert")).to_contain_text("isn’t the survey of your link")


def test_another_hosts_page_can_speak_to_its_collector_alone(
    context: BrowserContext, survey: Survey
) -> None:
    page = visit(context, survey.page(TEA)).page
    expect(page.get_by_role("radio").first).to_be_visible()
    reaches = "address => fetch(address, { mode: 'no-cors' }).then(() => true, () => false)"
    assert page.evaluate(reaches, f"{survey.collector}/healthz")
    assert not page.evaluate(reaches, f"{survey.host}/deep/down/index.html")
    assert not page.evaluate(reaches, "https://elsewhere.example/")


REFUSED = {
    "en-GB": "{collector} answers, but doesn’t let this page read it. "
    "Whoever runs it must start it with “--allow-origin {host}”.",
    "ja-JP": "{collector} は応答していますが、このページからの読み取りを許可していません。"
    "運営者が「--allow-origin {host}」を付けて起動する必要があります。",
}


@pytest.mark.parametrize("language", REFUSED)
def test_a_collector_that_does_not_allow_the_page_is_said_in_words(
    browser: Browser, tmp_path: Path, language: str
) -> None:
    context = browser.new_context(locale=language)
    (tmp_path / "host").mkdir()
    with hosting(tmp_path / "host") as host, Stage(tmp_path) as stage:
        stage.hold(TEA)
        with at_port(stage) as collector:
            write_folder(tmp_path / "host" / "page", hosted_files(collector))
            page = visit(context, f"{host}/page/#key={TEA.key}").page
            alert = page.get_by_role("alert")
            expect(alert).to_contain_text(REFUSED[language].format(collector=collector, host=host))
            expect(page.get_by_role("radio")).to_have_count(0)
        page.get_by_role("button").click()  # the collector has stopped
        unreached = {"en-GB": "The survey can’t be reached", "ja-JP": "アンケートに接続できません"}
        expect(alert).to_contain_text(unreached[language])
    context.close()


@pytest.mark.parametrize("file", ["survey-*.js", "en-*.js", "survey-*.css"])
def test_a_file_that_was_changed_is_not_run(
    context: BrowserContext, survey: Survey, file: str
) -> None:
    """Of the words the digest stands in the import map: nothing else would hold them."""

    def changed(route: Route) -> None:
        route.fulfill(response=(fetched := route.fetch()), body=fetched.text() + "/* more */")

    for address in (survey.page(TEA), f"{survey.collector}/s/{TEA.key}"):
        context.route(f"**/assets/{file}", changed)
        made = visit(context, address)
        made.page.wait_for_load_state("networkidle")
        assert any("integrity" in complaint for complaint in made.complaints), made.complaints
        if file.endswith(".js"):
            # What the page itself says stands there; nothing of the program was run.
            expect(made.page.locator("#page .coming")).to_be_visible()
            expect(made.page.get_by_role("combobox")).to_have_count(0)
        context.unroute(f"**/assets/{file}")


SECRET = bytes(range(32))
DIGEST = """async () => {
  const database = await new Promise((done) => {
    const opening = indexedDB.open("sudare");
    opening.onsuccess = () => done(opening.result);
  });
  const key = await new Promise((done) => {
    const asked = database.transaction("keys").objectStore("keys").get("sudare secret");
    asked.onsuccess = () => done(asked.result);
  });
  const read = await crypto.subtle.exportKey("raw", key).then(() => "read", (error) => error.name);
  const digest = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode("any"));
  database.close();
  return [read, Array.from(new Uint8Array(digest))];
}"""


def as_text(context: BrowserContext, survey: Survey, secret: bytes) -> None:
    """Leave a secret in the browser as pages of before did."""
    page = context.new_page()
    page.goto(f"{survey.collector}/healthz")
    page.evaluate("text => localStorage.setItem('sudare secret', text)", secret.hex())
    page.close()


def test_a_fresh_secret_can_be_used_but_not_taken_away(
    context: BrowserContext, survey: Survey
) -> None:
    made = visit(context, f"{survey.collector}/s/{WORDS.key}")
    page = made.page
    page.get_by_role("textbox").first.fill("news.example")
    assert "sudare secret" not in kept(page)
    page.get_by_role("button", name="Scramble and send").click()
    expect(page.get_by_role("status").first).to_have_text(ARRIVED)
    assert page.evaluate("localStorage['sudare secret']") == "kept as a key"
    read, _ = page.evaluate(DIGEST)
    assert read == "InvalidAccessError"
    assert made.complaints == []


def test_a_secret_of_before_becomes_a_key_in_two_tabs_at_once(
    context: BrowserContext, survey: Survey
) -> None:
    as_text(context, survey, SECRET)
    pages = [context.new_page() for _ in range(2)]
    for page in pages:  # neither waits for the other
        page.evaluate(
            "address => { location.href = address; }", f"{survey.collector}/s/{WORDS.key}"
        )
    for page in pages:
        expect(page.get_by_role("textbox").first).to_be_visible()
        assert page.evaluate("localStorage['sudare secret']") == "kept as a key"
        digest = list(hmac.digest(SECRET, b"any", hashlib.sha256))
        assert page.evaluate(DIGEST) == ["InvalidAccessError", digest]
    assert SECRET.hex() not in kept(pages[0])
    # What the secret fixes is what Python's device keeps, such as the cohort.
    pages[0].get_by_role("textbox").first.fill("news.example")
    pages[0].get_by_role("button", name="Scramble and send").click()
    expect(pages[0].get_by_role("status").first).to_have_text(ARRIVED)
    record = pages[0].locator("[data-sent=record]").inner_text().replace(" ", "")
    sent = np.frombuffer(bytes.fromhex(record), WORDS.report_dtype)
    assert sent["cohort"] == Device(SECRET).report(WORDS, "news.example")["cohort"]


def test_a_key_that_is_gone_stops_the_page(context: BrowserContext, survey: Survey) -> None:
    page = context.new_page()
    page.goto(f"{survey.collector}/healthz")
    page.evaluate("localStorage.setItem('sudare secret', 'kept as a key')")
    page = visit(context, f"{survey.collector}/s/{WORDS.key}").page
    expect(page.get_by_role("alert")).to_contain_text("can’t be trusted")
    expect(page.get_by_role("textbox")).to_have_count(0)


def test_over_plain_http_the_secret_stays_text_and_one_answer_is_sent(
    context: BrowserContext, survey: Survey
) -> None:
    """From another machine, to the browser: it then has neither keys nor locks."""
    plain = "http://collector.example"

    def forwarded(route: Route) -> None:
        answer = route.fetch(url=route.request.url.replace(plain, survey.collector))
        route.fulfill(response=answer)

    context.route(f"{plain}/**", forwarded)
    made = visit(context, f"{plain}/s/{COLOURS.key}")
    page = made.page
    assert page.evaluate("[isSecureContext, 'locks' in navigator]") == [False, False]
    check_that_one_answer_is_sent(made, survey)
    assert re.fullmatch("[0-9a-f]{64}", page.evaluate("localStorage['sudare secret']"))


def test_with_locks_an_answer_is_sent_once_however_often_the_button_is_pressed(
    context: BrowserContext, survey: Survey
) -> None:
    made = visit(context, survey.page(COLOURS))
    assert made.page.evaluate("[isSecureContext, 'locks' in navigator]") == [True, True]
    check_that_one_answer_is_sent(made, survey)
    assert made.page.evaluate("localStorage['sudare secret']") == "kept as a key"


def check_that_one_answer_is_sent(made: Visit, survey: Survey) -> None:
    """Press the button three times before the page has done anything."""
    page, before = made.page, survey.counted(COLOURS)
    page.get_by_role("radio", name="blue").check()
    page.evaluate("for (const _ of [1, 2, 3]) document.querySelector('form').requestSubmit()")
    expect(page.get_by_text("You have answered.").first).to_be_visible()
    settled = (
        "key => JSON.parse(localStorage[`sudare sent ${key}`]).every(({ settled }) => settled)"
    )
    page.wait_for_function(settled, arg=COLOURS.key)
    assert len(made.posted) == 1
    assert survey.counted(COLOURS) == before + 1
