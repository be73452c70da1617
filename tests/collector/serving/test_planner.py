"""``sudare plan --page``: the planner's page and its plans, where there is no collector."""

import asyncio
import re
import signal
from pathlib import Path

import httpx
import msgspec
import pytest

import sudare
from sudare.collector.http.limits import Limits
from sudare.collector.http.preparation import plans
from sudare.collector.serving.planner import planner_app
from support.analysts import static
from support.commands import PATIENCE, process, refused
from support.served import served

PLAN = "/plans?kind=choice&answers=43&epsilon=1&error=0.01"


def answers(folder: Path, *paths: str) -> list[httpx.Response]:
    """What the page's server says."""

    async def asked() -> list[httpx.Response]:
        async with (
            served(Limits(), app=planner_app(static(folder))) as listening,
            httpx.AsyncClient(base_url=listening.url) as client,
        ):
            return [await client.get(path) for path in paths]

    return asyncio.run(asked())


def test_it_has_the_page_and_the_plans_and_nothing_else(tmp_path: Path) -> None:
    page, asset, plan, *others = answers(
        *(tmp_path, "/plan?kind=choice&answers=43", "/static/assets/index-1a2b.js", PLAN),
        *("/", "/s/", "/collections", "/session", "/plan/", "/openapi.json"),
    )
    assert (page.status_code, asset.status_code) == (200, 200)
    assert "default-src 'self'" in page.headers["content-security-policy"]
    said = sudare.plan("choice", answers=43, epsilon=1, error=0.01).document()
    assert plan.json() == msgspec.json.decode(msgspec.json.encode(said))
    assert [(one.status_code, one.json()["error"]["code"]) for one in others] == [
        (404, "not_found")
    ] * len(others)
    assert not any("sudare-api" in one.headers for one in (page, asset, plan, *others))


def test_a_mistake_of_ours_is_an_error_in_the_shape_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(kind: str, **wishes: object) -> None:
        raise ValueError(kind, wishes)

    monkeypatch.setattr(plans, "plan", broken)
    mistake, wrong = answers(tmp_path, PLAN, "/plans?kind=luck")
    assert (mistake.status_code, mistake.json()["error"]["code"]) == (500, "internal")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "invalid_parameter")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_it_until_it_is_told_to_stop(tmp_path: Path, how: int) -> None:
    running = process(tmp_path, "plan", "--page", "--port", 0)
    try:
        assert running.stdout is not None
        said = running.stdout.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:\d+/plan$", said.strip())
        assert found, said
        assert httpx.get(found[0]).status_code == 200
        assert httpx.get(found[0].replace("/plan", PLAN), timeout=PATIENCE).status_code == 200
        running.send_signal(how)
        _, complaints = running.communicate(timeout=PATIENCE)
        assert (running.returncode, complaints) == (0, b"")
    finally:
        running.kill()
        running.communicate()


def test_what_belongs_to_the_page_needs_it(tmp_path: Path) -> None:
    assert "--open has no effect without --page" in refused(tmp_path, "plan", "--open")
    asked = ("plan", "--page", "choice", "--answers", 3, "--epsilon", 1, "--people", 99)
    assert "leave out choice" in refused(tmp_path, *asked)
