"""Hosts of one site share `SECRET_KEY`: with another, a host would log everybody out."""

from django.conf import settings

from redistools.sealing import is_of_our_key, key_fingerprint

from .models import KeyFingerprint

ONLY_ROW = 1


class OtherKey(Exception):  # noqa: N818 - reads better
    """The site's hosts use another key; the message says what to do."""


def check_key() -> None:
    """Remembers the key of the first host. One whose database is in its data folder is alone."""
    if not settings.DATABASE_URL:
        return
    # Two hosts that start at once: the second to insert reads the first one's row.
    ours = {"hashed": key_fingerprint()}
    known, is_new = KeyFingerprint.objects.get_or_create(pk=ONLY_ROW, defaults=ours)
    if not is_new and not is_of_our_key(known.hashed):
        raise OtherKey(
            "The other hosts of this site use another SECRET_KEY, and with ours everybody would be "
            "logged out: set SECRET_KEY to theirs. To change the key on purpose, stop all hosts "
            "and run `manage.py accept_secret_key` with the new one"
        )


def accept_key() -> None:
    KeyFingerprint.objects.update_or_create(pk=ONLY_ROW, defaults={"hashed": key_fingerprint()})
