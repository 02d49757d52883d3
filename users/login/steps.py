"""From the right password to a session: the second factor, and whether a leaving account stays.

Between the steps the session remembers who is logging in, for a few minutes, and belongs to nobody:
pages treat its owner as a visitor.
"""

import time
from dataclasses import asdict, dataclass, replace

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.crypto import constant_time_compare

from web.client_address import client_address
from web.next_page import next_page

from .. import tasks
from ..events import logged_in
from ..models import User
from ..safety import second_factor
from . import session_rows
from .agents import shortened
from .devices import known_device, remember_device

PENDING, PENDING_SECONDS = "log_in", 10 * 60
# In a session that was opened with the second factor, or that turned it on.
SECOND_FACTOR = "second_factor"
# An account with more is no person; the least recently used ones end.
MOST_SESSIONS = 100


@dataclass(frozen=True)
class Pending:
    user_id: int
    password_seal: str
    next: str
    at: float
    used_code: bool = False

    def user(self) -> User | None:
        """None if the account is gone or suspended, or has another password by now."""
        user = User.objects.get_queryset().who_may_log_in().filter(pk=self.user_id).first()
        if user is None:
            return None
        same = constant_time_compare(user.get_session_auth_hash(), self.password_seal)
        return user if same else None

    def needs_code(self, user: User) -> bool:
        return not self.used_code and second_factor.is_on(user)


def after_password(request: HttpRequest, user: User) -> HttpResponse:
    seal = user.get_session_auth_hash()
    pending = Pending(user.pk, seal, next_page(request), time.time())
    if pending.needs_code(user):
        return _wait(request, pending, "login_code")
    return _after_second_factor(request, user, pending)


def after_code(request: HttpRequest, user: User, pending: Pending) -> HttpResponse:
    return _after_second_factor(request, user, replace(pending, used_code=True))


def pending_in(request: HttpRequest) -> Pending | None:
    held = request.session.get(PENDING)
    pending = Pending(**held) if held else None
    is_fresh = pending is not None and time.time() - pending.at < PENDING_SECONDS
    return pending if is_fresh else None


def _after_second_factor(request: HttpRequest, user: User, pending: Pending) -> HttpResponse:
    if user.leaving_at is not None:
        return _wait(request, pending, "keep_account")
    return finish(request, user, pending)


def _wait(request: HttpRequest, pending: Pending, page: str) -> HttpResponse:
    """With a new key: somebody may have planted the one that the browser had."""
    request.session.cycle_key()
    request.session[PENDING] = asdict(pending)
    return redirect(page)


def finish(request: HttpRequest, user: User, pending: Pending) -> HttpResponse:
    is_new = known_device(request, user.username) is None
    request.session.pop(PENDING, None)
    return enter(request, user, pending.next, used_code=pending.used_code, notify=is_new)


def enter(
    request: HttpRequest, user: User, place: str, *, used_code: bool = False, notify: bool = False
) -> HttpResponse:
    """Opens the session. `notify`: mail the owner that somebody came in."""
    login(request, user)
    logged_in(user.pk)
    if used_code:
        request.session[SECOND_FACTOR] = True
    surplus = session_rows.sessions_of(user)[MOST_SESSIONS:]
    session_rows.end(surplus, reason="There are newer sessions.")
    if notify and user.login_notices:
        _notify(request, user)
    response = redirect(place)
    remember_device(response, user)
    return response


def _notify(request: HttpRequest, user: User) -> None:
    agent = shortened(request.headers.get("User-Agent", ""))
    tasks.notify_of_login(user, agent=agent, address=client_address(request))
