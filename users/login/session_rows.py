"""Sessions in SQL, and their copies in Redis.

The first page that misses a copy makes it. It lives for an hour; then SQL is asked again, which
also learns when the session was last seen. So an ended session is dead within the hour even if
Redis loses the news of it. A page that copies a row looks at it again afterwards, so a change or an
end at the same moment is not lost.
"""

import hashlib
import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from redis.exceptions import RedisError

from redistools import keys
from redistools.client import fail_if_away, get_client
from redistools.scripts import Batch
from redistools.writing_until_stable import write_until_stable
from taskqueue import start

from ..models import Session, User
from ..standing import stream_endings

COPY_LIVES = timedelta(hours=1)
# Shorter than a copy lives, so that an hourly copy is always an hourly note.
SEEN_EVERY = timedelta(minutes=55)
REMOVED_AT_ONCE = 500

logger = logging.getLogger(__name__)


def session_digest(session_key: str | None) -> str:
    """What is stored and sent instead of the key: nobody can use the session with it."""
    return hashlib.sha256((session_key or "").encode()).hexdigest()


class Visit(NamedTuple):
    agent: str = ""
    address: str = ""


class Kept(NamedTuple):
    data: str
    expires_at: datetime


def read_copy(digest: str) -> str | None:
    batch = Batch(get_client())
    batch.add("GET", keys.session(digest))
    held: str | None = batch.run()[0]
    return held


def load(digest: str, visit: Visit) -> str | None:
    """Copies the row, and notes when and where the session was seen."""
    session = _living().filter(digest=digest).first()
    if session is None:
        return None
    if timezone.now() - session.seen_at > SEEN_EVERY:
        _note(session, visit)
    try:
        fail_if_away()
        kept = copy(digest)
    except RedisError as error:
        logger.warning("A session was not copied: %s", error)
        return session.data
    return kept.data if kept else None


def copy(digest: str) -> Kept | None:
    """Makes Redis say what SQL says: a copy, or none. Two queries and one round trip, mostly."""
    kept: Kept | None = write_until_stable(partial(_read, digest), partial(_copy_or_forget, digest))
    return kept


def _note(session: Session, visit: Visit) -> None:
    """A stream does not know where its page is shown. If this fails, the page goes on without."""
    known = {name: value for name, value in visit._asdict().items() if value}
    try:
        with transaction.atomic():
            Session.objects.filter(pk=session.pk).update(seen_at=timezone.now(), **known)
    except DatabaseError as error:
        logger.warning("It was not noted when a session was seen: %s", error)


def _read(digest: str) -> Kept | None:
    row = _living().filter(digest=digest).values_list("data", "expires_at").first()
    return Kept(*row) if row else None


def _copy_or_forget(digest: str, kept: Kept | None) -> None:
    batch = Batch(get_client())
    if kept is None:
        batch.add("UNLINK", keys.session(digest))
    else:
        _put(batch, digest, kept)
    batch.run()


def _put(batch: Batch, digest: str, kept: Kept) -> None:
    left = min(COPY_LIVES, kept.expires_at - timezone.now())
    if left > timedelta(0):
        ms = max(1, int(left.total_seconds() * 1000))
        batch.add("SET", keys.session(digest), kept.data, "PX", ms)


def forget(digests: Collection[str]) -> None:
    batch = Batch(get_client())
    for digest in digests:
        batch.add("UNLINK", keys.session(digest))
    batch.run()


def end(sessions: QuerySet[Session], *, reason: str) -> int:
    """Logs their browsers out, and closes their open streams. Returns how many."""
    # Imported late: tasks import this module.
    from ..tasks import forget_sessions

    with transaction.atomic():
        digests = list(sessions.values_list("digest", flat=True))
        if not digests:
            return 0
        Session.objects.filter(digest__in=digests).delete()
        start.run_on_commit(forget_sessions, digests)
        stream_endings.end_streams_of_sessions(digests, reason)
    return len(digests)


def sessions_of(user: User) -> QuerySet[Session]:
    return _living().filter(user=user).order_by("-seen_at", "-pk")


def others_of(user: User, session_key: str | None) -> QuerySet[Session]:
    return sessions_of(user).exclude(digest=session_digest(session_key))


def remove_expired(now: datetime) -> None:
    """Few at once, so that no other writer waits long. In Redis they expire by themselves."""
    expired = Session.objects.filter(expires_at__lt=now).values_list("pk", flat=True)
    while ids := list(expired[:REMOVED_AT_ONCE]):
        Session.objects.filter(pk__in=ids).delete()


def _living() -> QuerySet[Session]:
    return Session.objects.filter(expires_at__gt=timezone.now())
