"""Which store an address means."""

from pathlib import Path

from sudare.collector.store import Store
from sudare.errors import ParameterError

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")


def open_store(url: str, *, counting: bool = True) -> Store:
    """The store at an address: a path (or ``sqlite:///path``), or ``postgresql://…``.

    Args:
        url: where it is; one that isn't there yet is made.
        counting: whether reports will be counted. Without, a SQLite store can be opened beside the
            collector that counts in it, to read it and to make tokens.
    """
    if url.startswith(_POSTGRES):
        try:
            from sudare.collector.postgres import PostgresStore
        except ImportError:
            raise ParameterError(
                "a store in PostgreSQL needs psycopg: pip install 'sudare[postgres]'"
            ) from None
        return PostgresStore(url)
    scheme, separator, _ = url.partition("://")
    if not url or (separator and not url.startswith(_SQLITE)):
        raise ParameterError(
            f"a store is a path, sqlite:///path or postgresql://…, got {scheme[:20]!r}"
        )
    from sudare.collector.sqlite import SqliteStore

    return SqliteStore(Path(url.removeprefix(_SQLITE)), counting=counting)
