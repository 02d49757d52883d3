"""Pages that replicas of Redis may help to read, if the site is set so.

Replicas lag behind. Who has just written reads from the masters for a while: a cookie says so,
which needs no signature. Pages for visitors are kept for others, so masters make them.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from configuration.current import site
from redistools.staleness import STALE_SECONDS, stale_ok

Handler = Callable[[HttpRequest], HttpResponse]

COOKIE = "wrote"
# For as long as a replica may lack what was written, and some time for the answer on its way.
COOKIE_SECONDS = int(2 * STALE_SECONDS)
READING = ("GET", "HEAD")


def replica_pages(get_response: Handler) -> Handler:
    def middleware(request: HttpRequest) -> HttpResponse:
        if not site().reads_from_replicas:
            return get_response(request)
        if request.method not in READING:
            response = get_response(request)
            response.set_cookie(COOKIE, "1", max_age=COOKIE_SECONDS, **settings.OWN_COOKIES)
            return response
        if not _may_be_stale(request):
            return get_response(request)
        with stale_ok():
            return get_response(request)

    return middleware


def _may_be_stale(request: HttpRequest) -> bool:
    is_member = settings.SESSION_COOKIE_NAME in request.COOKIES
    return is_member and COOKIE not in request.COOKIES
