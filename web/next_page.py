"""Where to go after a form: back to the page before it, if that is on this site."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def next_page(request: HttpRequest, default: str = settings.LOGIN_REDIRECT_URL) -> str:
    """The address that the form or the page's own address names as `next`."""
    return _ours(request.POST.get("next") or request.GET.get("next")) or default


def posted_next_page(request: HttpRequest, default: str) -> str:
    return _ours(request.POST.get("next")) or default


def page_before(request: HttpRequest) -> str:
    """The page whose link led here, without the host; empty if it is not of this site."""
    try:
        referrer = urlsplit(request.headers.get("Referer", ""))
    except ValueError:
        return ""
    if referrer.netloc != request.get_host():
        return ""
    return _ours(referrer._replace(scheme="", netloc="").geturl()) or ""


def is_from_here(request: HttpRequest) -> bool:
    """Was the form sent by a page of this site? Browsers say so with every form that they POST."""
    origin = request.headers.get("Origin")
    ours = {f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS}
    return origin is None or origin in ours


def _ours(wanted: str | None) -> str | None:
    """Only paths: `redirect` takes a mere word for the name of a view."""
    is_path = wanted is not None and wanted.startswith("/")
    return wanted if is_path and url_has_allowed_host_and_scheme(wanted, None) else None
