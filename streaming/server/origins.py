"""Hosts and origins: a stream is for requests to this site, by its own pages."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from ..asked.refusal import Headers, bad_request, shown
from .request import Request


def check_host(request: Request) -> None:
    host = request.headers.get("host", "")
    name, _ = split_domain_port(host)
    own = urlsplit(settings.STREAM_URL).hostname or ""
    if not name or not validate_host(name, [*settings.ALLOWED_HOSTS, own]):
        raise bad_request(f"{shown(host)} is not a host of this site")


def is_allowed(origin: str) -> bool:
    return origin in _allowed()


def cors_headers(request: Request) -> Headers:
    origin = request.headers.get("origin", "")
    if not is_allowed(origin):
        return [(b"vary", b"origin")]
    return [
        (b"vary", b"origin"),
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-credentials", b"true"),
        (b"access-control-allow-headers", b"authorization, last-event-id"),
        (b"access-control-allow-methods", b"GET, POST"),
        (b"access-control-expose-headers", b"retry-after"),
    ]


def _allowed() -> set[str]:
    if settings.HTTPS:
        return {settings.SITE_URL}
    loopback = {f"http://{host}:{settings.PORT}" for host in settings.LOOPBACK_HOSTS}
    return loopback | {settings.SITE_URL}
