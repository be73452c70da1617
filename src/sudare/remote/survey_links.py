"""Invitations as links to the survey page, and as QR codes.

What is secret stands behind the ``#``, which browsers never send; web/src/survey/place.ts reads it.
"""

import io
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from sudare.device.collector_client import check_invitation, check_key, checked_address
from sudare.errors import ParameterError

if TYPE_CHECKING:
    import segno

_BORDER = 4  # modules of white around a code, as the standard asks for
_SCALE = 8  # pixels of a module in a picture
_HALVES = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}


def survey_link(collector: str, key: str, invitation: str | None = None) -> str:
    """The link to a collector's own survey page."""
    secret = "" if invitation is None else f"#invitation={check_invitation(invitation)}"
    return f"{collector}/s/{check_key(key)}{secret}"


def hosted_link(page: str, key: str, invitation: str | None = None) -> str:
    """The link to a survey page that somebody else hosts at an address."""
    secret = "" if invitation is None else f"&invitation={check_invitation(invitation)}"
    return f"{page}#key={check_key(key)}{secret}"


def linked(
    collector: str, public_address: str | None = None, page: str | None = None
) -> Callable[[str, str], str]:
    """The function that makes links of keys and invitations.

    Args:
        collector: its address, as whoever administers it knows it.
        public_address: its address, as people know it, if that is another one.
        page: the address of a survey page that somebody else hosts, if people shall use that.
    """
    if page is not None:
        if public_address is not None:
            raise ParameterError("--page has its own address: leave --public-address out")
        return partial(hosted_link, str(checked_address(page, insecure=False)))
    if public_address is None:
        return partial(survey_link, collector)
    return partial(survey_link, str(checked_address(public_address, insecure=False)).rstrip("/"))


def _code(link: str) -> "segno.QRCode":
    import segno

    return segno.make(link, error="m", micro=False)


def terminal_code(link: str) -> str:
    """A link as a QR code of half blocks: what is light in it is drawn, as terminals are dark."""
    rows = [list(row) for row in _code(link).matrix_iter(border=_BORDER)]
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    lines = (
        "".join(_HALVES[bool(upper), bool(lower)] for upper, lower in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    )
    return "".join(f"{line}\n" for line in lines)


def png_code(link: str) -> bytes:
    """A link as a QR code, a picture."""
    drawn = io.BytesIO()
    _code(link).save(drawn, kind="png", scale=_SCALE, border=_BORDER)
    return drawn.getvalue()
