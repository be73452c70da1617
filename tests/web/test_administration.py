"""An administrator runs a collector in a real browser, without anything else."""

import hashlib
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from sudare import GRR
from sudare.collection.defaults import MINIMUM_REPORTS
from sudare.collection.document import Collection
from sudare.collector.http.auth import new_token
from sudare.collector.stores.contract import HeldCollection, Role, State
from support.analysts import at_port
from support.browsing import INVITED, TEA, WORDS, Stage, Visit, violations, visit
from support.node import install

pytestmark = pytest.mark.xdist_group("web")  # one browser, one collector
SECRET = replace(TEA, name="secret")
CLOSING = replace(TEA, name="closing")
GONE = replace(TEA, name="gone \u202e1")
FAIR = Collection("fair", "Is it?", ("yes", "no"), GRR.calibrate(2, 1.5))
UNREAD = replace(WORDS, name="unread")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with Stage(tmp_path_factory.mktemp("store")) as made:
        made.hold(TEA, public=True)
        for collection in (SECRET, CLOSING, GONE, UNREAD, INVITED):
            made.hold(collection)
        made.answer(TEA, {"green": 500, "black": 300})
        made.answer(SECRET, {"green": 300})
        yield made


@pytest.fixture(scope="module")
def url(stage: Stage) -> Iterator[str]:
    with at_port(stage) as address:
        yield address


@pytest.fixture
def admin(context: BrowserContext, stage: Stage, url: str) -> Page:
    """A page on which an administrator has signed in."""
    page = visit(context, f"{url}/").page
    sign_in(page, stage.tokens[Role.ADMIN])
    expect(page.get_by_role("button", name="New collection")).to_be_visible()
    return page


def sign_in(page: Page, token: str) -> None:
    """Sign in by the head of the page, by keyboard."""
    press(page, page.get_by_role("button", name="Sign in", exact=True))
    expect(page.get_by_label("Token")).to_be_focused()
    page.keyboard.type(token)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def reach(page: Page, wanted: Any, key: str = "Tab") -> None:
    """Go on by the keyboard until something has the focus."""
    for _ in range(80):
        if wanted.evaluate("it => it === document.activeElement"):
            return
        page.keyboard.press(key)
    pytest.fail(f"the keyboard doesn't reach {wanted}")


def press(page: Page, button: Any) -> None:
    """Reach a button by the keyboard, and press it."""
    expect(button).to_be_enabled()
    reach(page, button)
    page.keyboard.press("Enter")


def write(page: Page, label: str, text: str) -> None:
    """Reach a field by the keyboard, and write into it instead of what is there."""
    field = page.get_by_label(label, exact=True)
    reach(page, field)
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type(text)


def held(stage: Stage) -> dict[str, HeldCollection]:
    """The collections that are held, by their names."""
    return {one.collection.name: one for one in stage.store.held_collections()}


def answer(browser: Browser, link: str, label: str) -> None:
    """Somebody who was invited answers on a phone."""
    phone = browser.new_context(
        locale="en-GB", viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True
    )
    phone.set_default_timeout(20_000)
    page = visit(phone, link).page
    page.get_by_role("radio", name=label).check()
    page.get_by_role("button", name="Scramble and send").tap()
    expect(page.get_by_role("status").first).to_have_text(
        "Thank you! Your report has arrived and counts."
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    phone.close()


def create_a_survey(page: Page) -> None:
    """Fill in the form for a survey, and read what it would mean."""
    press(page, page.get_by_role("button", name="New collection"))
    expect(page.get_by_label("Question", exact=True)).to_be_focused()
    write(page, "Question", "Is the canteen good?")
    write(page, "Short name", "canteen")
    write(page, "Answers, one per line", "yes\nno")
    meaning = page.get_by_role("status", name="What that means")
    expect(meaning).to_contain_text(
        "Of 100 people who choose “\u2068yes\u2069”, about 73 report “\u2068yes\u2069”"
    )
    slider = page.get_by_role("slider")
    reach(page, slider)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "ε = 1.5")
    expect(meaning).to_contain_text("about 82 report “\u2068yes\u2069”")
    foreseen = FAIR.kind.foreseen_error(1000) or 0
    expect(meaning).to_contain_text(
        f"With 1,000 people, a share is known to about ±{100 * foreseen:.1f} percentage points"
    )
    write(page, "Show nothing below so many reports", "3")
    reach(page, page.get_by_label("By invitation only"))
    page.keyboard.press("Space")
    press(page, page.get_by_role("button", name="Create it"))
    expect(page.locator("h1")).to_have_text("Is the canteen good?")
    expect(page.get_by_role("status").first).to_have_text(
        "“\u2068canteen\u2069” is held from now on."
    )
    expect(page.get_by_role("button", name="New collection")).to_be_focused()


