"""Timelines: home, and what everybody says. Lists have views of their own."""

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from users.decorators import viewer_of
from users.selectors import suggestions

from . import selectors
from .pages import status_page

SUGGESTED_PEOPLE = 5


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The reader's timeline; visitors see what the site is about."""
    viewer = viewer_of(request)
    if viewer is None:
        return render(request, "landing.html")
    page = status_page(request, partial(selectors.home, viewer))
    return render(request, "timelines/home.html", {"page": page})


@require_safe
def explore(request: HttpRequest) -> HttpResponse:
    viewer = viewer_of(request)
    page = status_page(request, partial(selectors.everything, viewer=viewer))
    people = suggestions(viewer, limit=SUGGESTED_PEOPLE) if page.is_first else None
    return render(request, "timelines/explore.html", {"page": page, "people": people})
