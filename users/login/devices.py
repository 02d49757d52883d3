"""Browsers that have logged in to an account before.

They are counted separately: strangers who guess its password can't lock them out.
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from ..models import User

COOKIE = "device"
SALT = "users.devices"
LIFETIME_SECONDS = 365 * 24 * 3600


def remember_device(response: HttpResponse, user: User) -> None:
    """After a log-in. A new password makes all devices unknown again."""
    value = signing.dumps([user.pk, secrets.token_urlsafe(12), _seal(user)], salt=SALT)
    where = {"path": reverse("login"), **settings.OWN_COOKIES}
    response.set_cookie(COOKIE, value, max_age=LIFETIME_SECONDS, **where)


def known_device(request: HttpRequest, typed: str) -> str | None:
    """The device's id, if the account with this name or address has logged in with it."""
    try:
        cookie = request.COOKIES.get(COOKIE, "")
        user_id, device_id, seal = signing.loads(cookie, salt=SALT, max_age=LIFETIME_SECONDS)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=user_id).first()
    if user is None or typed.lower() not in (user.username.lower(), user.email.lower()):
        return None
    return str(device_id) if constant_time_compare(seal, _seal(user)) else None


def _seal(user: User) -> str:
    return salted_hmac(SALT, user.password, algorithm="sha256").hexdigest()[:32]
