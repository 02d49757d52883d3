from ipaddress import ip_network

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from web.client_address import client_address


def address(remote: str, forwarded: str | None = None) -> str:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_address(RequestFactory().get("/", REMOTE_ADDR=remote, headers=headers))


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (0, None, "192.0.2.9"),
        (0, "203.0.113.1", "192.0.2.9"),
        (1, "203.0.113.1", "203.0.113.1"),
        (1, "6.6.6.6, 203.0.113.1", "203.0.113.1"),
        (2, "6.6.6.6, 203.0.113.1, 10.0.0.1", "203.0.113.1"),
        (2, "203.0.113.1", "192.0.2.9"),
        (1, None, "192.0.2.9"),
        (1, "", "192.0.2.9"),
    ],
)
def test_forwarded_addresses_are_believed_as_far_as_our_proxies_go(
    settings: Settings, proxies: int, forwarded: str | None, expected: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    settings.PROXY_NETWORKS = [ip_network("192.0.2.8/31")]
    assert address("192.0.2.9", forwarded) == expected


@pytest.mark.parametrize(
    ("peer", "expected"),
    [
        ("127.0.0.1", "203.0.113.1"),
        ("::1", "203.0.113.1"),
        ("::ffff:127.0.0.1", "203.0.113.1"),
        ("", "203.0.113.1"),
        ("192.0.2.9", "192.0.2.9"),
        ("2001:db8::1", "2001:db8::/64"),
    ],
)
def test_only_our_proxies_are_believed(settings: Settings, peer: str, expected: str) -> None:
    settings.TRUSTED_PROXIES = 1
    assert address(peer, "203.0.113.1") == expected


@pytest.mark.parametrize(
    ("forwarded", "expected"),
    [
        ("203.0.113.1:5678", "203.0.113.1"),
        ("[2001:db8:1:2::3]:123", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::4]", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::5", "2001:db8:1:2::/64"),
        ("unknown", "127.0.0.1"),
        ("[", "127.0.0.1"),
    ],
)
def test_a_port_makes_no_other_client(settings: Settings, forwarded: str, expected: str) -> None:
    settings.TRUSTED_PROXIES = 1
    assert address("127.0.0.1", forwarded) == expected


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.9", "192.0.2.9"),
        ("", ""),
    ],
)
def test_an_ipv6_network_counts_as_one_address(remote: str, expected: str) -> None:
    assert address(remote) == expected
