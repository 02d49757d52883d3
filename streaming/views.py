"""A stream to look at."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def stream_demo(request: HttpRequest) -> HttpResponse:
    return render(request, "streaming/demo.html", {"stream_url": settings.STREAM_URL})
