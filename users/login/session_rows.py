"""Sessions in SQL, and their copies in Redis.

A copy is made by the first page that misses it, and lives for an hour: then SQL is asked again,
which also learns when the session was last seen. So a session that was ended is dead within the
hour even if Redis loses the news of it.

The row is locked while it is copied. Whoever changes or ends the session waits for that, and
removes the copy afterwards.
"""

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from redis.exceptions import RedisError

from redistools import keys
from redistools.client import fail_if_away, get_client
from redistools.scripts import Batch
from taskqueue.outbox import run_on_commit

from .. import endings
from ..models import Session, User

COPY_LIVES = timedelta(hours=1)
# Shorter than a copy lives, so that an hourly copy is always an hourly note.
SEEN_EVERY = timedelta(minutes=55)
REMOVED_AT_ONCE = 500

logger = logging.getLogger(__name__)


class Visit(NamedTuple):
    """Where a request comes from."""

    agent: str = ""
    address: str = ""


def read_copy(digest: str) -> str | None:
    """The sealed data, if Redis has it. One round trip."""
    batch = Batch(get_client())
    batch.add("GET", keys.session(digest))
    held: str | None = batch.run()[0]
    return held


def load(digest: str, visit: Visit) -> str | None:
    """The sealed data from SQL. Copies it, and notes when and where the session was seen."""
    if not _living().filter(digest=digest).exists():
        return None
    try:
        fail_if_away()
        with transaction.atomic():
            return _seen_and_copied(digest, visit)
    except RedisError as error:
        logger.warning("A session was not copied: %s", error)
        return _living().filter(digest=digest).values_list("data", flat=True).first()


def _seen_and_copied(digest: str, visit: Visit) -> str | None:
    session = _living().select_for_update(no_key=True).filter(digest=digest).first()
    if session is None:
        return None
    now = timezone.now()
    if now - session.seen_at > SEEN_EVERY:
        Session.objects.filter(pk=session.pk).update(seen_at=now, **_known(visit))
    copy([session])
    return session.data


def _known(visit: Visit) -> dict[str, str]:
    """A stream has no page to tell where it is shown."""
    return {name: value for name, value in visit._asdict().items() if value}


def copy(sessions: Sequence[Session]) -> None:
    """The caller has locked the rows, or nobody uses the site. One round trip."""
    now, batch = timezone.now(), Batch(get_client())
    for session in sessions:
        left = min(COPY_LIVES, session.expires_at - now)
        if left > timedelta(0):
            ms = max(1, int(left.total_seconds() * 1000))
            batch.add("SET", keys.session(session.digest), session.data, "PX", ms)
    batch.run()


def forget(digests: Collection[str]) -> None:
    """Remove the copies: the next page asks SQL. One round trip."""
    batch = Batch(get_client())
    for digest in digests:
        batch.add("UNLINK", keys.session(digest))
    batch.run()


def end(sessions: QuerySet[Session], *, reason: str) -> int:
    """Whoever uses one of them is logged out, and its open streams end. Returns how many."""
    # Imported late: tasks import this module.
    from ..tasks import forget_sessions

    with transaction.atomic():
        digests = list(sessions.values_list("digest", flat=True))
        if not digests:
            return 0
        Session.objects.filter(digest__in=digests).delete()
        run_on_commit(forget_sessions, digests)
        endings.end_streams_of_sessions(digests, reason)
    return len(digests)


def sessions_of(user: User) -> QuerySet[Session]:
    """The last seen first."""
    return _living().filter(user=user).order_by("-seen_at", "-pk")


def others_of(user: User, session_key: str | None) -> QuerySet[Session]:
    """All but the one with this key."""
    return sessions_of(user).exclude(digest=endings.session_digest(session_key))


def remove_expired(now: datetime) -> None:
    """In Redis they expire by themselves. Few at once, so that no other writer waits long."""
    expired = Session.objects.filter(expires_at__lt=now).values_list("pk", flat=True)
    while ids := list(expired[:REMOVED_AT_ONCE]):
        Session.objects.filter(pk__in=ids).delete()


def _living() -> QuerySet[Session]:
    return Session.objects.filter(expires_at__gt=timezone.now())
