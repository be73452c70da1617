"""What every test shares: the seed, and the mechanisms each law is tried on.

The seed is fixed for developers. ``SUDARE_TEST_SEED=$RANDOM pytest`` draws another one, and
fresh examples with it. The seed in use is in pytest's header.
"""

import hashlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:  # each has a core of its own, and no more
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import hypothesis
import pytest

pytest.register_assert_rewrite(
    "support.chance",
    "support.cipher_laws",
    "support.commands",
    "support.enumeration",
    "support.laws",
    "support.question_laws",
)


from sudare.collector.stores.contract import Store  # noqa: E402
from support import postgres as postgres_server  # noqa: E402
from support.laws import MechanismLaws  # noqa: E402 - asserts explain themselves
from support.uploads import STORES, new_store  # noqa: E402

SEED = os.environ.get("SUDARE_TEST_SEED")

# A shell in the background makes its children deaf to Ctrl-C, and the commands under test too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile(
    "sudare", derandomize=SEED is None, database=None, deadline=None, max_examples=50
)
hypothesis.settings.load_profile("sudare")


def pytest_report_header() -> str:
    return f"seed: {SEED or 'fixed (SUDARE_TEST_SEED draws another)'}"


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is dear (a server, a browser, a document redone) is made once, not by each worker."""
    if getattr(session.config.option, "loadgroup", False):
        grouped = [item for item in session.items if item.get_closest_marker("xdist_group")]
        if not all("@" in item.nodeid for item in grouped):
            raise pytest.UsageError("these versions of pytest and pytest-xdist know no groups")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A number of this test's own, so that no two tests share their luck."""
    text = f"{SEED or 'developer'} {request.node.nodeid}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6])


@pytest.fixture(scope="session")
def running_postgres() -> Iterator[postgres_server.Server]:
    """A PostgreSQL server of this session's own."""
    with postgres_server.server() as running:
        yield running


@pytest.fixture
def postgres(running_postgres: postgres_server.Server) -> Iterator[postgres_server.Server]:
    """The same, whose databases are a test's own until it ends."""
    yield running_postgres
    running_postgres.give_back()


@pytest.fixture
def url(postgres: postgres_server.Server) -> str:
    """The address of a database of the test's own, without a store."""
    return postgres.new_database()


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each kind of store that a service can be tried on without a server beside it."""
    opened = new_store(request.param, tmp_path)
    yield opened
    opened.shut()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each law on each of a suite's mechanisms."""
    suite = metafunc.cls
    if suite is not None and issubclass(suite, MechanismLaws):
        for argument, mechanisms in (("mechanism", suite.instances), ("large", suite.large)):
            if argument in metafunc.fixturenames:
                metafunc.parametrize(argument, mechanisms, ids=repr)
