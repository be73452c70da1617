"""Names and addresses of machines."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone: what is sent there passes no network."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
