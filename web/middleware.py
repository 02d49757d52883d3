from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import has_vary_header, patch_cache_control

Handler = Callable[[HttpRequest], HttpResponse]

# Scripts, styles and pictures come from this site alone, streams from their own port;
# nothing may frame it.
POLICY = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' data:",
        f"connect-src 'self' {settings.STREAM_URL}",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)


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
    """Keeps pages for one person out of shared caches: those that depend on a cookie of the
    request, and answers that set one.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_personal = request.COOKIES and has_vary_header(response, "Cookie")
        if is_personal or response.cookies:
            patch_cache_control(response, private=True)
        return response

    return middleware


def page_for_wrong_methods(get_response: Handler) -> Handler:
    """Django's own answer is an empty page."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != 405 or response.streaming or response.content:
            return response
        page = render(request, "405.html", status=405)
        page.headers["Allow"] = response.headers.get("Allow", "")
        return page

    return middleware


def content_security_policy(get_response: Handler) -> Handler:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    return middleware
