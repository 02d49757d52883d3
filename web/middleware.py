from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.storage import storages
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import has_vary_header, patch_cache_control, patch_vary_headers
from django.utils.translation import gettext

from .languages import language_of
from .refusals import Refusal, answer

Handler = Callable[[HttpRequest], HttpResponse]

# Scripts and styles come from this site alone, pictures also from where their storage hands them
# out, streams from their own port. Nothing may be written into a page as script or style, and
# nothing may frame it.
POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:{pictures}",
        f"connect-src 'self' {settings.STREAM_URL}",
        "manifest-src 'self'",
        "worker-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)


METHODS = ("GET", "HEAD", "POST")


def known_methods(get_response: Handler) -> Handler:
    """Refuses what no browser sends, and what the checks of forms don't look at."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method in METHODS:
            return get_response(request)
        words = f"This site answers {', '.join(METHODS)}.\n"
        headers = {"Allow": ", ".join(METHODS)}
        return HttpResponse(words, status=405, content_type="text/plain", headers=headers)

    return middleware


def no_body_for_head(get_response: Handler) -> Handler:
    """The server would drop the body, and log a warning each time."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.method == "HEAD" and not response.streaming:
            response.headers.setdefault("Content-Length", str(len(response.content)))
            response.content = b""
        return response

    return middleware


def private_pages(get_response: Handler) -> Handler:
    """Keeps pages for one person out of shared caches: those that depend on a cookie, or set one.

    Their browser asks before it shows one again, unless the page says how long it lasts. Not
    `no-store`: that would keep pages out of the memory from which browsers show them after "back".
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_personal = request.COOKIES and has_vary_header(response, "Cookie")
        if is_personal or response.cookies:
            patch_cache_control(response, private=True)
            if "max-age" not in response.headers["Cache-Control"]:
                patch_cache_control(response, no_cache=True)
        return response

    return middleware


def in_language_of_reader(get_response: Handler) -> Handler:
    """For as long as the request takes. Early, so that all refusals are in it; an account's own
    choice comes later (`users/login/middleware.py`).
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        with translation.override(language_of(request)):
            response = get_response(request)
            if response.headers.get("Content-Type", "").startswith("text/html"):
                response.headers.setdefault("Content-Language", translation.get_language() or "")
                patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response

    return middleware


def page_for_wrong_methods(get_response: Handler) -> Handler:
    """Django's own answer is an empty page."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != 405 or response.streaming or response.content:
            return response
        headers = {"Allow": response.headers.get("Allow", "")}
        words = gettext("That link doesn't work.")
        return answer(request, Refusal(words, code="method", status=405, headers=headers))

    return middleware


def content_security_policy(get_response: Handler) -> Handler:
    policy = POLICY.format(pictures=host_of_pictures())

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy)
        return response

    return middleware


def host_of_pictures() -> str:
    """For a policy, with a blank before it. Empty where it is this site."""
    address = urlsplit(storages["default"].url("picture.webp"))
    return f" {address.scheme}://{address.netloc}" if address.netloc else ""
