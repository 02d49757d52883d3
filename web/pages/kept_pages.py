"""Pages for visitors are made once and kept in Redis for a short time, compressed.

Nothing personal can get into them: only requests without a session, and without any other cookie
that a page might depend on, are answered from there, and only answers without a cookie are kept. A
kept page is shown until its time ends, or something is hidden (`page_versions.py`). Each has an
ETag, so browsers and feed readers that have it already are told so in a few bytes.
"""

import hashlib
import json
import logging
import re
import time
import zlib
from collections.abc import Callable
from typing import NamedTuple, Self

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import parse_http_date_safe
from django.utils.translation import get_language

from configuration.current import site
from redistools import keys
from redistools.client import get_binary_client, is_away
from redistools.outages.errors import STORE_ERRORS
from redistools.scripts import Batch

from .announcements import COOKIE as COOKIE_OF_ANNOUNCEMENTS
from .announcements import has_closed_announcement
from .compression import accepts_gzip
from .events import kept_page_wanted

Handler = Callable[[HttpRequest], HttpResponseBase]

# What a page shows may be as old as this.
KEPT_SECONDS = 10
# A process that was stopped in between must not keep a page whose version may have ended.
MOST_SECONDS_TO_MAKE = 30.0
# Made once and sent often, so it may take longer to compress than other pages.
LEVEL = 6
GZIP = 31  # as zlib's `wbits`
# No page for visitors depends on the first. The language, and whether the announcement was closed,
# are part of the key.
HARMLESS_COOKIES = frozenset(
    {settings.CSRF_COOKIE_NAME, settings.LANGUAGE_COOKIE_NAME, COOKIE_OF_ANNOUNCEMENTS}
)
CONDITIONS = frozenset({"HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE"})

_address = re.compile(
    r"/(?:"
    r"@\w{1,30}/(?:with_replies/|feed\.xml|[1-9]\d{0,15}/(?:embed/)?)?"
    r"|tags/[^/]{1,150}/(?:feed\.xml)?"
    r"|explore/(?:tags/|newest/)?"
    r")?"
)

logger = logging.getLogger(__name__)


class KeptPage(NamedTuple):
    version: str
    headers: dict[str, str]
    body: bytes  # compressed

    @classmethod
    def read(cls, kept: bytes) -> Self:
        version, headers, body = kept.split(b"\n", 2)
        return cls(version.decode(), json.loads(headers), body)

    def written(self) -> bytes:
        return b"\n".join([self.version.encode(), json.dumps(self.headers).encode(), self.body])


class FoundPage(NamedTuple):
    version: str
    page: KeptPage | None


def kept_pages(get_response: Handler) -> Handler:
    def middleware(request: HttpRequest) -> HttpResponseBase:
        key = wanted_page(request)
        found = _find(key) if key else None
        if key is None or found is None:
            return get_response(request)
        kept_page_wanted(is_there=found.page is not None)
        if found.page:
            return _answer(request, found.page)
        begun = time.monotonic()
        response = get_response(request)
        if not isinstance(response, HttpResponse) or not _may_be_kept(response):
            return response
        page = _kept_page(response, found.version)
        if request.method == "GET" and time.monotonic() - begun < MOST_SECONDS_TO_MAKE:
            _keep(key, page)
        return _answer(request, page)

    return middleware


def wanted_page(request: HttpRequest) -> str | None:
    """Returns None for a page that is not kept: with a query there are too many."""
    if request.method not in ("GET", "HEAD") or request.META.get("QUERY_STRING"):
        return None
    if "HTTP_AUTHORIZATION" in request.META or "HTTP_HX_REQUEST" in request.META:
        return None
    # The pages of a site below such a path have other links, and `path` alone may name another.
    if request.META.get("SCRIPT_NAME"):
        return None
    if not _address.fullmatch(request.path) or not request.COOKIES.keys() <= HARMLESS_COOKIES:
        return None
    now = site()
    if now.in_maintenance:
        return None
    is_closed = has_closed_announcement(request)
    what = f"{request.get_host()} {get_language()} {request.path} {now.version} {is_closed}"
    digest = hashlib.blake2b(what.encode(), digest_size=16).hexdigest()
    return keys.visitor_page(digest)


def _find(key: str) -> FoundPage | None:
    """Reads the version first: what is hidden while the page is made ends it. One round trip."""
    if is_away():
        return None
    batch = Batch(get_binary_client())
    batch.add("GET", keys.page_version())
    batch.add("GET", key)
    try:
        version, kept = batch.run()
    except STORE_ERRORS as error:
        logger.warning("Pages for visitors can't be read: %s", error)
        return None
    current = (version or b"-").decode()
    return FoundPage(current, _current_page(kept, current) if kept else None)


def _current_page(kept: bytes, version: str) -> KeptPage | None:
    try:
        page = KeptPage.read(kept)
    except ValueError:
        return None
    return page if page.version == version else None


def _keep(key: str, page: KeptPage) -> None:
    batch = Batch(get_binary_client())
    batch.add("SET", key, page.written(), "EX", KEPT_SECONDS)
    try:
        batch.run()
    except STORE_ERRORS as error:
        logger.warning("A page for visitors can't be kept: %s", error)


def _may_be_kept(response: HttpResponse) -> bool:
    """A page that sets a cookie is for one person; its forms have a token of theirs."""
    if response.status_code != 200 or response.cookies:
        return False
    return not re.search("private|no-store", response.headers.get("Cache-Control", ""))


def _kept_page(response: HttpResponse, version: str) -> KeptPage:
    patch_vary_headers(response, ["Cookie", "Accept-Encoding"])
    digest = hashlib.blake2b(response.content, digest_size=12).hexdigest()
    # Browsers may keep it, but have to ask: what is deleted is gone at once.
    ours = {"Cache-Control": "no-cache", "ETag": f'W/"{digest}"'}
    headers = ours | dict(response.headers.items())
    headers.pop("Content-Length", None)
    return KeptPage(version, headers, zlib.compress(response.content, LEVEL, GZIP))


def _answer(request: HttpRequest, page: KeptPage) -> HttpResponseBase:
    if accepts_gzip(request):
        headers, body = page.headers | {"Content-Encoding": "gzip"}, page.body
    else:
        headers, body = page.headers, zlib.decompress(page.body, GZIP)
    answer = HttpResponse(body, headers=headers | {"Content-Length": str(len(body))})
    return _not_modified(request, page, answer) or answer


def _not_modified(
    request: HttpRequest, page: KeptPage, answer: HttpResponse
) -> HttpResponseBase | None:
    if not CONDITIONS & request.META.keys():
        return None
    changed = parse_http_date_safe(page.headers.get("Last-Modified", ""))
    return get_conditional_response(request, page.headers["ETag"], changed, answer)