def invite_three(page: Page) -> list[str]:
    """The links of three new invitations."""
    press(page, page.get_by_role("button", name="Invitations"))
    write(page, "How many", "3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("status").first).to_have_text(
        "3 new invitations. Save them now: they are shown this once."
    )
    links = page.get_by_label("Links, one per line").input_value().split("\n")
    assert len(set(links)) == 3
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Invitations")).to_be_focused()
    return links


def test_a_survey_from_its_first_word_to_its_export(
    browser: Browser, stage: Stage, url: str
) -> None:
    """Signed in, made, three invited, answered, read, paused, closed: all of it by keyboard."""
    context = browser.new_context(locale="en-GB")
    context.set_default_timeout(20_000)
    requests: list[Request] = []
    context.on("request", lambda asked: requests.append(asked))  # noqa: PLW0108 - it takes no method
    made = visit(context, f"{url}/")
    page = made.page
    sign_in(page, stage.tokens[Role.ADMIN])
    expect(page.locator("header")).to_contain_text("Administrator · a test's")
    create_a_survey(page)
    canteen = held(stage)["canteen"].collection
    assert (canteen.answers, canteen.invited, canteen.minimum_reports) == (("yes", "no"), True, 3)
    assert page.url == f"{url}/#{canteen.key}"
    links = invite_three(page)
    for link, label in zip(links, ("yes", "yes", "no"), strict=True):
        answer(browser, link, label)
    expect(page.locator(".count")).to_have_text("3")
    expect(page.locator(".bars")).to_be_visible()

    seen = the_analyst_reads(browser, stage, url, canteen)
    press(page, page.get_by_role("button", name="Pause"))
    expect(page.locator(".manage")).to_contain_text("It is paused")
    expect(page.get_by_role("button", name="Resume")).to_be_focused()
    assert held(stage)["canteen"].state is State.PAUSED
    press(page, page.get_by_role("button", name="Close for good"))
    press(page, page.get_by_role("dialog").get_by_role("button", name="Close for good"))
    expect(page.locator(".manage")).to_contain_text("It is closed")
    expect(page.locator(".manage")).to_be_focused()  # the button is gone
    assert held(stage)["canteen"].state is State.CLOSED
    with page.expect_download() as download:
        press(page, page.get_by_role("button", name="CSV"))
    assert Path(download.value.path()).read_bytes() == seen
    assert made.complaints == []
    no_trace_of(stage.tokens[Role.ADMIN], page, requests)
    context.close()


def the_analyst_reads(browser: Browser, stage: Stage, url: str, collection: Collection) -> bytes:
    """What the analyst's page exports; they may manage nothing but the results."""
    context = browser.new_context(locale="en-GB")
    context.set_default_timeout(20_000)
    page = visit(context, f"{url}/#{collection.key}").page
    expect(page.get_by_text("These results aren’t public")).to_be_visible()
    expect(page.locator("body")).not_to_contain_text(collection.question)
    page.locator(".nothing").get_by_label("Token").fill(stage.tokens[Role.ANALYST])
    page.keyboard.press("Enter")
    expect(page.locator("header")).to_contain_text("Analyst")
    expect(page.locator(".result")).to_contain_text("yes")
    expect(page.locator(".manage")).to_be_visible()
    assert page.locator(".manage button").all_text_contents() == ["Make the results public"]
    expect(page.get_by_role("button", name="New collection")).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    data = Path(download.value.path()).read_bytes()
    context.close()
    return data


