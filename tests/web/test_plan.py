"""The planner in a real browser: what an address shows is what ``sudare.plan`` says."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any, get_args
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

import sudare
from sudare.collector.stores.contract import Role
from sudare.errors import NoPlanReason
from sudare.planning.kinds import KINDS
from sudare.planning.wish import Wish
from sudare.results.planning import meaning, recommendation
from support.analysts import at_port
from support.browsing import TEA, Stage, violations, visit
from support.node import WEB, install

pytestmark = pytest.mark.xdist_group("web")  # one browser, one collector
CHOICE = "/plan?kind=choice&answers=43&epsilon=1&error=0.01"
REFUSED = "/plan?kind=choice&answers=43&people=200&epsilon=0.5"
SOURCE = WEB / "src/plan"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with Stage(tmp_path_factory.mktemp("store")) as made:
        made.hold(TEA, public=True)
        yield made


@pytest.fixture(scope="module")
def url(stage: Stage) -> Iterator[str]:
    with at_port(stage) as address:
        yield address


def plain(text: str) -> str:
    """A text with spaces of one kind."""
    return re.sub(r"\s+", " ", text).strip()


def sentence(page: Page) -> Locator:
    """What is recommended, or why nothing is."""
    return page.locator(".advice .sentence")


def settled(page: Page) -> None:
    """Wait for the plan of what stands in the form."""
    expect(page.locator(".results:not(.old) .sentence")).to_be_visible()


def address_of(page: Page) -> str:
    """The page's address on its server."""
    parts = urlsplit(page.url)
    return f"{parts.path}?{parts.query}"


def test_the_page_knows_the_wishes_of_every_kind() -> None:
    source = (SOURCE / "fields.ts").read_text("utf-8")
    listed = re.search(r"export const OWN.*?= \{(.*?)\n\};", source, re.DOTALL)
    assert listed is not None
    own = {
        kind: {"most" if name == "most_each" else name for name in re.findall(r'"(\w+)"', names)}
        for kind, names in re.findall(r"^  (\w+): \[(.*)\]", listed[1], re.MULTILINE)
    }
    assert own == {
        name: {item.name for item in fields(kind) if item.init} for name, kind in KINDS.items()
    }


def test_what_the_page_leaves_out_is_what_the_planner_takes() -> None:
    """Only what isn't usual stands in an address."""
    source = (SOURCE / "fields.ts").read_text("utf-8")
    usual = dict(
        re.findall(
            r'^  (\w+): .*?(?:usual: |(?:whole|number|percent)\()"([^"]*)"', source, re.MULTILINE
        )
    )
    shares = set(re.findall(r"^  (\w+): .*?percent[\(]", source, re.MULTILINE))
    checked = set()
    for item in [*fields(Wish), *(item for kind in KINDS.values() for item in fields(kind))]:
        name = "most_each" if item.name == "most" and item.default == 1 else item.name
        if item.default is MISSING or name in {"people", "epsilon", "error"}:
            continue
        if name in {"smallest_share", "difference"}:
            continue
        checked.add(name)
        if item.default is None or item.default is False:
            assert usual[name] == "", name
        elif isinstance(item.default, str):
            assert usual[name] == item.default
        else:
            scale = 100 if name in shares else 1
            assert math.isclose(float(usual[name]), scale * float(item.default)), name
    assert len(checked) > 14


def test_the_page_has_words_for_every_refusal_with_ways_out() -> None:
    source = (SOURCE / "language/en.ts").read_text("utf-8")
    refusals = re.search(r"  refusals: \{(.*?)\n  \}", source, re.DOTALL)
    assert refusals is not None
    known = set(re.findall(r"^    (\w+):", refusals[1], re.MULTILINE))
    assert known == set(get_args(NoPlanReason))


def test_the_words_for_epsilon_change_where_the_command_lines_do() -> None:
    source = (SOURCE / "sense.ts").read_text("utf-8")
    stated = re.search(r"^const ENDS = \[(.*)\] as const;$", source, re.MULTILINE)
    assert stated is not None
    ends = [float(end) for end in stated[1].split(", ")]

    def word(epsilon: float) -> str:
        return meaning(epsilon).rsplit("(", 1)[1]

    steps = [math.nextafter(end, math.inf) for end in ends]
    assert [word(end) for end in ends] == [word(low) for low in (0.01, *steps[:-1])]
    assert len({word(end) for end in (*ends, 9.0)}) == len(ends) + 1


