from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from configuration.current import site
from web.in_place import done
from web.next_page import is_from_here, page_before
from web.pages.announcements import remember_closed
from web.refusals import Refusal

from . import selectors


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    context = {"numbers": selectors.numbers(), "contact": site().contact}
    return render(request, "about/about.html", context)


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    context = {"own_rules": selectors.own_rules(), "contact": site().contact}
    return render(request, "about/rules.html", context)


@require_safe
def privacy_policy(request: HttpRequest) -> HttpResponse:
    context = {
        "contact": site().contact,
        "grace_days": settings.DELETION_GRACE_DAYS,
        "reads_from_replicas": site().reads_from_replicas,
        "notes_places": settings.INSIGHT and site().notes_places,
    }
    return render(request, "about/privacy_policy.html", context)


@csrf_exempt
@require_POST
def close_announcement(request: HttpRequest) -> HttpResponse:
    """Without a token, like `choose_language`: its cookie would keep pages out of caches."""
    if not is_from_here(request):
        raise Refusal(gettext("That didn't work."), code="origin", status=403)
    response = done(request, page_before(request) or "/")
    remember_closed(response)
    return response


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    context = {"edit_minutes": site().edit_minutes, "longest": site().longest_post}
    return render(request, "about/help.html", context)


@require_safe
def developers(request: HttpRequest) -> HttpResponse:
    return render(request, "about/developers.html", {"stream_url": settings.STREAM_URL})
