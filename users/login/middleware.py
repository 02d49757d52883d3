from collections.abc import Callable

from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse

from web.next_page import next_page

from ..models import AccountGone


class LogOutTheGone:
    """An account that is deleted while it writes is answered as if it were logged out."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, AccountGone):
            return None
        logout(request)
        return redirect_to_login(next_page(request))