def no_trace_of(token: str, page: Page, requests: list[Request]) -> None:
    """A token has gone out in headers alone, and is kept in this tab alone."""
    secret = token.rpartition("_")[2]
    bearing = [one for one in requests if secret in one.headers.get("authorization", "")]
    assert len(bearing) > 5
    for one in requests:
        assert secret not in one.url
        assert secret not in (one.post_data or "")
        others = {name: text for name, text in one.headers.items() if name != "authorization"}
        assert secret not in str(others)
    places = page.evaluate(
        """async () => JSON.stringify([{ ...localStorage }, document.cookie, location.href,
             history.state, document.documentElement.outerHTML, await indexedDB.databases(),
             performance.getEntries().map(({ name }) => name)])"""
    )
    assert secret not in places
    assert page.evaluate("sessionStorage['sudare token']") == token
    while page.evaluate("navigation.canGoBack"):
        page.go_back()
        assert secret not in page.url


def test_a_wrong_token_and_one_that_has_ended_are_said_in_words(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    page = visit(context, f"{url}/").page
    page.get_by_role("button", name="Sign in", exact=True).click()
    field, said = page.get_by_label("Token"), page.get_by_role("dialog").get_by_role("alert")
    assert field.get_attribute("autocomplete") == "current-password"
    assert page.locator("form input[autocomplete=username]").count() == 1
    for wrong in ("sdr_nobody_nothing", "トークン"):
        field.fill(wrong)
        page.keyboard.press("Enter")
        expect(said).to_have_text("That didn’t work: this token is not valid here")
        expect(field).to_be_focused()
    field.fill(stage.token(Role.ANALYST, expires=int(time.time()) - 1))
    page.keyboard.press("Enter")
    expect(said).to_have_text("That didn’t work: this token has expired")
    assert page.evaluate("JSON.stringify(sessionStorage)") == "{}"


def test_signing_out_forgets_everything(admin: Page, stage: Stage) -> None:
    expect(admin.get_by_role("link", name="secret")).to_be_visible()
    admin.reload()  # the tab still knows
    expect(admin.get_by_role("link", name="secret")).to_be_visible()
    expect(admin.get_by_role("button", name="Tokens")).to_be_visible()
    admin.get_by_role("button", name="Sign out").click()
    expect(admin.get_by_role("link", name="secret")).to_have_count(0)
    expect(admin.get_by_role("button", name="Tokens")).to_have_count(0)
    expect(admin.locator(".manage")).to_have_count(0)
    expect(admin.get_by_role("link", name="tea")).to_be_visible()
    kept = admin.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])")
    assert stage.tokens[Role.ADMIN] not in kept


def test_a_token_that_is_revoked_elsewhere_signs_out(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    text, token = new_token(Role.ADMIN, "leaving")
    stage.store.add_token(token)
    page = visit(context, f"{url}/").page
    sign_in(page, text)
    expect(page.locator("header")).to_contain_text("leaving")
    expect(page.get_by_role("button", name="Tokens")).to_be_visible()
    stage.store.revoke(token.name)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("header").get_by_role("alert")).to_have_text(
        "You are signed out: this token is not valid here."
    )
    expect(page.get_by_role("button", name="Tokens")).to_have_count(0)
    assert page.evaluate("JSON.stringify(sessionStorage)") == "{}"


REFUSED = {
    "Short name": ({"Short name": "ta\u200bea"}, "A name of at least one letter"),
    "Answers, one per line": ({"Answers, one per line": "green"}, "At least two answers"),
    "ε: how much a report may tell": (
        {"ε: how much a report may tell": "0"},
        "A number above 0",
    ),
    "Show nothing below so many reports": (
        {"Show nothing below so many reports": "0"},
        "A whole number, 1 or more.",
    ),
}


