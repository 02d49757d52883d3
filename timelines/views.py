from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The reader's timeline; visitors see what the site is about."""
    if not request.user.is_authenticated:
        return render(request, "landing.html")
    return render(request, "timelines/home.html")
