"""Whose pages a reader gets."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from django.http import HttpRequest, HttpResponse

from users.decorators import of_account, viewer_of
from users.models import User

from .selectors import reachable_or_404

P = ParamSpec("P")
Request = TypeVar("Request", bound=HttpRequest)


def of_reachable_account(
    view: Callable[Concatenate[Request, User, P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Like `of_account`, but also answers 404 if the account has blocked the reader."""
    return of_account(view, find=_reachable)


def _reachable(request: HttpRequest, username: str) -> User:
    return reachable_or_404(username, viewer=viewer_of(request))
