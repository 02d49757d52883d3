"""Names of deleted accounts rest: nobody takes one while people still remember whose it was.

Neither does its former owner, whom nothing proves. Only digests are kept, and only for that long.
"""

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from .models import RestingName

RESTS_FOR = timedelta(days=90)


def lay_to_rest(username: str, *, now: datetime | None = None) -> None:
    """Inside the transaction that deletes the account. One statement."""
    row = RestingName(digest=_digest(username), until=(now or timezone.now()) + RESTS_FOR)
    RestingName.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["digest"], update_fields=["until"]
    )


def rests(username: str) -> bool:
    """One query."""
    return RestingName.objects.filter(_is_still(timezone.now()), digest=_digest(username)).exists()


def forget_rested(now: datetime) -> int:
    """Returns how many."""
    deleted, _ = RestingName.objects.filter(~_is_still(now)).delete()
    return deleted


def _is_still(now: datetime) -> Q:
    return Q(until__gt=now)


def _digest(username: str) -> str:
    """With the site's secret: names are short, and a plain digest is undone in no time."""
    return salted_hmac(__name__, username.lower(), algorithm="sha256").hexdigest()
