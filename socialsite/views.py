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

from configuration.accent import style_sheet, version_of
from configuration.current import observer, site
from explore.views import landing
from redistools.outages.errors import is_outage
from timelines.views import home
from web.health import check_stores, is_healthy
from web.refusals import Refusal, answer, unavailable


def front_page(request: HttpRequest) -> HttpResponse:
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
    style = _accent_style()
    if version != version_of(style):
        observer.ask_again()  # the page may come from a process that knows of a change already
        style = _accent_style()
    if not style or version != version_of(style):
        raise Http404
    return HttpResponse(style, content_type="text/css; charset=utf-8")


def _accent_style() -> str:
    return style_sheet(site().accent) if site().accent else ""


def nothing_here(_request: HttpRequest, **_address: str) -> HttpResponse:
    raise Http404


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Why Django refuses a request (a forged host, say) does not concern the reader."""
    reason = str(exception) if isinstance(exception, BadRequest) else ""
    refusal = Refusal(reason or _("That didn't work."), code="bad_request")
    return answer(request, refusal, reason=reason)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    reason = str(exception or "")
    refusal = Refusal(reason or _("You don't have permission."), code="forbidden", status=403)
    return answer(request, refusal, reason=reason)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's
    return answer(request, Refusal(_("This is no longer here."), code="not_found", status=404))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Mostly a page that was open during a log-out, or a browser without cookies."""
    words = _("This page was open too long. Load it again.")
    refusal = Refusal(words, code="csrf", status=403)
    return answer(request, refusal, csrf_failed=True, reason=reason)


def server_error(request: HttpRequest) -> HttpResponse:
    """While Django handles the exception: a store that is away is not our bug.

    Rendered without the request: its session or its user may be what failed.
    """
    if not is_outage(sys.exc_info()[1]):
        page = render_to_string("500.html", {"site_name": site().name})
        return HttpResponse(page, status=500)
    words = _("A part of the site is not available for a moment. Try again in a few seconds.")
    response = answer(request, unavailable(words))
    response.headers["Cache-Control"] = "no-store"
    return response