PLANS: dict[str, tuple[str, dict[str, Any]]] = {
    "people": (CHOICE, {"kind": "choice", "answers": 43, "epsilon": 1, "error": 0.01}),
    "epsilon": (
        "/plan?kind=choice&answers=10&people=20000&error=0.02&response_rate=0.4",
        {"kind": "choice", "answers": 10, "people": 20_000, "error": 0.02, "response_rate": 0.4},
    ),
    "error": (
        "/plan?kind=choice&answers=5&people=50000&epsilon=4&visits=52&changes=3",
        {"kind": "choice", "answers": 5, "people": 50_000, "epsilon": 4, "visits": 52}
        | {"changes": 3},
    ),
    "groups": (
        "/plan?kind=choice&answers=2&epsilon=2&difference=0.02&share=0.3&compare=0.5",
        {"kind": "choice", "answers": 2, "epsilon": 2, "difference": 0.02, "share": 0.3}
        | {"compare": 0.5},
    ),
    "several": (
        "/plan?kind=several&answers=20&most=3&epsilon=2&error=0.02",
        {"kind": "several", "answers": 20, "most": 3, "epsilon": 2, "error": 0.02},
    ),
    "distribution": (
        "/plan?kind=number&least=0&largest=24&step=0.5&found_out=distribution&people=50000&epsilon=2",
        {"kind": "number", "least": "0", "largest": "24", "step": "0.5", "people": 50_000}
        | {"found_out": "distribution", "epsilon": 2},
    ),
    "text": (
        "/plan?kind=text&epsilon=2&smallest_share=0.01",
        {"kind": "text", "epsilon": 2, "smallest_share": 0.01},
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_an_address_shows_the_plan_that_python_makes(
    context: BrowserContext, url: str, name: str
) -> None:
    address, wishes = PLANS[name]
    plan = sudare.plan(**wishes)
    made = visit(context, url + address)
    page = made.page
    expect(sentence(page)).to_be_visible()
    assert plain(sentence(page).inner_text()) == plain(recommendation(plan))
    shown = page.locator(".card:has(> h2:text('Every mechanism')) tbody tr th bdi")
    assert shown.all_inner_texts() == [row.name for row in plan.rows]
    expect(page.locator(".found b")).to_have_count(1)
    expect(page.locator(".command code")).to_have_text(plan.command)
    assert page.locator("details[open] summary").count() == (name in {"epsilon", "error", "groups"})
    assert address_of(page) == address
    assert made.complaints == []


def test_without_a_query_there_is_a_first_plan(context: BrowserContext, url: str) -> None:
    page = visit(context, f"{url}/plan").page
    settled(page)
    assert plain(sentence(page).inner_text()).startswith("Ask 27,267 people with subset at ε = 1: ")
    expect(page).to_have_url(f"{url}/plan?kind=choice&answers=10&epsilon=1&error=0.02")
    page.get_by_role("link", name="To the collector").click()
    expect(page.locator("h1")).to_have_text(TEA.question)


def test_what_cannot_be_read_in_an_address_is_said(context: BrowserContext, url: str) -> None:
    page = visit(context, f"{url}/plan?kind=choice&answers=many&epsilon=1&colour=red").page
    expect(page.get_by_role("alert")).to_contain_text("answers")
    expect(page.get_by_role("alert")).to_contain_text("colour")
    settled(page)
    page.get_by_label("Answers on the list", exact=True).fill("1")
    expect(page.locator("#wish-answers-refusal")).to_contain_text("A whole number from 2")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".advice")).to_contain_text("can’t be read")
    page.get_by_label("Answers on the list", exact=True).fill("１２")
    settled(page)
    expect(page).to_have_url(re.compile("answers=12"))


def reach(page: Page, wanted: Locator) -> None:
    """Go on by the keyboard until something has the focus."""
    for _ in range(40):
        if wanted.evaluate("it => it === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"the keyboard doesn't reach {wanted}")


def test_another_plan_by_the_keyboard_alone(context: BrowserContext, url: str) -> None:
    page = visit(context, url + CHOICE).page
    settled(page)
    reach(page, page.get_by_role("radio", name="One of a list"))
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("kind=several&answers=43&most=3"))
    slider = page.get_by_role("slider", name="Answers on the list")
    reach(page, slider)
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "5")
    reach(page, page.get_by_role("radio", name="People", exact=True))
    page.keyboard.press("ArrowRight")  # ε is found then, for the people that were found
    reach(page, page.get_by_label("People who are asked", exact=True))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("40000")
    expect(page).to_have_url(re.compile(r"answers=5&most=3&people=40000&error=0\.01$"))
    settled(page)
    plan = sudare.plan("several", answers=5, most=3, people=40_000, error=0.01)
    assert plain(sentence(page).inner_text()) == plain(recommendation(plan))
    curve = page.get_by_role("slider", name="What another ε would take")
    reach(page, curve)
    page.keyboard.press("Home")
    expect(curve).to_have_attribute("aria-valuetext", re.compile(r"^ε = 0\.25: "))
    page.go_back()
    expect(page).to_have_url(url + CHOICE)
    settled(page)
    expect(page.get_by_role("radio", name="One of a list")).to_be_checked()


