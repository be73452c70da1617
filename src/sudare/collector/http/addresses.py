"""Where a request comes from, so that nobody takes everybody's share; kept nowhere."""

import ipaddress
import re
from collections.abc import Iterable, Iterator

from starlette.types import Scope

from sudare.errors import ParameterError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_FOR = re.compile(r'(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^";]*))', re.IGNORECASE)  # RFC 7239
_PORT = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<four>[0-9.]*))(?::[0-9]{1,5})?")


class Addresses:
    """The addresses of requests: the other end's, or the one that a trusted proxy names."""

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        """Trust some proxies.

        Args:
            trusted: the address of each, or a network with all of its addresses.
        """
        self._trusted = [_network(text) for text in trusted]

    def of(self, scope: Scope) -> str:
        """The address that a request comes from; of IPv6 the network, as a customer has all of one.

        Behind proxies that are trusted it is the last one in their list that isn't one of them.
        What anybody else writes there isn't believed.
        """
        client = scope.get("client")
        if client is None:
            return ""
        host = client[0]
        if self._trusted and self._trusts(host):
            host = self._forwarded(scope) or host
        return host if ":" not in host else _grouped(host)

    def _trusts(self, host: str) -> bool:
        address = _read(host)
        return address is not None and any(address in network for network in self._trusted)

    def _forwarded(self, scope: Scope) -> str | None:
        """The address that proxies name; None if it is none, or two of them.

        A proxy writes one of two headers, and may pass the other on as a stranger wrote it.
        """
        usual = list(_hops(scope, b"x-forwarded-for"))
        standard = [_named(hop) for hop in _hops(scope, b"forwarded")]
        found = {self._last_stranger(hops) for hops in (usual, standard) if hops}
        return found.pop() if len(found) == 1 else None

    def _last_stranger(self, hops: list[str]) -> str | None:
        for hop in reversed(hops):
            address = _read(_without_port(hop))
            if address is None:  # what is before it may be anybody's
                return None
            if not self._trusts(str(address)):
                return str(address)
        return None


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        raise ParameterError(
            f"a trusted proxy is an address, or a network such as 10.0.0.0/8, got {text[:50]!r}"
        ) from None


def _read(host: str) -> Address | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        return address.ipv4_mapped or address  # as a socket for both kinds writes IPv4
    return address


def _grouped(host: str) -> str:
    address = _read(host)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(address), 64), strict=False))
    return host if address is None else str(address)


def _hops(scope: Scope, header: bytes) -> Iterator[str]:
    """The parts of a header, of all of its lines, in the order in which proxies were passed."""
    for name, value in scope["headers"]:
        if name == header:
            yield from (part.strip() for part in value.decode("latin-1").split(","))


def _named(hop: str) -> str:
    """The address in a hop of ``Forwarded``."""
    found = _FOR.search(hop)
    return "" if found is None else (found[1] or found[2] or "").strip()


def _without_port(hop: str) -> str:
    found = _PORT.fullmatch(hop)
    return hop if found is None else found["six"] or found["four"]
