"""Transactions of a store in tables, and the least of what is done in them: tokens."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from sudare.collector.store import Role, Store, Token
from sudare.errors import ParameterError

Rows = list[tuple[Any, ...]]
Run = Callable[[str, Sequence[object]], Rows]
"""Executes a statement, whose parameters are question marks, and fetches its rows."""
Result = TypeVar("Result")


class TokenTables(Store):
    """A store in tables: how they are asked, and its tokens."""

    @abstractmethod
    def _read(self, query: str, parameters: Sequence[object] = ()) -> Rows:
        """The rows of a query, as last committed."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Run]:
        """A transaction: all of it is durable at the end, or nothing."""

    def _written(self, work: Callable[[Run], Result]) -> Result:
        """What work in a transaction gives; it may be done again, if the database asks for it."""
        with self.writing() as run:
            return work(run)

    def add_token(self, token: Token) -> None:
        """Keep a token."""
        with self.writing() as run:
            rows = run(
                "INSERT INTO tokens (name, digest, role, expires, label) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (name) DO NOTHING RETURNING name",
                (token.name, token.digest, token.role.value, token.expires, token.label),
            )
        if not rows:
            raise ParameterError(f"there is a token {token.name} already")

    def tokens(self) -> list[Token]:
        """All tokens, also expired ones, by name."""
        rows = self._read("SELECT name, digest, role, expires, label FROM tokens ORDER BY name")
        return [
            Token(name, digest, Role(role), expires, label)
            for name, digest, role, expires, label in rows
        ]

    def revoke(self, name: str) -> bool:
        """Forget a token; False if there is none of that name."""
        with self.writing() as run:
            return bool(run("DELETE FROM tokens WHERE name = ? RETURNING name", (name,)))

    def check(self) -> None:
        """Raise ``StoreUnavailable`` unless something could be committed now."""
        with self.writing() as run:
            run("UPDATE checks SET number = number + 1", ())
