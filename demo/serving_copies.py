"""Puts a made-up community that is in SQL into Redis."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

from explore import store as boards
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.ids import first_id_at
from redistools.scripts import Batch
from redistools.serving_copy import forget
from search.completion import tag_uses
from search.completion.names import NAMES
from search.interests import sets as interests
from statuses.models import Like, Status, Tagging
from statuses.store import refresh_statuses
from tags.models import Tag
from tags.serving_copy import TAGS
from users.models import User
from users.store import refresh_users
from web.languages import OFFERED

from .community import Community

AT_ONCE = 500
# Boards forget: what is older counts for next to nothing.
DAYS_COUNTED = 5

Count = Callable[[Batch], None]


class ServingCopy:
    """Writes the hashes of users and statuses, and counts for Explore what they did in the last
    days.

    Iterate over it as over the record. Other copies are loaded when read.
    """

    def __init__(self, community: Community, *, now: datetime) -> None:
        names = [person.username for person in community.people]
        self._users = list(User.objects.filter(username__in=names).values_list("pk", flat=True))
        statuses = Status.objects.filter(author_id__in=self._users).newest_first()
        self._statuses = list(statuses.values_list("pk", flat=True))
        since = first_id_at(now - timedelta(days=DAYS_COUNTED))
        self._counts = list(_counts(self._users, since))

    def __len__(self) -> int:
        return len(self._users) + len(self._statuses) + len(self._counts)

    def __iter__(self) -> Iterator[int]:
        yield from _refresh(refresh_users, self._users)
        yield from _refresh(refresh_statuses, self._statuses)
        # A site that has run before may hold copies, which lack what we wrote.
        forget(TAGS, list(Tag.objects.only("pk")))
        NAMES.forget_all()
        for tag_ids in chunks(Tag.objects.values_list("pk", flat=True), AT_ONCE):
            tag_uses.count(tag_ids)
        interests.forget(OFFERED)
        for some in chunks(self._counts, AT_ONCE):
            batch = Batch(get_client())
            for count in some:
                count(batch)
            batch.run()
            yield len(some)


def _refresh(refresh: Callable[[list[int]], object], ids: list[int]) -> Iterator[int]:
    for some in chunks(ids, AT_ONCE):
        refresh(some)
        yield len(some)


def _counts(users: list[int], since: int) -> Iterator[Count]:
    likes = Like.objects.filter(user_id__in=users, pk__gte=since).select_related("status")
    for like in likes.order_by("pk"):
        if like.user_id != like.status.author_id:
            yield _count("like", like.status_id, user_id=like.user_id, event_id=like.pk)
    said = Status.objects.filter(author_id__in=users, pk__gte=since).order_by("pk")
    for status in said.select_related("boost_of"):
        if status.boost_of and status.author_id != status.boost_of.author_id:
            yield _count("boost", status.boost_of.pk, user_id=status.author_id, event_id=status.pk)
        elif status.reply_to_id and status.author_id != status.reply_to_author_id:
            yield _count("reply", status.reply_to_id, user_id=status.author_id, event_id=status.pk)
    uses = Tagging.objects.filter(status__author_id__in=users, status_id__gte=since)
    for use in uses.select_related("tag", "status").order_by("status_id"):
        by, tag = use.status.author_id, use.tag
        count = partial(boards.count_tag, user_id=by, event_id=use.status_id)
        yield partial(count, tag=tag.name, written=tag.written)


def _count(response: boards.Response, status_id: int, *, user_id: int, event_id: int) -> Count:
    count = partial(boards.count_post, user_id=user_id, event_id=event_id)
    return partial(count, status_id=status_id, response=response)
