"""Whose token it is, and tokens that administrators make, list and revoke."""

from typing import Annotated, Literal

import msgspec
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sudare.collector.http.auth import (
    MOST_LABEL,
    Bearers,
    administrators,
    check_end,
    in_order,
    new_token,
)
from sudare.collector.http.problems import Problem, as_problem
from sudare.collector.http.queries import Query, body_of
from sudare.collector.http.standing import json_response
from sudare.collector.service import Service
from sudare.collector.stores.contract import Role, Token
from sudare.formats.collector_api import TokenFacts
from sudare.formats.documents import Count, Shape, decode
from sudare.formats.tokens import DAY, TOKEN_DAYS

_WISH_BYTES = 1 << 16
_WISH = (
    "a request for a token (role: admin, analyst or relay; label: a text; expires: a whole number, "
    "seconds since 1970)"
)


class TokenBody(TokenFacts, forbid_unknown_fields=True):
    """A token without its secret: its name, its role, whose it is, and when it ends, if ever."""

    role: Role


class NewTokenBody(TokenBody):
    """A token that was made now, with its secret, which is shown this once."""

    token: str


class TokenWish(Shape):
    """A request for a token; unless it says when the token ends, that is in 30 days."""

    role: Literal["admin", "analyst", "relay"]
    label: Annotated[str, msgspec.Meta(max_length=MOST_LABEL)] = ""
    expires: Count | msgspec.UnsetType = msgspec.UNSET


class Tokens:
    """The tokens of a collector, for their bearers and for administrators."""

    def __init__(self, service: Service, bearers: Bearers) -> None:
        self._store, self._clock = service.store, service.clock
        self._bearers = bearers

    async def session(self, request: Request) -> Response:
        """``GET /session``: whose token it is that the request bears."""
        Query(request)
        bearer = await to_thread.run_sync(self._bearers.require, request.scope, *Role)
        return json_response(_body(bearer))

    async def _allow(self, request: Request) -> None:
        await to_thread.run_sync(self._bearers.require, request.scope, Role.ADMIN)

    async def every(self, request: Request) -> Response:
        """``GET /tokens``: all tokens, also expired ones, without their secrets."""
        await self._allow(request)
        Query(request)
        with as_problem():
            held = await to_thread.run_sync(self._store.tokens)
        return json_response([_body(one) for one in in_order(held)])

    async def make(self, request: Request) -> Response:
        """``POST /tokens``: make a token, which is shown this once."""
        await self._allow(request)
        Query(request)
        data = await body_of(request, _WISH_BYTES)
        with as_problem():
            wish = decode(data, TokenWish, _WISH)
            now = self._clock()
            expires = int(now) + TOKEN_DAYS * DAY if wish.expires is msgspec.UNSET else wish.expires
            text, made = new_token(Role(wish.role), wish.label, check_end(expires, now))
            await to_thread.run_sync(self._store.add_token, made)
        body = msgspec.structs.asdict(_body(made))
        return json_response(NewTokenBody(**body, token=text), 201)

    async def revoke(self, request: Request) -> Response:
        """``DELETE /tokens/{name}``: forget a token, unless nobody could administer any more."""
        await self._allow(request)
        Query(request)
        with as_problem():
            await to_thread.run_sync(self._revoke, request.path_params["name"])
        return Response(status_code=204)

    def _revoke(self, name: str) -> None:
        def check(held: list[Token]) -> None:
            if administrators(held, self._clock()) == {name}:
                raise Problem(
                    409,
                    "last_admin",
                    "this is the last token of the role admin: make another one first",
                )

        # Checked by the store, else two who revoke each other's at once would both succeed.
        if not self._store.revoke(name, check):
            raise Problem(404, "unknown_token", "there is no token of this name")


def _body(token: Token) -> TokenBody:
    return TokenBody(name=token.name, role=token.role, label=token.label, expires=token.expires)


def routes(tokens: Tokens) -> list[BaseRoute]:
    """The routes of tokens."""
    return [
        Route("/session", tokens.session, methods=["GET"]),
        Route("/tokens", tokens.every, methods=["GET"]),
        Route("/tokens", tokens.make, methods=["POST"]),
        Route("/tokens/{name}", tokens.revoke, methods=["DELETE"]),
    ]
