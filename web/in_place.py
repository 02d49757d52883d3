"""Requests of our scripts, which change the page in place and get a short answer. htmx marks its
requests with a header, and so does `static/js/page.js`.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect


def is_in_place(request: HttpRequest) -> bool:
    return "HX-Request" in request.headers


def done(request: HttpRequest, address: str) -> HttpResponse:
    """After a form: back to the page at this address. A script is there already."""
    return HttpResponse() if is_in_place(request) else redirect(address)