def test_what_was_found_is_given_when_something_else_is_to_be(
    context: BrowserContext, url: str
) -> None:
    page = visit(context, url + CHOICE).page
    settled(page)
    page.get_by_role("radio", name="Precision").check()
    expect(page).to_have_url(re.compile("kind=choice&answers=43&people=133383&epsilon=1$"))
    settled(page)
    assert plain(page.locator(".found b").inner_text()) == "± 1 %"


def test_a_refusal_leads_to_a_plan(context: BrowserContext, url: str) -> None:
    page = visit(context, url + REFUSED).page
    expect(sentence(page)).to_contain_text("200 people at ε = 0.5 would show nothing but noise")
    for way in ("Ask 1,090 people", "Take ε = 1.112", "Merge the answers to 5"):
        page.get_by_role("button", name=way).click()
        expect(page.locator(".advice")).to_be_focused()
        settled(page)
        expect(sentence(page)).to_contain_text("is then known to")
        page.go_back()
        expect(sentence(page)).to_contain_text("nothing but noise")
    assert address_of(page) == REFUSED


def test_what_has_no_words_of_the_pages_is_said_in_the_collectors(
    context: BrowserContext, url: str
) -> None:
    page = visit(context, f"{url}/plan?kind=number&least=0&largest=10&step=3&people=9&epsilon=1")
    said = page.page.locator(".advice [lang=en]")
    expect(said).to_contain_text("steps of 3 don't lead from 0 to 10, but to 9 or 12")


