"""Links in mails: following one proves that you read the mailbox of an account."""

from typing import Any

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import signing
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from ..models import EmailChange, User

CONFIRMATION_SALT = "users.mail_links.confirmation"
CONFIRMATION_SECONDS = 7 * 24 * 3600
CHANGE_SALT = "users.mail_links.change"
CHANGE_SECONDS = 24 * 3600


class ResetTokens(PasswordResetTokenGenerator):
    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        """Only the links in the newest mail work."""
        mailed = user.reset_mailed_at
        return f"{super()._make_hash_value(user, timestamp)}{mailed and mailed.timestamp()}"


reset_tokens = ResetTokens()


def reset_link(user: User) -> str:
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    token = reset_tokens.make_token(user)
    return settings.SITE_URL + reverse("password_reset_confirm", args=[uid, token])


def confirmation_link(user: User) -> str:
    token = signing.dumps([user.pk, user.email], salt=CONFIRMATION_SALT)
    return settings.SITE_URL + reverse("confirm_email", args=[token])


def account_to_confirm(token: str) -> User | None:
    """None if the link is broken or too old, or the account has another address by now."""
    try:
        user_id, email = signing.loads(token, salt=CONFIRMATION_SALT, max_age=CONFIRMATION_SECONDS)
    except signing.BadSignature:
        return None
    return User.objects.filter(pk=user_id, email=email, is_active=True).first()


def change_link(change: EmailChange) -> str:
    token = signing.dumps([change.user_id, change.email, _moment(change)], salt=CHANGE_SALT)
    return settings.SITE_URL + reverse("confirm_email_change", args=[token])


def change_to_confirm(token: str) -> EmailChange | None:
    """None if the link is broken, too old, was used, or a newer one was mailed."""
    try:
        user_id, email, moment = signing.loads(token, salt=CHANGE_SALT, max_age=CHANGE_SECONDS)
    except signing.BadSignature:
        return None
    change = EmailChange.objects.filter(user=user_id, email=email, user__is_active=True).first()
    return change if change and _moment(change) == moment else None


def _moment(change: EmailChange) -> str:
    return change.asked_at.isoformat()
