"""Measures every request: how it was answered, how long it took, who was here.

Outermost, so that it also sees what others answer. It only adds to the buffer of the process.
"""

import logging
import time
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve

from web.pages.maintenance import is_for_maintenance

from ..structures import viewed
from .buffer import Visit, buffer

Handler = Callable[[HttpRequest], HttpResponseBase]

STATIC, UNKNOWN = "static file", "unknown page"
STATIC_PATH = f"/{settings.STATIC_URL.lstrip('/')}"
# An address may be any length, and visitors make up as many as they like.
LONGEST_PATH = 300
LONGEST_HEADER = 300

memory = viewed.Memory()
logger = logging.getLogger(__name__)


class Page(NamedTuple):
    """Which page an address leads to, by the name of its URL; and what it is about, if it is
    counted on a board.
    """

    name: str
    status_id: int | None = None
    tag: str = ""


def measured(get_response: Handler) -> Handler:
    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not buffer.is_on:
            return get_response(request)
        began = time.perf_counter()
        response = get_response(request)
        try:
            record(request, response, time.perf_counter() - began)
        except Exception:  # the answer is ready, and whoever asked has no use for our mistakes
            logger.exception("A request could not be measured")
        return response

    return middleware


def record(request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
    page, status = page_of(request), response.status_code
    buffer.answered(page.name, status, seconds)
    if status >= 500 and not is_for_maintenance(response):
        buffer.count("errors")
    if is_read(request, response):
        _record_reader(request, page)


def page_of(request: HttpRequest) -> Page:
    match = request.resolver_match
    if match is not None:
        return _page(match.view_name or UNKNOWN, match.kwargs)
    if request.path.startswith(STATIC_PATH):
        return Page(STATIC)
    # A page that was kept for visitors, or an address that leads nowhere.
    return _page_at(request.path_info) if len(request.path_info) <= LONGEST_PATH else Page(UNKNOWN)


@lru_cache(maxsize=2_000)
def _page_at(path: str) -> Page:
    try:
        match = resolve(path)
    except Resolver404:
        return Page(UNKNOWN)
    return _page(match.view_name or UNKNOWN, match.kwargs)


def _page(name: str, arguments: dict[str, object]) -> Page:
    if name == "status":
        return Page(name, status_id=int(str(arguments["status_id"])))
    if name == "tag":
        return Page(name, tag=str(arguments["name"]))
    return Page(name)


def is_read(request: HttpRequest, response: HttpResponseBase) -> bool:
    """By a person, as far as that can be told: whole pages, and not the parts that scripts ask for
    while a page is open.
    """
    if request.method != "GET" or response.status_code not in (200, 304):
        return False
    if "HTTP_HX_REQUEST" in request.META:
        return False
    kind = response.headers.get("Content-Type", "")
    return kind.startswith("text/html") or response.status_code == 304


def _record_reader(request: HttpRequest, page: Page) -> None:
    visit = visit_of(request)
    if page.name == "search" and request.GET.get("q", "").strip():
        buffer.count("searches")
    if visit is None:
        return
    buffer.visit(visit)
    reader = visit.user_id or visit
    if page.status_id is not None and memory.is_new(reader, page.status_id):
        buffer.viewed(post=page.status_id)
    if page.tag and memory.is_new(reader, page.tag):
        buffer.viewed(tag=page.tag)


def visit_of(request: HttpRequest) -> Visit | None:
    """Asks no store: returns None for a page that did not look who reads it."""
    user = getattr(request, "_cached_user", None)
    if user is None and settings.SESSION_COOKIE_NAME in request.COOKIES:
        return None
    meta = request.META
    peer = meta.get("REMOTE_ADDR", "")
    forwarded = meta.get("HTTP_X_FORWARDED_FOR", "")[-LONGEST_HEADER:]
    if user is not None and user.is_authenticated:
        return Visit(user.pk, peer, forwarded=forwarded)
    return Visit(0, peer, meta.get("HTTP_USER_AGENT", "")[:LONGEST_HEADER], forwarded)