@pytest.mark.parametrize("label", REFUSED)
def test_a_wish_that_cannot_be_had_is_said_at_its_field(
    admin: Page, stage: Stage, label: str
) -> None:
    before = held(stage).keys()
    changed, said = REFUSED[label]
    admin.get_by_role("button", name="New collection").click()
    right = {"Question": "Which?", "Short name": "tea", "Answers, one per line": "green\nblack"}
    for name, text in {**right, **changed}.items():
        admin.get_by_label(name, exact=True).fill(text)
    admin.get_by_role("button", name="Create it").click()
    field = admin.get_by_label(label, exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile(re.escape(said)))
    assert held(stage).keys() == before


EIGHT = {"Answers, one per line": "a\nb\nc\nd\ne\nf\ng\nh"}
FORMS: dict[str, tuple[list[str], dict[str, str]]] = {
    "subset": ([], EIGHT),
    "projective": (["Small reports"], EIGHT),
    "loloha": (["Asked again, and answers change"], EIGHT),
    "set": (["Several of a list of answers"], EIGHT),
    "window": (["A number"], {"In steps of": "５"}),  # in digits of full width
    "wave": (["A number", "The distribution"], {}),
}


@pytest.mark.parametrize("mechanism", FORMS)
def test_every_kind_of_question_is_made_and_takes_reports(
    admin: Page, stage: Stage, mechanism: str
) -> None:
    chosen, texts = FORMS[mechanism]
    name = f"made by {mechanism}"
    admin.get_by_role("button", name="New collection").click()
    for label in chosen:
        admin.get_by_role("radio", name=re.compile(f"^{label}")).check()
    for label, text in {"Question": "Which?", "Short name": name, **texts}.items():
        admin.get_by_label(label, exact=True).fill(text)
    meaning = admin.get_by_role("status", name="What that means")
    expect(meaning).to_contain_text(f"(mechanism: {mechanism})")
    expect(meaning).to_contain_text("95\u00a0% of the time")
    admin.get_by_role("button", name="Create it").click()
    expect(admin.locator(".kicker").first).to_contain_text(name)
    made = held(stage)[name].collection
    assert made.mechanism.name == mechanism
    stage.count(made, made.kind.blank_reports(3))


def test_a_range_that_goes_down_is_said_at_its_field(admin: Page) -> None:
    admin.get_by_role("button", name="New collection").click()
    admin.get_by_role("radio", name=re.compile("^A number")).check()
    admin.get_by_label("Question", exact=True).fill("Which?")
    admin.get_by_label("Short name", exact=True).fill("range")
    field = admin.get_by_label("From the least number to the largest")
    field.fill("200")
    admin.get_by_role("button", name="Create it").click()
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description(re.compile("the larger one last"))


def test_the_form_proposes_what_the_collector_would(admin: Page) -> None:
    admin.get_by_role("button", name="New collection").click()
    minimum = admin.get_by_label("Show nothing below so many reports")
    expect(minimum).to_have_value(str(MINIMUM_REPORTS))
    admin.get_by_label("In their own words").check()
    meaning = admin.get_by_role("status", name="What that means")
    expect(meaning).to_contain_text("64 groups, each shown from 100 reports on: about 6,400 people")
    admin.get_by_label("A state over time").check()
    admin.get_by_label("The two states, one per line").fill("off\non")
    expect(meaning).to_contain_text("(mechanism: kshot)")
    admin.get_by_role("radio", name="One report from each").check()
    expect(meaning).to_contain_text("(mechanism: glance)")


def test_who_sends_several_reports_can_not_be_invited(admin: Page) -> None:
    admin.get_by_role("button", name="New collection").click()
    admin.get_by_label("Question", exact=True).fill("On?")
    admin.get_by_label("Short name").fill("several")
    admin.get_by_label("A state over time").check()
    admin.get_by_label("The two states, one per line").fill("off\non")
    admin.get_by_label("ε: how much a report may tell").fill("8")
    invited = admin.get_by_role("checkbox", name="By invitation only")
    invited.check()
    refusal = admin.get_by_text("choose “one report from each”, or invite nobody")
    expect(refusal).to_be_visible()
    admin.get_by_role("button", name="Create it").click()
    expect(invited).to_be_focused()
    expect(invited).to_have_attribute("aria-invalid", "true")
    admin.get_by_role("radio", name="One report from each").check()
    expect(refusal).to_have_count(0)
    expect(invited).to_have_attribute("aria-invalid", "false")


