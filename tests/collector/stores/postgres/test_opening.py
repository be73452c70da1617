"""A database that can't be opened: what is wrong is said, and what to do, without a password."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from sudare.collector.stores.open import open_store
from sudare.collector.stores.postgres.opening import explaining
from sudare.errors import StoreUnavailable, SudareError
from support.answering import answering
from support.commands import refused
from support.postgres import Server, server

PASSWORD = "Zanzibar-7"  # noqa: S105 - of a test's own server


@pytest.fixture(scope="module")
def guarded() -> Iterator[Server]:
    """A server that asks one user for a password, and lets another make nothing."""
    with server() as running:
        rules = "local all careful scram-sha-256\nlocal all all trust\n"
        (running.folder / "data" / "pg_hba.conf").write_text(rules)
        with psycopg.connect(running.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE ROLE careful LOGIN PASSWORD '{PASSWORD}'")
            connection.execute("CREATE ROLE weak LOGIN")
            connection.execute("SELECT pg_reload_conf()")
        yield running


def said(url: str) -> str:
    with pytest.raises(SudareError) as caught:
        open_store(url).shut()
    assert PASSWORD not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("who", "sentence"),
    [
        ("postgres@/none", "has no database none: make it with `createdb`, or name another"),
        ("careful:wrong@/postgres", "refuses the user careful with this password"),
        ("careful@/postgres", "asks the user careful for a password: it stands in the address"),
        ("stranger@/postgres", "has no user stranger: make it with `createuser`"),
        ("weak@/postgres", "the user weak may not make tables in the database postgres"),
        ("postgres@/postgres?sslmode=x", "has a port or an option that PostgreSQL doesn't know"),
    ],
)
def test_what_the_server_refuses_is_named(guarded: Server, who: str, sentence: str) -> None:
    sign = "&" if "?" in who else "?"
    assert sentence in said(f"postgresql://{who}{sign}host={guarded.folder}")


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        (f"me:{PASSWORD}@127.0.0.1:1/x", "nothing listens at 127.0.0.1 port 1: see whether"),
        (f"me:{PASSWORD}@nowhere.invalid/x", "there is no host nowhere.invalid"),
        (f"me:{PASSWORD}@127.0.0.1:99999/x", "has a port or an option that PostgreSQL doesn't"),
        ("/x?host=/nowhere", "nothing listens at /nowhere: see whether PostgreSQL runs"),
        ("[", "this is no address of a PostgreSQL database, such as postgresql://USER@HOST"),
    ],
)
def test_a_place_without_a_server_is_named(place: str, sentence: str) -> None:
    assert sentence in said(f"postgresql://{place}")


@pytest.mark.parametrize("data", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""])
def test_a_server_that_is_not_postgresql_is_told(data: bytes) -> None:
    with answering(data) as port:
        sentence = said(f"postgresql://me:{PASSWORD}@127.0.0.1:{port}/x")
    assert sentence.startswith(f"what answers at 127.0.0.1 port {port} doesn't speak as PostgreSQL")


def test_words_that_are_not_known_become_a_sentence_for_all_the_rest() -> None:
    with (
        pytest.raises(StoreUnavailable, match=r"^PostgreSQL at stats port 1 can't be reached now$"),
        explaining("postgresql://me@stats:1/x"),
    ):
        raise StoreUnavailable("") from psycopg.OperationalError("der Server will nicht")


def test_commands_say_so_too(guarded: Server, tmp_path: Path) -> None:
    url = f"postgresql://careful:wrong@/postgres?host={guarded.folder}"
    sentence = f"PostgreSQL at {guarded.folder} refuses the user careful with this password"
    assert refused(tmp_path, "token", "list", "--store", url) == sentence
    assert refused(tmp_path, "backup", url, "x.backup") == sentence
