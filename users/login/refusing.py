"""What a suspended account is told after the right password."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from configuration.current import site

from ..events import suspension_answerable, suspension_explained
from ..models import User

SUSPENDED = "suspended"


def suspended_page(request: HttpRequest, account: User) -> HttpResponse:
    reasons = [words for words in suspension_explained(account) if words]
    ways = [html for html in suspension_answerable(request, account) if html]
    context = {"account": account, "reasons": reasons, "ways": ways, "contact": site().contact}
    return render(request, "users/suspended.html", context, status=403)