def test_a_busy_collector_is_asked_again(context: BrowserContext, url: str) -> None:
    asked: list[str] = []

    def busy(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.fulfill(status=429, headers={"Retry-After": "1"}, body="{}")
        else:
            route.continue_()

    context.route("**/plans?*", busy)
    page = visit(context, url + CHOICE).page
    settled(page)
    assert len(asked) == 2


def test_without_a_collector_nothing_is_made(context: BrowserContext, url: str) -> None:
    def plainly(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(status=answer.status, content_type="application/json", body=answer.body())

    context.route("**/plans?*", plainly)
    page = visit(context, url + CHOICE).page
    settled(page)
    expect(page.get_by_role("link")).to_have_count(0)
    expect(page.locator(".command code")).to_contain_text("sudare collection new NAME")


def sign_in(page: Page, stage: Stage, role: Role = Role.ADMIN) -> None:
    page.get_by_label("Token").fill(stage.tokens[role])
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def made_of(stage: Stage, name: str) -> sudare.Collection:
    [found] = [
        one.collection for one in stage.store.held_collections() if one.collection.name == name
    ]
    return found


def test_an_administrator_makes_the_collection_of_a_plan(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    made = visit(context, f"{url}/")
    page = made.page
    page.get_by_role("button", name="Sign in").click()
    sign_in(page, stage)
    page.get_by_role("link", name="Plan a collection").click()
    page.get_by_label("Answers on the list", exact=True).fill("3")
    expect(page).to_have_url(re.compile("answers=3"))
    settled(page)
    page.get_by_role("link", name="Make this collection").click()
    dialog = page.get_by_role("dialog", name="New collection")
    expect(dialog.get_by_role("status")).to_contain_text("mechanism: ")
    expect(dialog.get_by_role("slider")).to_have_count(0)
    dialog.get_by_label("Question", exact=True).fill("Which tea?")
    dialog.get_by_label("Short name").fill("planned")
    answers = dialog.get_by_label("Answers, one per line")
    answers.fill("green\nblack")
    expect(dialog).to_contain_text("2 of the plan’s 3.")
    dialog.get_by_role("button", name="Create it").click()
    expect(answers).to_be_focused()
    expect(dialog).to_contain_text("The plan is for 3 answers")
    answers.fill("green\nblack\noolong")
    expect(dialog.get_by_role("status")).to_contain_text("who choose “\u2068green\u2069”")
    dialog.get_by_role("button", name="Create it").click()
    expect(page.locator("h1")).to_have_text("Which tea?")
    plan = sudare.plan("choice", answers=3, epsilon=1, error=0.02)
    held = made_of(stage, "planned")
    assert held.mechanism == plan.recommended.design.mechanism
    assert held.answers == ("green", "black", "oolong")
    expect(page).to_have_url(f"{url}/#{held.key}")
    [posted, _] = [each for each in made.posted if not each.url.endswith("/plans")][-1:] * 2
    assert json.loads(posted.post_data or "") == json.loads(held.to_json())
    assert made.complaints == []


def test_who_is_not_signed_in_signs_in_first(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    page = visit(context, f"{url}/plan?kind=stream&rounds=20&people=10000&epsilon=4").page
    page.get_by_role("link", name="Make this collection").click()
    expect(page.locator("h1")).to_have_text("Make the collection of a plan")
    sign_in(page, stage)
    dialog = page.get_by_role("dialog", name="New collection")
    dialog.get_by_label("Question", exact=True).fill("Online?")
    dialog.get_by_label("Short name").fill("planned stream")
    dialog.get_by_label("The two states, one per line").fill("off\non")
    dialog.get_by_label("A window lasts").fill("20")
    dialog.get_by_label("Unit").select_option("minutes")
    dialog.get_by_role("button", name="Create it").click()
    expect(page.locator("h1")).to_have_text("Online?")
    held = made_of(stage, "planned stream")
    plan = sudare.plan("stream", rounds=20, people=10_000, epsilon=4)
    assert held.mechanism == plan.recommended.design.mechanism
    assert held.windows is not None
    assert held.windows.seconds == 1200


def test_an_analyst_is_told_who_can(context: BrowserContext, stage: Stage, url: str) -> None:
    page = visit(context, f"{url}/#plan?kind=choice&answers=3&epsilon=1&error=0.02").page
    sign_in(page, stage, Role.ANALYST)
    expect(page.locator(".notice")).to_contain_text("An administrator")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_several_questions_keep_the_plans_sizes(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    page = visit(context, f"{url}/#plan?kind=questions&sizes=3,2&people=20000&epsilon=2").page
    sign_in(page, stage)
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("status")).to_contain_text("mechanism: ")
    expect(dialog.locator("fieldset.asked")).to_have_count(2)
    expect(dialog.get_by_role("button", name="Add another question")).to_have_count(0)
    expect(dialog).to_contain_text("0 of the plan’s 3.")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page).not_to_have_url(re.compile("plan"))


def test_two_parties_have_a_command_alone(context: BrowserContext, url: str) -> None:
    page = visit(context, f"{url}/plan?kind=joint&epsilon=1&error=0.001").page
    settled(page)
    expect(page.locator(".command code")).to_contain_text("sudare joint-count new NAME")
    expect(page.get_by_role("link", name="Make this collection")).to_have_count(0)


def test_the_form_for_a_collection_leads_to_the_planner(
    context: BrowserContext, stage: Stage, url: str
) -> None:
    page = visit(context, f"{url}/").page
    page.get_by_role("button", name="Sign in").click()
    sign_in(page, stage)
    page.get_by_role("button", name="New collection").click()
    page.get_by_label("Answers, one per line").fill("a\nb\nc\nd")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Plan it").click()
    planner = opened.value
    settled(planner)
    expect(planner).to_have_url(f"{url}/plan?kind=choice&answers=4&people=1000&epsilon=1")
    planner.get_by_role("link", name="Make this collection").click()
    expect(planner.get_by_role("dialog")).to_be_visible()  # signed in there, too


SMALL = """() => [
    ...document.querySelectorAll("main :is(button, select, summary, label:has(input))"),
  ]
  .filter((each) => each.getClientRects().length && each.getBoundingClientRect().height < 43.5)
  .map((each) => each.outerHTML)"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_everybody_can_use_it(browser: Browser, url: str, theme: Any, width: int) -> None:
    install()
    context = browser.new_context(
        locale="ja-JP" if theme == "dark" else "en-GB",
        color_scheme=theme,
        viewport={"width": width, "height": 800},
        bypass_csp=True,  # for the examiner, not for the page: other tests hold the policy
    )
    context.set_default_timeout(20_000)
    for address in (PLANS["groups"][0], REFUSED, PLANS["distribution"][0]):
        page = visit(context, url + address).page
        settled(page)
        page.evaluate("document.querySelectorAll('details').forEach((it) => (it.open = true))")
        assert violations(page) == []
        assert page.evaluate(SMALL) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()
    context.close()


def test_japanese_is_spoken(browser: Browser, url: str) -> None:
    context = browser.new_context(locale="ja-JP")
    page = visit(context, url + CHOICE).page
    settled(page)
    assert plain(sentence(page).inner_text()) == (
        "subset（ε = 1）で 133,383 人に尋ねると、"
        "ほとんど選ばれない選択肢の割合が ±1 % の精度でわかります。"
        "1.43 % の人が選ぶ選択肢なら、10 回中 8 回見つけられます。"
    )
    expect(page.get_by_role("link", name="この調査を作成する")).to_be_visible()
    said = page.locator("main").inner_text()
    assert not re.search(r"\b(the|people|with|of)\b", said.replace("--", ""))
    page.goto(url + REFUSED)
    expect(page.get_by_role("button", name="1,090 人に尋ねる")).to_be_visible()
    context.close()
