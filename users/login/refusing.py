"""What somebody with the right password is told if moderators have suspended the account.

Other apps know why, and register here how to find out.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from ..models import User

SUSPENDED = "suspended"

Explain = Callable[[User], str]

_explanations: list[Explain] = []


def explains_suspension(explain: Explain) -> Explain:
    """Register what gives the words that are meant for the account; empty if there are none."""
    _explanations.append(explain)
    return explain


def suspended_page(request: HttpRequest, account: User) -> HttpResponse:
    """Only for somebody who has just given the password."""
    reasons = [words for explain in _explanations if (words := explain(account))]
    context = {"account": account, "reasons": reasons, "contact": settings.CONTACT_EMAIL}
    return render(request, "users/suspended.html", context, status=403)
