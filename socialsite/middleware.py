from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

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


def content_security_policy(get_response: Handler) -> Handler:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    return middleware
