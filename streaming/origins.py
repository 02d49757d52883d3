"""Which pages of other origins may read streams: those of this site, on its other port."""

from django.conf import settings

from .refusal import Headers
from .request import Request


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
    ]


def _allowed() -> set[str]:
    if settings.HTTPS:
        return {settings.SITE_URL}
    loopback = {f"http://{host}:{settings.PORT}" for host in settings.LOOPBACK_HOSTS}
    return loopback | {settings.SITE_URL}
