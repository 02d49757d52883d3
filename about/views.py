from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from statuses.words.text import MAX_LENGTH

from . import selectors


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    context = {"numbers": selectors.numbers(), "contact": settings.CONTACT_EMAIL}
    return render(request, "about/about.html", context)


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    context = {"own_rules": selectors.own_rules(), "contact": settings.CONTACT_EMAIL}
    return render(request, "about/rules.html", context)


@require_safe
def privacy_policy(request: HttpRequest) -> HttpResponse:
    context = {
        "contact": settings.CONTACT_EMAIL,
        "grace_days": settings.DELETION_GRACE_DAYS,
        "reads_from_replicas": settings.REDIS_READ_FROM_REPLICAS,
    }
    return render(request, "about/privacy_policy.html", context)


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    context = {"edit_minutes": settings.EDIT_MINUTES, "longest": MAX_LENGTH}
    return render(request, "about/help.html", context)


@require_safe
def developers(request: HttpRequest) -> HttpResponse:
    return render(request, "about/developers.html", {"stream_url": settings.STREAM_URL})