def test_a_state_over_time_is_made_and_public(admin: Page, stage: Stage, url: str) -> None:
    admin.get_by_role("button", name="New collection").click()
    admin.get_by_label("Question", exact=True).fill("On?")
    admin.get_by_label("Short name").fill("states")
    admin.get_by_label("A state over time").check()
    admin.get_by_label("The two states, one per line").fill("off\non")
    admin.get_by_label("Everybody may read the results").check()
    admin.get_by_role("button", name="Create it").click()
    expect(admin.locator("h1")).to_have_text("On?")
    found = held(stage)["states"]
    assert (found.collection.kind.rounds, found.public) == (24, True)
    assert found.collection.windows is not None
    assert found.collection.windows.seconds == 86_400
    page = visit(admin.context, f"{url}/s/{found.collection.key}").page
    expect(page.get_by_text(re.compile("Round .* of 24"))).to_be_visible()


def test_closing_asks_and_can_be_left(admin: Page, stage: Stage, url: str) -> None:
    admin.goto(f"{url}/#{CLOSING.key}")
    admin.get_by_role("button", name="Close for good").click()
    expect(admin.get_by_role("dialog")).to_contain_text("would never take a report again")
    admin.get_by_role("button", name="Cancel").click()
    expect(admin.get_by_role("dialog")).to_have_count(0)
    expect(admin.get_by_role("button", name="Close for good")).to_be_focused()
    assert held(stage)["closing"].state is State.OPEN
    admin.get_by_role("button", name="Pause").click()
    admin.get_by_role("button", name="Resume").click()
    expect(admin.get_by_role("button", name="Pause")).to_be_visible()
    admin.get_by_role("button", name="Make the results public").click()
    expect(admin.get_by_role("status").first).to_have_text(
        "Everybody may read the results of “\u2068closing\u2069” now."
    )
    expect(admin.get_by_role("button", name="Make the results private")).to_be_visible()
    assert held(stage)["closing"].public
    admin.get_by_role("button", name="Make the results private").click()
    expect(admin.get_by_role("button", name="Make the results public")).to_be_visible()


def test_deleting_asks_for_the_name(admin: Page, stage: Stage, url: str) -> None:
    admin.goto(f"{url}/#{GONE.key}")
    admin.get_by_role("button", name="Delete").click()
    dialog = admin.get_by_role("dialog")
    name = admin.get_by_label("Type its name to delete it")
    name.fill("tea")
    admin.keyboard.press("Enter")
    expect(name).to_have_accessible_description("That isn’t its name.")
    assert GONE.name in held(stage)
    name.fill("gone <U+202E>1")  # as it is shown: nobody can type it
    dialog.get_by_role("button", name="Delete").click()
    expect(admin.get_by_role("status").first).to_contain_text("is deleted.")
    expect(admin.get_by_role("link", name="gone")).to_have_count(0)
    assert GONE.name not in held(stage)
    expect(admin.locator("main")).to_be_focused()


def test_candidates_are_pasted_or_read_from_a_file(
    admin: Page, stage: Stage, url: str, tmp_path: Path
) -> None:
    admin.goto(f"{url}/#{UNREAD.key}")
    admin.get_by_role("button", name="Candidates").click()
    text = admin.get_by_label("Candidates, one per line")
    admin.get_by_role("button", name="Use these").click()
    expect(text).to_be_focused()  # nothing is sent
    text.fill("news.example\n\nnews.example")
    expect(admin.get_by_role("dialog")).to_contain_text("1 candidate")
    path = tmp_path / "candidates.txt"
    path.write_text("news.example\nmail.example\nお茶.example\n", "utf-8")
    admin.get_by_label("Or from a text file, one per line").set_input_files(path)
    expect(admin.get_by_role("dialog")).to_contain_text("3 candidates")
    admin.get_by_role("button", name="Use these").click()
    expect(admin.get_by_role("status").first).to_contain_text("against 3 candidates now")
    kept = stage.store.candidates(UNREAD.key)
    assert kept is not None
    assert sorted(kept) == ["mail.example", "news.example", "お茶.example"]


