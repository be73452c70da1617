"""Requests drawn from the OpenAPI document, and some that break it, sent to a real collector.

``python tests/schema_fuzz.py --examples 1000`` draws so many for each operation, right and wrong.
Its last line is a JSON object; that of the last run for the documentation is in
``schema_fuzz.json``, and ``sentence`` says it in docs/explanation/durability.md.
"""

import argparse
import contextlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import msgspec
import numpy as np
import schemathesis
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from sudare import Seeded
from sudare.collector.http.openapi import document
from sudare.collector.stores.contract import Role
from sudare.collector.stores.open import open_store
from support.analysts import DAYS, NOON, ONLINE, STUDY, TEA, WORDS, Collector, at_port, static

COLLECTIONS = (TEA, DAYS, ONLINE, STUDY, WORDS)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
Seen = Counter[tuple[str, int]]
FOUND = Path(__file__).resolve().parent / "schema_fuzz.json"


class Target:
    """A collector on a port of this machine, with a store in SQLite and something to show.

    Attributes:
        schema: what it says about itself.
        seen: how often each operation was answered with each status.
    """

    def __init__(self, collector: Collector, url: str) -> None:
        self.collector = collector
        self.url = url
        self.seen: Seen = Counter()
        self.fill()
        self.believe(document(truth=True))

    def believe(self, said: dict[str, Any]) -> None:
        """Hold the collector to a document."""
        self.schema = schemathesis.openapi.from_dict(said)
        self.schema.config.update(base_url=self.url)
        found = self.schema.get_all_operations()
        operations = [one.ok() for one in found if isinstance(one, Ok)]
        self.operations = {one.label: one for one in operations}

    def fill(self) -> None:
        """Hold what a request may have removed, or closed; forget the wrong tokens of before."""
        self.collector.bearers._failures.clear()
        standings = self.collector.service.held
        for collection in COLLECTIONS:
            held = standings.get(collection.key)
            if held is not None and held.state == "open":
                continue
            if held is not None:
                self.collector.store.remove(collection.key)
            if collection is ONLINE:
                self._fill_rounds()
                continue
            self.collector.hold(collection, public=True)
            answer: Any = (*collection.answers, "tea")[0]
            if collection.parts:
                answer = tuple(part.answers[0] for part in collection.parts)
            self.collector.answer(collection, {answer: 300})
        self.collector.store.keep_candidates(WORDS.key, ["tea", "coffee"])

    def _fill_rounds(self) -> None:
        """Hold the stream with its reports, at a time when no round is over: else some are late."""
        clock = self.collector.clock
        now, clock.now = clock.now, NOON
        try:
            self.collector.hold(ONLINE, public=True)
            states = np.ones((200, 6), int)
            self.collector.count(ONLINE, ONLINE.randomize(states, Seeded(1)))
            self.collector.store.close(ONLINE.key, 0)
        finally:
            clock.now = now

    def try_out(self, label: str, mode: GenerationMode, examples: int, seed: int) -> None:
        """Send so many requests to an operation, and check every answer."""
        drawn = self.operations[label].as_strategy(generation_mode=mode)
        keys = st.sampled_from([collection.key for collection in COLLECTIONS])
        roles = st.sampled_from([*Role, Role.ADMIN, Role.ADMIN, Role.ADMIN, None])

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            derandomize=False,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(drawn, keys, roles, st.integers(0, 20))
        def sent(case: Any, key: str, role: Role | None, number: int) -> None:
            self.fill()
            whole = case.meta is None or not any(
                place == ParameterLocation.PATH and part.mode == GenerationMode.NEGATIVE
                for place, part in case.meta.components.items()
            )
            if whole and "key" in case.path_parameters:
                case.path_parameters["key"] = key
            if mode is GenerationMode.POSITIVE and number % 2:
                _make_real(self.collector, case, label, number)
            headers = {}
            if role is not None:
                headers["Authorization"] = f"Bearer {self.collector.tokens[role]}"
            response = case.call(headers=headers)
            self.seen[label, response.status_code] += 1
            # A number where a text is due is a text as well, once it is written.
            written = case.media_type == "text/plain" and not isinstance(case.body, str)
            checks = [one for one in CHECKS if one is not negative_data_rejection or not written]
            case.validate_response(response, checks=checks, headers=headers)

        sent()


def _make_real(collector: Collector, case: Any, label: str, number: int) -> None:
    """A request that no chance would make: one that is about something."""
    words = {"name": f"tea {number}", "question": "Which?", "answers": TEA.answers}
    plan = {"kind": "choice", "answers": len(TEA.answers), "epsilon": number / 5, "people": 1000}
    bodies = {
        "POST /collections": msgspec.json.decode(TEA.to_json()) | {"name": f"tea {number}"},
        "POST /drafts": {**words, "epsilon": number / 5},
        "POST /plans": {**words, "plan": plan},
        "POST /tokens": {"role": "relay", "label": f"gateway {number}"},
    }
    if label in bodies:
        case.body = bodies[label]
    elif label == "GET /plans":
        case.query = plan
    elif label == "POST /collections/{key}/reports":
        case.path_parameters["key"] = TEA.key
        report = TEA.randomize(["green"], Seeded(number)).tobytes()
        case.body = {"id": f"{number:032x}", "report": report.hex()}
        case.media_type, case.query = "application/json", {}
        case.headers["Content-Type"] = case.media_type
    elif label == "PUT /collections/{key}/candidates":
        case.path_parameters["key"] = WORDS.key
        case.body = f"tea\ncoffee\nword {number}\n"
    elif label == "POST /collections/{key}/invitations":
        case.path_parameters["key"] = DAYS.key
    elif label == "DELETE /tokens/{name}":
        case.path_parameters["name"] = collector.token(Role.RELAY).split("_")[1]
    elif label == "GET /static/assets/{file}":
        case.path_parameters["file"] = "index-1a2b.js"


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Target]:
    """A collector that answers at a port until the end of the block."""
    pages = folder / "static"
    pages.mkdir()
    truths = {TEA.key: lambda: {"green": 1.0}}
    store = open_store(str(folder / "store.db"))
    with Collector(store, folder=static(pages), longest=0.0, truths=truths) as collector:
        collector.clock.now = NOON + 30
        with at_port(collector) as url:
            yield Target(collector, url)


def sentence(run: dict[str, int]) -> str:
    """What the documentation says about a run."""
    requests, operations, findings = run["requests"], run["operations"], run["findings"]
    return f"{requests:,} requests to {operations} operations, {findings} findings"


def main() -> None:
    """Try every operation out; the code is 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    findings = 0
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as target:
        for label in target.operations:
            for mode in GenerationMode:
                try:
                    target.try_out(label, mode, chosen.examples, chosen.seed)
                except BaseExceptionGroup as found:
                    findings += len(found.exceptions)
                    print(label, mode, *found.exceptions, sep="\n", flush=True)  # noqa: T201
            counts = {
                status: n for (name, status), n in sorted(target.seen.items()) if name == label
            }
            print(label, counts, flush=True)  # noqa: T201 - what was asked for
    run = {"operations": len(target.operations), "requests": target.seen.total()}
    print(json.dumps({**vars(chosen), **run, "findings": findings}))  # noqa: T201
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
