"""What a suspended account is told after the right password. Other apps register here why."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from ..models import User

SUSPENDED = "suspended"

Explain = Callable[[User], str]

_explanations: list[Explain] = []


def explains_suspension(explain: Explain) -> Explain:
    """Registers what gives the words for the account; empty if there are none."""
    _explanations.append(explain)
    return explain


def suspended_page(request: HttpRequest, account: User) -> HttpResponse:
    reasons = [words for explain in _explanations if (words := explain(account))]
    context = {"account": account, "reasons": reasons, "contact": settings.CONTACT_EMAIL}
    return render(request, "users/suspended.html", context, status=403)
