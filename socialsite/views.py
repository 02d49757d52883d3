"""Pages of the site as a whole: health, robots, errors."""

import sys

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

from explore.views import landing
from redistools.outage import is_outage
from timelines.views import home
from web.accent import style_sheet, version_of
from web.health import check_stores, is_healthy
from web.in_place import is_in_place, refusal
from web.pages.reduced_service import RETRY_AFTER_SECONDS


def front_page(request: HttpRequest) -> HttpResponse:
    """Members read their timeline; visitors see what the site is about."""
    return home(request) if request.user.is_authenticated else landing(request)


@never_cache
@require_safe
def healthz(_request: HttpRequest) -> JsonResponse:
    stores = check_stores()
    healthy = is_healthy(stores)
    answer = {"status": "ok" if healthy else "unavailable", **stores}
    return JsonResponse(answer, status=200 if healthy else 503)


@require_safe
def keyboard(request: HttpRequest) -> HttpResponse:
    """The shortcuts; `static/js/keys.js` shows them in a dialog."""
    return render(request, "keyboard.html")


@require_safe
def robots(_request: HttpRequest) -> HttpResponse:
    rules = ["User-agent: *", "Disallow: /admin/", "Disallow: /settings/", "Allow: /"]
    lines = [*rules, "", f"Sitemap: {settings.SITE_URL}{reverse('sitemap')}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain")


@require_safe
def favicon(_request: HttpRequest) -> HttpResponse:
    """For browsers that have not read the page's own link."""
    return redirect(static("img/favicon.svg"))


@require_safe
@cache_control(public=True, immutable=True, max_age=365 * 24 * 3600)
def accent(_request: HttpRequest, version: str) -> HttpResponse:
    """Another color has another address."""
    if not settings.ACCENT_COLOR:
        raise Http404
    style = style_sheet(settings.ACCENT_COLOR)
    if version != version_of(style):
        raise Http404
    return HttpResponse(style, content_type="text/css; charset=utf-8")


def nothing_here(_request: HttpRequest, **_address: str) -> HttpResponse:
    raise Http404


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Why Django refuses a request (a forged host, say) does not concern the reader."""
    reason = str(exception) if isinstance(exception, BadRequest) else ""
    words = reason or _("That didn't work.")
    return refusal(request, "400.html", status=400, words=words, reason=reason)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    reason = str(exception or "")
    words = reason or _("You don't have permission.")
    return refusal(request, "403.html", status=403, words=words, reason=reason)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    words = _("This is no longer here.")
    return refusal(request, "404.html", status=404, words=words, exception=exception)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Mostly a page that was open during a log-out, or a browser without cookies."""
    words = _("This page was open too long. Load it again.")
    context = {"csrf_failed": True, "reason": reason}
    return refusal(request, "403.html", status=403, words=words, **context)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django calls this while handling the exception: a store that is away is not our bug.

    Rendered without the request: its session or its user may be what failed.
    """
    if not is_outage(sys.exc_info()[1]):
        page = render_to_string("500.html", {"site_name": settings.SITE_NAME})
        return HttpResponse(page, status=500)
    response = _unavailable(request)
    response.headers["Retry-After"] = RETRY_AFTER_SECONDS
    response.headers["Cache-Control"] = "no-store"
    return response


def _unavailable(request: HttpRequest) -> HttpResponse:
    """For scripts of a page, for programs, for people."""
    words = _("A part of the site is not available for a moment. Try again in a few seconds.")
    if is_in_place(request):
        headers = {"HX-Reswap": "none"}
        return HttpResponse(words, status=503, content_type="text/plain", headers=headers)
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        return JsonResponse({"error": words}, status=503)
    page = render_to_string("503.html", {"site_name": settings.SITE_NAME})
    return HttpResponse(page, status=503)
