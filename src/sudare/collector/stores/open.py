"""Opening the store that an address means."""

from pathlib import Path

from sudare.collector.stores.tables import TableStore
from sudare.errors import ParameterError

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")


def open_store(url: str, *, counting: bool = True, accept_loss: bool = False) -> TableStore:
    """The store at an address: a path (or ``sqlite:///path``), or ``postgresql://…``.

    Args:
        url: where it is; one that isn't there yet is made.
        counting: whether reports will be counted. Without, a SQLite store can be opened beside the
            collector that counts in it, to read it and to make tokens.
        accept_loss: whether to go on with a SQLite store without reports that were acknowledged and
            are missing. PostgreSQL itself refuses a log that is damaged.
    """
    if is_postgres(url):
        try:
            from sudare.collector.stores.postgres.store import PostgresStore
        except ImportError:
            raise ParameterError(
                "a store in PostgreSQL needs psycopg: pip install 'sudare[postgres]'"
            ) from None
        return PostgresStore(url)
    from sudare.collector.stores.sqlite.store import SqliteStore

    return SqliteStore(path_of(url), counting=counting, accept_loss=accept_loss)


def open_existing(url: str) -> TableStore:
    """A store that is there, to be read, also beside the collector that counts in it."""
    if not is_postgres(url) and not path_of(url).is_file():
        raise ParameterError(f"there is no store {path_of(url)}")
    return open_store(url, counting=False)


def is_postgres(url: str) -> bool:
    """Whether an address is that of a PostgreSQL database."""
    return url.startswith(_POSTGRES)


def path_of(url: str) -> Path:
    """The SQLite file that a store's address means."""
    scheme, separator, _ = url.partition("://")
    if not url or (separator and not url.startswith(_SQLITE)):
        raise ParameterError(
            f"a store is a path, sqlite:///path or postgresql://…, got {scheme[:20]!r}"
        )
    return Path(url.removeprefix(_SQLITE))
