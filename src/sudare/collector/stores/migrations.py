"""The tables of each database: every change since the first, in order, each done once.

A store remembers how many it has seen. Add to the end; never change what is there.
"""

from collections.abc import Sequence

from sudare.errors import ParameterError

Script = Sequence[str]


def missing_statements(version: int, scripts: Sequence[Script]) -> list[str]:
    """The statements that a store of this version lacks; one newer than the program is refused."""
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
            window_number INTEGER NOT NULL,
            closed INTEGER NOT NULL DEFAULT 0,
            closed_round INTEGER NOT NULL DEFAULT 0,
            n INTEGER NOT NULL DEFAULT 0,
            counts BLOB,
            PRIMARY KEY (collection, window_number)
        ) STRICT""",
        # Apart from windows: a row is written whole, and that of a sum at every commit.
        """CREATE TABLE released (
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            window_number INTEGER NOT NULL,
            n INTEGER NOT NULL,
            counts BLOB NOT NULL,
            PRIMARY KEY (collection, window_number)
        ) STRICT""",
        """CREATE TABLE seen (
            id INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            window_number INTEGER NOT NULL,
            names BLOB NOT NULL
        ) STRICT""",
        "CREATE INDEX seen_windows ON seen (collection, window_number)",
        """CREATE TABLE reports (
            id INTEGER PRIMARY KEY,
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            window_number INTEGER NOT NULL,
            payload BLOB NOT NULL
        ) STRICT""",
        "CREATE INDEX reports_windows ON reports (collection, window_number)",
        """CREATE TABLE invitations (
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            digest BLOB NOT NULL,
            PRIMARY KEY (collection, digest)
        ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE used (
            collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
            window_number INTEGER NOT NULL,
            digest BLOB NOT NULL,
            PRIMARY KEY (collection, window_number, digest)
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

POSTGRES: tuple[Script, ...] = (
    (
        """CREATE TABLE collections (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            key text NOT NULL UNIQUE,
            document bytea NOT NULL,
            state text NOT NULL,
            public smallint NOT NULL,
            grace bigint NOT NULL
        )""",
        """CREATE TABLE windows (
            collection bigint NOT NULL REFERENCES collections ON DELETE CASCADE,
            window_number bigint NOT NULL,
            closed smallint NOT NULL DEFAULT 0,
            closed_round bigint NOT NULL DEFAULT 0,
            n bigint NOT NULL DEFAULT 0,
            counts bytea,
            PRIMARY KEY (collection, window_number)
        )""",
        # Ids are in a table for each open window, which is dropped when the window closes.
        """CREATE TABLE released (
            collection bigint NOT NULL REFERENCES collections ON DELETE CASCADE,
            window_number bigint NOT NULL,
            n bigint NOT NULL,
            counts bytea NOT NULL,
            PRIMARY KEY (collection, window_number)
        )""",
        """CREATE TABLE reports (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            collection bigint NOT NULL REFERENCES collections ON DELETE CASCADE,
            window_number bigint NOT NULL,
            payload bytea NOT NULL
        )""",
        # Noise doesn't compress.
        "ALTER TABLE reports ALTER COLUMN payload SET STORAGE EXTERNAL",
        "CREATE INDEX reports_windows ON reports (collection, window_number, id)",
        """CREATE TABLE invitations (
            collection bigint NOT NULL REFERENCES collections ON DELETE CASCADE,
            digest bytea NOT NULL,
            PRIMARY KEY (collection, digest)
        )""",
        """CREATE TABLE used (
            collection bigint NOT NULL REFERENCES collections ON DELETE CASCADE,
            window_number bigint NOT NULL,
            digest bytea NOT NULL,
            PRIMARY KEY (collection, window_number, digest)
        )""",
        """CREATE TABLE candidates (
            collection bigint PRIMARY KEY REFERENCES collections ON DELETE CASCADE,
            texts bytea NOT NULL
        )""",
        """CREATE TABLE tokens (
            name text PRIMARY KEY,
            digest bytea NOT NULL,
            role text NOT NULL,
            expires bigint,
            label text NOT NULL
        )""",
        "CREATE TABLE checks (number bigint NOT NULL)",
        "INSERT INTO checks VALUES (0)",
    ),
    (
        # One row for the ids of a commit, where each id had one.
        """DO $$
        DECLARE
            seen text;
        BEGIN
            FOR seen IN SELECT tablename FROM pg_tables
                WHERE schemaname = 'sudare' AND tablename ~ '^seen_'
            LOOP
                EXECUTE format('ALTER TABLE %I RENAME TO single_names', seen);
                EXECUTE format('CREATE TABLE %I (id bigint PRIMARY KEY, stamp bigint NOT NULL, '
                    'names bytea NOT NULL)', seen);
                EXECUTE format('INSERT INTO %I SELECT 1 + place / 65536, '
                    '(random() * 9e18)::bigint, string_agg(uuid_send(name), '''' ORDER BY name) '
                    'FROM (SELECT name, row_number() OVER (ORDER BY name) AS place '
                    'FROM single_names) s GROUP BY place / 65536', seen);
                DROP TABLE single_names;
            END LOOP;
        END $$""",
    ),
)
