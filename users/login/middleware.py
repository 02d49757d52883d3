from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin

from web.languages import CODES
from web.next_page import next_page
from web.refusals import wants_json

from ..models import AccountGone, User

Handler = Callable[[HttpRequest], HttpResponse]

# The same for everybody, and in no language: nothing here needs an account, or may fail because a
# store is away.
FOR_EVERYBODY = (
    *("/healthz", "/robots.txt", "/favicon.ico", "/sitemap", "/oembed"),
    *("/media/", "/accent-", "/manifest.webmanifest", "/sw.js"),
)


def in_language_of_account(get_response: Handler) -> Handler:
    """Where the account has chosen one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if (user := account_of(request)) and user.language in CODES:
            translation.activate(user.language)
        return get_response(request)

    return middleware


def account_of(request: HttpRequest) -> User | None:
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or request.path.startswith(
        FOR_EVERYBODY
    ):
        return None
    return request.user if request.user.is_authenticated else None


def appearance(request: HttpRequest) -> dict[str, str | bool]:
    """A context processor. `theme` is empty where the system decides, and in refusals that come
    before the log-in.
    """
    user = account_of(request) if hasattr(request, "user") else None
    if user is None:
        return {"theme": "", "has_no_shortcuts": False}
    return {"theme": user.theme, "has_no_shortcuts": not user.has_shortcuts}


class LogOutTheGone(MiddlewareMixin):
    """An account that is deleted while it writes is answered as if it were logged out."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, AccountGone) or wants_json(request):
            return None
        logout(request)
        return redirect_to_login(next_page(request))
