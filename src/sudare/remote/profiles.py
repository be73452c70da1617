"""Which collector is meant, and by which token: from options, the environment, or a profile.

A profile is a file of its owner's alone. Its token goes to its own address and nowhere else: who
names another address must say a token for it.
"""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from sudare.device.collector_client import check_token, checked_address
from sudare.errors import InvalidDocument, ParameterError
from sudare.formats.documents import Shape, decode
from sudare.formats.files import write_durably

DEFAULT = "default"
ADDRESS, TOKEN, TOKEN_FILE = "SUDARE_COLLECTOR", "SUDARE_TOKEN", "SUDARE_TOKEN_FILE"
"""The names in the environment."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_MOST_BYTES = 1 << 16  # of a file that should hold a token


@dataclass(frozen=True)
class Access:
    """A collector's address, and the token to ask it with.

    Attributes:
        address: of the collector.
        token: that requests bear; None for what anybody may ask. No error and no ``repr`` has it.
        insecure: whether plain HTTP may leave this machine.
    """

    address: str
    token: str | None = field(default=None, repr=False)
    insecure: bool = False


class _ProfileBody(Shape):
    sudare: Literal["profile"]
    address: str
    token: str
    insecure: bool


@dataclass(frozen=True)
class Wanted:
    """What the options of a command say about the collector; None where they say nothing.

    Attributes:
        address: of the collector.
        token_file: that holds the token.
        profile: the name of a profile.
        insecure: whether plain HTTP may leave this machine.
    """

    address: str | None = None
    token_file: Path | None = None
    profile: str | None = None
    insecure: bool = False


def access(wanted: Wanted, folder: Path, environment: Mapping[str, str] | None = None) -> Access:
    """The collector that is meant, and the token for it.

    Options come first, then the environment, then the profile. A profile that is named says both,
    whatever the environment says, and nothing else may be given with it.

    Args:
        wanted: what the options say.
        folder: where profiles are kept.
        environment: of this process unless given.
    """
    said = os.environ if environment is None else environment
    if wanted.profile is not None:
        for option, value in (("--collector", wanted.address), ("--token-file", wanted.token_file)):
            if value is not None:
                raise ParameterError(f"--profile says address and token: leave {option} out")
        return read_profile(folder, wanted.profile)
    address = wanted.address or said.get(ADDRESS)
    if wanted.token_file is not None:
        token: str | None = read_token(wanted.token_file)
    else:
        token = _token_of(said)
    known = None
    if address is None or token is None:
        path = profile_path(folder, DEFAULT)
        known = read_profile(folder, DEFAULT) if path.exists() else None
    if address is None:
        if known is None:
            raise ParameterError(
                f"no collector is named: `sudare remote login ADDRESS`, --collector or {ADDRESS}"
            )
        return Access(known.address, token or known.token, known.insecure or wanted.insecure)
    url = str(checked_address(address, insecure=wanted.insecure)).rstrip("/")
    if token is None and known is not None and known.address == url:
        token = known.token
    return Access(url, token, wanted.insecure)


def _token_of(said: Mapping[str, str]) -> str | None:
    text, path = said.get(TOKEN), said.get(TOKEN_FILE)
    if text and path:
        raise ParameterError(f"{TOKEN} and {TOKEN_FILE} both say a token: unset one of them")
    if text:
        return check_token(text.strip())
    return read_token(Path(path)) if path else None


def read_token(path: Path) -> str:
    """The token of a file, which holds nothing else."""
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES)
    try:
        return check_token(data.decode("ascii").strip())
    except (UnicodeError, ParameterError):
        raise ParameterError(f"{path} holds no token (sdr_<name>_<secret>, and no more)") from None


def refuse_existing(path: Path) -> None:
    """Refuse a path for a new secret at which something stands: it may be another one."""
    if os.path.lexists(path):
        raise ParameterError(f"{path} is there already; a token is written to a new file")


def profile_path(folder: Path, name: str) -> Path:
    """The file of a profile."""
    if not _NAME.fullmatch(name):
        raise ParameterError(
            f"a profile's name has 1 to 64 letters, digits, and . _ - after the first, got {name}"
        )
    return folder / f"{name}.json"


def read_profile(folder: Path, name: str) -> Access:
    """The access that a profile holds; one that others may read is refused."""
    path = profile_path(folder, name)
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        raise ParameterError(
            f"there is no profile {name}: `sudare remote login ADDRESS --profile {name}` makes it"
        ) from None
    if os.name == "posix" and mode & 0o077:
        raise ParameterError(
            f"others on this machine may read the token in {path} (its mode is {mode:o}): "
            f"`chmod 600` it, or log in again"
        )
    try:
        body = decode(path.read_bytes(), _ProfileBody, "a profile")
    except InvalidDocument as error:
        raise InvalidDocument(f"{path}: {error}") from None
    url = checked_address(body.address, insecure=body.insecure)
    return Access(str(url).rstrip("/"), check_token(body.token), body.insecure)


def write_profile(folder: Path, name: str, known: Access) -> Path:
    """Keep an access, which has a token, as a profile of its owner's alone; the file."""
    path = profile_path(folder, name)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    body = _ProfileBody("profile", known.address, known.token or "", known.insecure)
    write_durably(path, msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n")
    return path


def forget_profile(folder: Path, name: str) -> Path:
    """Remove a profile; the file that it was."""
    path = profile_path(folder, name)
    try:
        path.unlink()
    except FileNotFoundError:
        raise ParameterError(f"there is no profile {name}") from None
    return path
