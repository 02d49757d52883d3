"""The least that Django can answer, behind the same middleware: settings, URLs and WSGI in one."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from socialsite.settings import *  # noqa: F403 - the site's own, but for the addresses

ROOT_URLCONF = "bench.hello"
INSIGHT = False


def hello(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("hello, world")


urlpatterns = [path("", hello)]
