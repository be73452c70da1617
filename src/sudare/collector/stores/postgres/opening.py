"""Why a PostgreSQL database can't be opened, in a sentence for whoever named it.

PostgreSQL says it in words alone: until a connection stands, its errors have no code. What it says
is recognised here and said anew, by the address that was given and without its password. Words that
aren't known, as those of another language, become the sentence for all the rest. Nobody but who
starts a program is told so: what clients of a collector hear names no host and no user.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from sudare.errors import ParameterError, StoreUnavailable

_REASONS = {
    r"invalid .*(value|number|option)": "the address of the store has a port or an option that "
    "PostgreSQL doesn't know",
    r'database ".*" does not exist': "PostgreSQL at {place} has no database {database}: make it "
    "with `createdb`, or name another",
    r"password authentication failed": "PostgreSQL at {place} refuses the user {user} with this "
    "password",
    r"no password supplied": "PostgreSQL at {place} asks the user {user} for a password: it stands "
    "in the address, postgresql://USER:PASSWORD@HOST/DATABASE, or in PGPASSWORD",
    r'role ".*" does not exist': "PostgreSQL at {place} has no user {user}: make it with "
    "`createuser`, or name another",
    r"no pg_hba.conf entry|authentication failed": "PostgreSQL at {place} doesn't let the user "
    "{user} in from here: its pg_hba.conf says who may",
    r"Connection refused|No such file or directory": "nothing listens at {place}: see whether "
    "PostgreSQL runs, and at which port",
    r"failed to resolve host|could not translate host": "there is no host {place}, or its name "
    "can't be looked up now",
    r"SSL negotiation|authentication request|closed the connection unexpectedly": "what answers at "
    "{place} doesn't speak as PostgreSQL does: see whether the port is right",
    r"certificate|SSL": "PostgreSQL at {place} and this machine agree on no TLS: see sslmode and "
    "sslrootcert of the address",
    r"timeout|timed out": "PostgreSQL at {place} doesn't answer in time",
}


@contextmanager
def explaining(url: str) -> Iterator[None]:
    """Let an error in the block say what is wrong with the database at an address."""
    try:
        yield
    except StoreUnavailable as error:
        cause = error.__cause__
        if not isinstance(cause, psycopg.OperationalError) or cause.sqlstate is not None:
            raise
        raise StoreUnavailable(_sentence(url, str(cause))) from cause
    except errors.InsufficientPrivilege as error:
        said = "in PostgreSQL at {place} the user {user} may not make tables in the database "
        said += "{database}: an administrator's GRANT CREATE ON DATABASE allows it"
        raise ParameterError(said.format(**_named(url))) from error


def _sentence(url: str, words: str) -> str:
    for known, sentence in _REASONS.items():
        if re.search(known, words, re.IGNORECASE):
            return sentence.format(**_named(url))
    return "PostgreSQL at {place} can't be reached now".format(**_named(url))


def _named(url: str) -> dict[str, str]:
    """The parts of an address that a sentence may repeat: place, user and database."""
    parts = conninfo_to_dict(url)
    host, port = str(parts.get("host") or "this machine"), parts.get("port")
    user = str(parts.get("user") or "that is usual")
    return {
        "place": f"{host} port {port}" if port else host,
        "user": user,
        "database": str(parts.get("dbname") or user),
    }
