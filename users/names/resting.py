"""Names of deleted accounts rest: nobody takes one while people still remember whose it was, not
even its former owner, whom nothing proves. Only digests are kept.
"""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.crypto import salted_hmac

from .models import RestingName

RESTS_FOR = timedelta(days=90)


def lay_to_rest(username: str) -> None:
    """Inside the transaction that deletes the account. One statement."""
    row = RestingName(digest=_digest(username), until=timezone.now() + RESTS_FOR)
    RestingName.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["digest"], update_fields=["until"]
    )


def rests(username: str) -> bool:
    names = RestingName.objects.filter(until__gt=timezone.now())
    return names.filter(digest=_digest(username)).exists()


def forget_rested(now: datetime) -> int:
    deleted, _ = RestingName.objects.filter(until__lte=now).delete()
    return deleted


def _digest(username: str) -> str:
    """With the site's secret: names are short, and a plain digest is undone in no time."""
    return salted_hmac(__name__, username.lower(), algorithm="sha256").hexdigest()
