"""Where a request comes from, as far as it can be believed."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

# Providers hand out networks of this size, so one person commands all addresses in it.
IPV6_NETWORK_BITS = 64


def client_address(request: HttpRequest) -> str:
    """The address to count by: an IPv4 address or an IPv6 network.

    X-Forwarded-For is believed only as far back as our own proxies wrote it; what stands further
    left is whatever the client sent.
    """
    proxies: int = settings.TRUSTED_PROXIES
    header = request.headers.get("X-Forwarded-For", "")
    forwarded = [part.strip() for part in header.split(",") if part.strip()]
    if 0 < proxies <= len(forwarded):
        return _countable(forwarded[-proxies])
    return _countable(request.META.get("REMOTE_ADDR", ""))


def _countable(text: str) -> str:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text  # a unix socket has no address: all its clients count as one
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address), IPV6_NETWORK_BITS), strict=False))