DRAWN = """(svg) => {
  const size = svg.viewBox.baseVal.width, path = svg.querySelector("path");
  const rows = [];
  for (let y = 0; y < size; y++) {
    let row = "";
    for (let x = 0; x < size; x++) {
      row += path.isPointInFill(new DOMPoint(x + 0.5, y + 0.5)) ? "1" : "0";
    }
    rows.push(row);
  }
  return rows;
}"""


def test_invitations_are_links_a_file_and_codes(
    admin: Page, url: str, context: BrowserContext
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    admin.goto(f"{url}/#{INVITED.key}")
    admin.get_by_role("button", name="Invitations").click()
    admin.get_by_label("How many").fill("14")
    admin.keyboard.press("Enter")
    links = admin.get_by_label("Links, one per line").input_value().split("\n")
    digests = {hashlib.sha256(link.rpartition("=")[2].encode()).digest() for link in links}
    assert len(digests) == 14
    assert all(link.startswith(f"{url}/s/{INVITED.key}#invitation=") for link in links)
    admin.get_by_role("button", name="Copy all").click()
    expect(admin.get_by_text("Copied")).to_be_visible()
    assert admin.evaluate("navigator.clipboard.readText()") == "\n".join(links)
    with admin.expect_download() as download:
        admin.get_by_role("button", name="Save as a text file").click()
    assert Path(download.value.path()).read_text("utf-8").splitlines() == links
    assert download.value.suggested_filename == f"invitations-{INVITED.key[:12]}.txt"
    admin.get_by_role("button", name="QR codes").click()
    codes = admin.get_by_role("img", name=re.compile("^QR code of invitation"))
    expect(codes).to_have_count(12)
    first = codes.first.evaluate(DRAWN)
    # Three corners have the squares by which a code is found, and the fourth has none.
    quiet, finder = 4, ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
    end = len(first) - quiet
    for top, left in ((quiet, quiet), (quiet, end - 7), (end - 7, quiet)):
        assert [row[left : left + 7] for row in first[top : top + 7]] == finder
    assert [row[end - 7 : end] for row in first[end - 7 : end]] != finder
    assert set(first[:quiet]) == {"0" * len(first)}
    admin.get_by_role("button", name="Next").click()
    expect(codes).to_have_count(2)
    expect(admin.get_by_role("img", name="QR code of invitation 14")).to_be_visible()


def test_tokens_are_made_shown_once_and_revoked(
    admin: Page, stage: Stage, browser: Browser, url: str
) -> None:
    admin.get_by_role("button", name="Tokens").click()
    dialog = admin.get_by_role("dialog")
    own = {token.name: token for token in stage.store.tokens()}
    expect(dialog.get_by_role("listitem")).to_have_count(len(own))
    admin.get_by_label("Whose").fill("Aoi")
    admin.get_by_label("Role").select_option("analyst")
    admin.get_by_label("Last day").fill("2099-12-31")
    admin.get_by_role("button", name="Make a token").click()
    expect(dialog).to_contain_text("That didn’t work")  # the collector says how far away it may be
    admin.get_by_label("Last day").fill("")
    admin.get_by_role("button", name="Make a token").click()
    shown = dialog.locator(".note code")
    expect(shown).to_have_text(re.compile("^sdr_"))
    made = next(token for token in stage.store.tokens() if token.name not in own)
    assert (made.role, made.label) == (Role.ANALYST, "Aoi")
    assert shown.inner_text().startswith(f"sdr_{made.name}_")
    other = browser.new_context(locale="en-GB")
    page = visit(other, f"{url}/").page
    sign_in(page, shown.inner_text())
    expect(page.locator("header")).to_contain_text("Analyst · Aoi")
    other.close()
    dialog.get_by_role("button", name="Revoke \u2068Aoi\u2069").click()
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    admin.keyboard.press("Enter")
    expect(dialog.get_by_role("button", name="Revoke \u2068Aoi\u2069")).to_be_focused()
    assert made.name in {token.name for token in stage.store.tokens()}
    dialog.get_by_role("button", name="Revoke \u2068Aoi\u2069").click()
    dialog.get_by_text("Revoke for good").click()
    expect(dialog.get_by_text("\u2068Aoi\u2069 can’t sign in any more.")).to_be_visible()
    assert made.name not in {token.name for token in stage.store.tokens()}
    expect(admin.get_by_label("Whose")).to_be_focused()
    last = stage.tokens[Role.ADMIN].split("_")[1]
    own_row = dialog.get_by_role("listitem").filter(has_text=last)
    own_row.get_by_role("button").click()
    own_row.get_by_text("Revoke for good").click()
    expect(dialog.get_by_role("alert").last).to_contain_text("the last administrator’s token")
    expect(admin.get_by_role("button", name="Sign out")).to_have_count(1)


SMALL = """() => [...document.querySelectorAll(
    "dialog[open] :is(button, select, textarea, label:has(input)), .tools button, .manage button")]
  .filter((each) => each.getClientRects().length && each.getBoundingClientRect().height < 43.5)
  .map((each) => each.outerHTML)"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_everybody_can_use_it(
    browser: Browser, stage: Stage, url: str, theme: Any, width: int
) -> None:
    install()
    context = browser.new_context(
        locale="ja-JP" if theme == "dark" else "en-GB",
        color_scheme=theme,
        viewport={"width": width, "height": 800},
        bypass_csp=True,  # for the examiner, not for the page: other tests hold the policy
    )
    context.set_default_timeout(20_000)
    made = visit(context, f"{url}/#{INVITED.key}")
    page = made.page

    def examined(what: str) -> None:
        page.wait_for_timeout(300)
        assert violations(page) == [], what
        assert page.evaluate(SMALL) == [], what
        assert page.evaluate("document.documentElement.scrollWidth") <= width, what
        wide = (
            "[...document.querySelectorAll('dialog')].map((it) => it.scrollWidth - it.clientWidth)"
        )
        assert set(page.evaluate(wide)) <= {0}, what

    expect(page.locator(".nothing .sign-in")).to_be_visible()
    examined("not public")
    page.locator("header .who button").click()
    page.locator("dialog input[type=password]").fill(stage.tokens[Role.ADMIN])
    examined("signing in")
    page.keyboard.press("Enter")
    expect(page.locator(".manage")).to_be_visible()
    examined("signed in")
    page.locator(".tools button").first.click()
    for asks in ("text", "states", "several", "number", "questions", "choice"):
        page.locator(f"input[value={asks}]").check()
        examined(asks)
    page.locator("#new-answers").fill("a\nb")
    expect(page.locator(".meaning li").first).to_be_visible()
    page.locator("dialog .main").click()
    expect(page.locator("#new-question")).to_have_attribute("aria-invalid", "true")
    examined("refused")
    page.keyboard.press("Escape")
    page.locator(".tools button").nth(1).click()
    expect(page.locator(".tokens li").first).to_be_visible()
    page.locator(".tokens button").first.click()
    examined("tokens")
    page.keyboard.press("Escape")
    page.locator(".manage .danger").click()
    examined("delete")
    page.keyboard.press("Escape")
    page.locator(".manage .buttons").nth(1).locator("button").nth(1).click()
    page.locator("#invitations-count").fill("2")
    page.keyboard.press("Enter")
    page.locator("[aria-expanded]").click()
    expect(page.locator("svg.code")).to_have_count(2)
    examined("invitations")
    assert made.complaints == []
    context.close()


def test_nobody_who_only_reads_loads_the_administration(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    made = Visit(context.new_page())
    loaded: list[str] = []
    made.page.on("request", lambda request: loaded.append(request.url))
    made.page.goto(f"{url}/")
    expect(made.page.locator(".bars")).to_be_visible()
    assert not [address for address in loaded if "administration" in address]
    sign_in(made.page, stage.tokens[Role.ADMIN])
    expect(made.page.get_by_role("button", name="New collection")).to_be_visible()
    assert [address for address in loaded if "administration" in address]
