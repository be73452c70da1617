"""The tables of each database: every change since the first, in order, each done once.

A store remembers how many it has seen. Add to the end; never change what is there.
"""

from collections.abc import Sequence

from sudare.errors import ParameterError

Script = Sequence[str]


def missing_statements(version: int, scripts: Sequence[Script]) -> list[str]:
    """What a store that has seen so many changes lacks; one newer than the program is refused."""
    if version > len(scripts):
        raise ParameterError(
            f"the store is of format {version}, this version of Sudare knows up to "
            f"{len(scripts)}: use a newer one"
        )
    return [statement for script in scripts[version:] for statement in script]


SQLITE: tuple[Script, ...] = (
    (
        """CREATE TABLE collections (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            document BLOB NOT NULL,
            state TEXT NOT NULL,
            public INTEGER NOT NULL,
            grace INTEGER NOT NULL
        ) STRICT""",
        """CREATE TABLE windows (
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            window INTEGER NOT NULL,
            closed INTEGER NOT NULL DEFAULT 0,
            closed_round INTEGER NOT NULL DEFAULT 0,
            n INTEGER NOT NULL DEFAULT 0,
            counts BLOB,
            PRIMARY KEY (collection, window)
        ) STRICT""",
        # Apart from windows: a row is written whole, and that of a sum at every commit.
        """CREATE TABLE released (
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            window INTEGER NOT NULL,
            n INTEGER NOT NULL,
            counts BLOB NOT NULL,
            PRIMARY KEY (collection, window)
        ) STRICT""",
        """CREATE TABLE seen (
            id INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            window INTEGER NOT NULL,
            names BLOB NOT NULL
        ) STRICT""",
        "CREATE INDEX seen_windows ON seen (collection, window)",
        """CREATE TABLE reports (
            id INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            window INTEGER NOT NULL,
            payload BLOB NOT NULL
        ) STRICT""",
        "CREATE INDEX reports_windows ON reports (collection, window)",
        """CREATE TABLE invitations (
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            digest BLOB NOT NULL,
            PRIMARY KEY (collection, digest)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE used (
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            window INTEGER NOT NULL,
            digest BLOB NOT NULL,
            PRIMARY KEY (collection, window, digest)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE candidates (
            collection INTEGER PRIMARY KEY REFERENCES collections ON DELETE CASCADE,
            texts BLOB NOT NULL
        ) STRICT""",
        """CREATE TABLE tokens (
            name TEXT PRIMARY KEY,
            digest BLOB NOT NULL,
            role TEXT NOT NULL,
            expires INTEGER,
            label TEXT NOT NULL
        ) STRICT, WITHOUT ROWID""",
        "CREATE TABLE checks (number INTEGER NOT NULL) STRICT",
        "INSERT INTO checks VALUES (0)",
    ),
)
