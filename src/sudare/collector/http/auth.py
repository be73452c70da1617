"""Who may do what and see what: tokens of roles, and patience with wrong ones.

A token is ``sdr_<name>_<secret>``. The name is public, the secret has 256 random bits and is kept
nowhere: the store has its SHA-256. A fast hash is enough for a secret that can't be guessed.
"""

import hashlib
import hmac
import math
import re
import secrets
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable

from starlette.types import Scope

from sudare.collector.http.addresses import Addresses
from sudare.collector.http.problems import Problem, as_problem
from sudare.collector.stores.contract import HeldCollection, Role, Store, Token
from sudare.errors import ParameterError
from sudare.formats.collector_api import DAY, MOST_TOKEN_DAYS
from sudare.formats.strangers import refuse_unseen

FAILURES = 5  # wrong tokens that an address may send within ``PATIENCE``
PATIENCE = 60  # seconds
MOST_LABEL = 200  # characters
_ADDRESSES = 10_000  # that are remembered at once, in memory only
_FORM = re.compile(r"sdr_([a-z0-9]{1,32})_([A-Za-z0-9_-]{16,128})", re.ASCII)
_NOBODY = bytes(32)  # a digest that no secret is known to have
READERS = (Role.ANALYST, Role.ADMIN)
"""The roles that see what isn't public."""
_ASKED = {"WWW-Authenticate": 'Bearer realm="sudare"'}


def new_token(role: Role, label: str = "", expires: int | None = None) -> tuple[str, Token]:
    """A new token: as it is given to its bearer, once, and as it is stored."""
    if len(label) > MOST_LABEL:
        raise ParameterError(f"a label has at most {MOST_LABEL} characters, got {len(label)}")
    refuse_unseen("a label", label)
    name, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    return f"sdr_{name}_{secret}", Token(name, _digest(secret), role, expires, label)


def check_end(expires: int, now: float) -> int:
    """The end of a new token as it is, if it is to come, and not too far away."""
    if not now < expires <= now + MOST_TOKEN_DAYS * DAY:
        raise ParameterError(
            f"a token ends between now and {MOST_TOKEN_DAYS:,} days from now, got {expires} "
            f"(seconds since 1970; now it is {int(now)})"
        )
    return expires


def is_valid(token: Token, now: float) -> bool:
    """Whether a token that is held hasn't ended yet."""
    return token.expires is None or token.expires > now


def administrators(tokens: Iterable[Token], now: float) -> set[str]:
    """The names of the tokens by which a collector can be administered now."""
    return {one.name for one in tokens if one.role is Role.ADMIN and is_valid(one, now)}


def in_order(tokens: Iterable[Token]) -> list[Token]:
    """Tokens in the order in which they are listed."""
    return sorted(tokens, key=lambda one: (one.role, one.label, one.name))


class Bearers:
    """The bearers of tokens, and their roles. Methods may be called from any thread."""

    def __init__(
        self, store: Store, clock: Callable[[], float], addresses: Addresses | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._addresses = addresses or Addresses()
        self._lock = threading.Lock()
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def role_of(self, scope: Scope) -> Role | None:
        """The role of a request's token, None if it has none; refused as ``bearer_of`` says."""
        bearer = self.bearer_of(scope)
        return None if bearer is None else bearer.role

    def bearer_of(self, scope: Scope) -> Token | None:
        """A request's token as it is stored, None if it has none.

        A ``Problem`` (401) if the token is wrong or has expired; 429 where too many from the
        same address were wrong. A right one always passes: 256 random bits can't be guessed at any
        speed, and else anybody behind the same proxy could lock its bearer out.
        """
        header = _authorization(scope)
        if header is None:
            return None
        kind, _, text = header.partition(" ")
        form = _FORM.fullmatch(text.strip()) if kind.lower() == "bearer" else None
        name, secret = form.groups() if form else ("", "")
        with as_problem():  # a store that can't be asked is no reason to refuse a token for good
            tokens = self._store.tokens()
        held = next((token for token in tokens if token.name == name), None)
        # Compared also where there is no such name, so that both take the same time.
        right = hmac.compare_digest(_digest(secret), held.digest if held else _NOBODY)
        if held is None or not right:
            self._be_patient(self._addresses.of(scope))
            raise Problem(401, "wrong_token", "this token is not valid here", _ASKED)
        if not is_valid(held, self._clock()):
            raise Problem(401, "expired_token", "this token has expired", _ASKED)
        return held

    def require(self, scope: Scope, *roles: Role) -> Token:
        """The token of a request that needs one of these roles; an administrator has them all."""
        bearer = self.bearer_of(scope)
        wanted = " or ".join(dict.fromkeys((*roles, Role.ADMIN)))
        if bearer is None:
            raise Problem(401, "no_token", f"this needs a token of the role {wanted}", _ASKED)
        if bearer.role not in (*roles, Role.ADMIN):
            raise Problem(403, "wrong_role", f"this needs the role {wanted}, not {bearer.role}")
        return bearer

    def may_read(self, scope: Scope, held: HeldCollection) -> bool:
        """Whether whoever asks may see a collection's counts and results.

        Everybody may where they are public: there, no token is looked at. Elsewhere a wrong one
        is refused.
        """
        return held.public or self.role_of(scope) in READERS

    def require_reader(self, scope: Scope, held: HeldCollection) -> None:
        """Refuse a request that may not see a collection's counts and results."""
        if not held.public:
            self.require(scope, Role.ANALYST)

    def _be_patient(self, address: str) -> None:
        """Note that a token from here was wrong; a ``Problem`` (429) if too many were."""
        now = self._clock()
        with self._lock:
            past = self._failures.setdefault(address, deque())
            self._failures.move_to_end(address)
            while past and past[0] <= now - PATIENCE:
                past.popleft()
            if len(past) < FAILURES:
                past.append(now)
                while len(self._failures) > _ADDRESSES:
                    self._failures.popitem(last=False)
                return
            wait = max(1, math.ceil(past[0] + PATIENCE - now))
        raise Problem(
            429,
            "too_many_wrong_tokens",
            f"{FAILURES} wrong tokens came from this address within {PATIENCE} seconds",
            {"Retry-After": str(wait)},
        )


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _authorization(scope: Scope) -> str | None:
    found = [value for name, value in scope["headers"] if name == b"authorization"]
    return found[0].decode("latin-1") if found else None
