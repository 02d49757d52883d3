"""Pages of the site as a whole: health, robots, errors."""

import sys

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from redistools.outage import is_outage
from web.health import check_stores, is_healthy

RETRY_AFTER_SECONDS = "5"


@never_cache
@require_safe
def healthz(_request: HttpRequest) -> JsonResponse:
    stores = check_stores()
    healthy = is_healthy(stores)
    answer = {"status": "ok" if healthy else "unavailable", **stores}
    return JsonResponse(answer, status=200 if healthy else 503)


@require_safe
def robots(_request: HttpRequest) -> HttpResponse:
    lines = ["User-agent: *", "Disallow: /admin/", "Disallow: /settings/", "Allow: /", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain")


@require_safe
def favicon(_request: HttpRequest) -> HttpResponse:
    """For browsers that have not read the page's own link."""
    return redirect(static("img/favicon.svg"))


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Why Django refuses a request (a forged host, say) does not concern the reader."""
    reason = str(exception) if isinstance(exception, BadRequest) else ""
    return render(request, "400.html", {"reason": reason}, status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "403.html", {"reason": str(exception or "")}, status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Mostly a page that was open during a log-out, or a browser without cookies."""
    return render(request, "403.html", {"csrf_failed": True, "reason": reason}, status=403)


def server_error(_request: HttpRequest) -> HttpResponse:
    """Django calls this while handling the exception: a store that is away is not our bug.

    Rendered without the request: its session or its user may be what failed.
    """
    outage = is_outage(sys.exc_info()[1])
    page = render_to_string("503.html" if outage else "500.html", {"site_name": settings.SITE_NAME})
    if not outage:
        return HttpResponse(page, status=500)
    return HttpResponse(page, status=503, headers={"Retry-After": RETRY_AFTER_SECONDS})
