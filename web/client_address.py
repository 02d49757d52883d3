"""Where a request comes from, as far as it can be believed."""

import ipaddress
from collections.abc import Callable
from contextvars import ContextVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse

# Providers hand out networks of this size, so one person has all addresses in it.
IPV6_NETWORK_BITS = 64


def client_address(request: HttpRequest) -> str:
    """The address to count by: an IPv4 address or an IPv6 network.

    X-Forwarded-For is believed only from our own proxies, and only as far back as they wrote it.
    """
    peer: str = request.META.get("REMOTE_ADDR", "")
    return _forwarded(request, peer) or _countable(peer) or peer


def _forwarded(request: HttpRequest, peer: str) -> str | None:
    proxies: int = settings.TRUSTED_PROXIES
    if not proxies or not _is_proxy(peer):
        return None
    header = request.headers.get("X-Forwarded-For", "")
    parts = [part.strip() for part in header.split(",") if part.strip()]
    return _countable(_without_port(parts[-proxies])) if proxies <= len(parts) else None


def _is_proxy(peer: str) -> bool:
    """Only a proxy on this machine comes through a unix socket, which has no address."""
    address = _parsed(peer)
    return address is None or any(address in network for network in settings.PROXY_NETWORKS)


def _without_port(text: str) -> str:
    """Some proxies write `192.0.2.1:5678` or `[2001:db8::1]:5678`."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    host, colon, rest = text.partition(":")
    return host if colon and ":" not in rest else text


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _countable(text: str) -> str | None:
    """None if there is no address: all clients of a unix socket count as one."""
    address = _parsed(text)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((int(address), IPV6_NETWORK_BITS), strict=False))
    return str(address) if address else None


_current: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


def remember_request(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """For what is noted far from the view, and must not be forgotten by one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        token = _current.set(request)
        try:
            return get_response(request)
        finally:
            _current.reset(token)

    return middleware


def address_of_this_request() -> str:
    """Empty in tasks and commands."""
    request = _current.get()
    return client_address(request) if request else ""
