"""How long a store in PostgreSQL waits for its database, and its database for it.

Nobody waits for ever: not for a collector that was stopped inside a transaction, nor for a server
that was, nor for a network that swallows what is sent. Each bound is here, with its reason.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Self, TypeVar

import psycopg

Result = TypeVar("Result")

_LONG = 3600.0
_PROBES = 3  # that nobody answers, after which a connection is dead


@dataclass(frozen=True)
class Patience:
    """Seconds that a collector and its database wait for each other.

    Attributes:
        connect: for a server that should take a connection (at least 2, as libpq counts).
        place: for one of our own connections, all of which are in use.
        lock: for a row that somebody else has. Then whoever has it is looked at, and it is tried
            again: a commit takes milliseconds, so this is a collector that stands still.
        idle: that a transaction of ours may say nothing, by the server's clock. Then the server
            ends it, and frees what it has locked: this is how long a collector that was stopped
            inside a commit can keep others from theirs. What is computed in between, for
            400,000 reports, takes a second.
        statement: for one statement, by the server's clock.
        reply: for the server's next word, by our own clock: one that was stopped, or can't be
            reached, ends nothing. Longer than a statement, so that the server speaks first.
    """

    connect: int = 5
    place: float = 10.0
    lock: float = 3.0
    idle: float = 5.0
    statement: float = 20.0
    reply: float = 25.0

    @property
    def long(self) -> Self:
        """An hour each, for what is no commit and may take long.

        So are: bringing tables up to date, and waiting for another process that does; a snapshot
        for a backup, which is written to a slow disk meanwhile; restoring one; removing a
        collection with all its reports; reading the ids of a large window for the first time.
        """
        return replace(self, lock=_LONG, idle=_LONG, statement=_LONG, reply=_LONG + self.reply)

    @property
    def network(self) -> dict[str, int]:
        """The settings by which the operating system gives up a network that says nothing."""
        return {
            "connect_timeout": self.connect,
            "keepalives": 1,
            "keepalives_idle": max(1, round(self.idle)),
            "keepalives_interval": max(1, round((self.reply - self.idle) / _PROBES)),
            "keepalives_count": _PROBES,
            "tcp_user_timeout": round(1000 * self.reply),
        }

    def settings(self, *, local: bool = False) -> str:
        """The statement that tells the server how long to wait, in a session or a transaction."""
        waits = {
            "lock_timeout": self.lock,
            "idle_in_transaction_session_timeout": self.idle,
            "statement_timeout": self.statement,
        }
        return "SELECT " + ", ".join(
            f"set_config('{name}', '{round(1000 * seconds)}', {str(local).lower()})"
            for name, seconds in waits.items()
        )


class Session(psycopg.Connection[tuple[Any, ...]]):
    """A connection to a server that may fall silent: then it is closed, and nobody waits for it.

    Attributes:
        reply: how many seconds it may be silent.
    """

    reply = _LONG

    def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - psycopg's
        """The result of a talk with the server, each silence of which is bounded."""
        try:
            return super().wait(_within(gen, self.reply), *arguments, **options)
        except _SilentError:
            self.close()
            raise psycopg.OperationalError(f"silent for {self.reply:g} seconds") from None


class _SilentError(Exception):
    """The server has said nothing for too long."""


def _within(talk: Generator[Any, Any, Result], seconds: float) -> Generator[Any, Any, Result]:
    """The steps of a talk; of those that psycopg takes in vain, none after so many seconds."""
    until = monotonic() + seconds
    try:
        wanted = next(talk)
        while True:
            ready = yield wanted
            if ready:
                until = monotonic() + seconds
            elif monotonic() > until:
                raise _SilentError
            wanted = talk.send(ready)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
