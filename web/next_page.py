"""Where to go after a form: back to the page before it, if that is on this site."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def next_page(request: HttpRequest, default: str = settings.LOGIN_REDIRECT_URL) -> str:
    """The address that the form or the page's own address names as `next`."""
    return _ours(request, request.POST.get("next") or request.GET.get("next")) or default


def posted_next_page(request: HttpRequest, default: str) -> str:
    """Only what the form names."""
    return _ours(request, request.POST.get("next")) or default


def _ours(request: HttpRequest, wanted: str | None) -> str | None:
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else None
