"""Requests of our scripts, which change the page in place: they get a short answer, no other page.

htmx marks its requests with a header, and so does `static/js/page.js`.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render


def is_in_place(request: HttpRequest) -> bool:
    return "HX-Request" in request.headers


def done(request: HttpRequest, address: str) -> HttpResponse:
    """After a form: back to the page at this address. A script is there already."""
    return HttpResponse() if is_in_place(request) else redirect(address)


def refusal(
    request: HttpRequest, template: str, *, status: int, words: str, **context: object
) -> HttpResponse:
    """A page that says what went wrong, or the words alone. htmx keeps what the page shows."""
    if not is_in_place(request):
        return render(request, template, context, status=status)
    headers = {"HX-Reswap": "none"}
    return HttpResponse(words, status=status, content_type="text/plain", headers=headers)
