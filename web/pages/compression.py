"""Pages leave compressed, in a fraction of the time that zlib takes: docs/dependencies.md."""

import re
import secrets
import struct
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from isal import isal_zlib

Handler = Callable[[HttpRequest], HttpResponse]

# Shorter ones would hardly get smaller.
SHORTEST = 200
LEVEL = 1
# Up to this many bytes are added at random. Otherwise the length of a page would tell somebody who
# has a part of it repeated, such as a search word, whether the rest has the same (BREACH).
MOST_PADDING = 100

_text = re.compile(r"text/|application/(?:json|xml|manifest\+json|[a-z]+\+xml|javascript)")
_accepted = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")


def compressed(get_response: Handler) -> Handler:
    """Streams are left alone: what they send must not wait in a buffer."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if _is_compressible(response):
            patch_vary_headers(response, ["Accept-Encoding"])
            if accepts_gzip(request):
                _compress(response)
        return response

    return middleware


def accepts_gzip(request: HttpRequest) -> bool:
    return _accepted.search(request.META.get("HTTP_ACCEPT_ENCODING", "")) is not None


def gzipped(content: bytes, *, padding: int = 0) -> bytes:
    """A gzip file (RFC 1952); its padding is the name of a file, which nobody reads."""
    head = b"\x1f\x8b\x08\x08\0\0\0\0\x04\xff" + b"a" * padding + b"\0"
    tail = struct.pack("<LL", isal_zlib.crc32(content), len(content) & 0xFFFFFFFF)
    return head + isal_zlib.compress(content, LEVEL, -15) + tail


def _is_compressible(response: HttpResponse) -> bool:
    if response.streaming or "Content-Encoding" in response.headers:
        return False
    is_text = _text.match(response.headers.get("Content-Type", ""))
    return is_text is not None and len(response.content) >= SHORTEST


def _compress(response: HttpResponse) -> None:
    response.content = gzipped(response.content, padding=secrets.randbelow(MOST_PADDING))
    response.headers["Content-Length"] = str(len(response.content))
    response.headers["Content-Encoding"] = "gzip"
    etag = response.headers.get("ETag", "")
    if etag.startswith('"'):
        response.headers["ETag"] = f"W/{etag}"  # the same page in other bytes
