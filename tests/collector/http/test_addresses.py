"""Where a request comes from: the other end, or what a proxy that is trusted says."""

import pytest
from starlette.types import Scope

from sudare.collector.http.addresses import Addresses
from sudare.errors import ParameterError

PROXY, OTHER = "10.0.0.7", "203.0.113.5"
TRUSTED = Addresses(["10.0.0.0/8", "192.0.2.1", "2001:db8:1::/48"])


def request(client: str, *headers: tuple[str, str]) -> Scope:
    named = [(name.encode(), value.encode()) for name, value in headers]
    return {"type": "http", "client": (client, 1), "headers": named}


@pytest.mark.parametrize(
    ("client", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
    ],
)
def test_an_address_is_the_other_ends_and_of_ipv6_a_network(client: str, address: str) -> None:
    forged = ("x-forwarded-for", "198.51.100.1"), ("forwarded", "for=198.51.100.1")
    assert Addresses().of(request(client, *forged)) == address


def test_a_request_of_nobody_has_an_address_too() -> None:
    assert TRUSTED.of({"type": "http", "client": None, "headers": []}) == ""


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ([], PROXY),
        ([("x-forwarded-for", OTHER)], OTHER),
        ([("x-forwarded-for", f"198.51.100.1, {OTHER}")], OTHER),
        ([("x-forwarded-for", "198.51.100.1"), ("x-forwarded-for", OTHER)], OTHER),
        ([("x-forwarded-for", f"198.51.100.1, {OTHER}, 10.1.2.3, 192.0.2.1")], OTHER),
        ([("x-forwarded-for", f"{OTHER}:4711")], OTHER),
        ([("x-forwarded-for", "2001:db8::5")], "2001:db8::/64"),
        ([("x-forwarded-for", "[2001:db8::5]:80")], "2001:db8::/64"),
        ([("x-forwarded-for", "10.1.1.1, 10.2.2.2")], PROXY),
        ([("x-forwarded-for", f"{OTHER}, unknown")], PROXY),
        ([("x-forwarded-for", "")], PROXY),
        ([("x-forwarded-for", f"{OTHER},")], PROXY),
        ([("forwarded", f"for={OTHER}")], OTHER),
        ([("forwarded", f"by=10.0.0.7;For={OTHER};proto=https")], OTHER),
        ([("forwarded", f'for=198.51.100.1, for="{OTHER}:47011"')], OTHER),
        ([("forwarded", 'for="[2001:db8::5]:4711"')], "2001:db8::/64"),
        ([("forwarded", f"for={OTHER}, for=_hidden")], PROXY),
        ([("forwarded", f"for={OTHER}, proto=https")], PROXY),
        ([("forwarded", f"for={OTHER}"), ("x-forwarded-for", OTHER)], OTHER),
        ([("forwarded", f"for={OTHER}"), ("x-forwarded-for", "198.51.100.1")], PROXY),
    ],
)
def test_a_trusted_proxy_names_the_last_who_is_not_one(
    headers: list[tuple[str, str]], address: str
) -> None:
    assert TRUSTED.of(request(PROXY, *headers)) == address
    assert TRUSTED.of(request("203.0.113.99", *headers)) == "203.0.113.99"


def test_a_proxy_over_ipv6_is_trusted_and_one_beside_it_is_not() -> None:
    header = ("x-forwarded-for", OTHER)
    assert TRUSTED.of(request("2001:db8:1::9", header)) == OTHER
    assert TRUSTED.of(request("::ffff:10.0.0.7", header)) == OTHER
    assert TRUSTED.of(request("2001:db8:2::9", header)) == "2001:db8:2::/64"


@pytest.mark.parametrize("text", ["proxy.example", "10.0.0.1/8", "", "10.0.0.0/33"])
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="a trusted proxy is an address, or a network"):
        Addresses([text])
