"""Everything in Redis anew from SQL, in steps that can be stopped and gone on with.

Safe while the site runs: a set is forgotten and loaded again, and who reads or writes it meanwhile
does what they always do with a set that Redis does not know.
"""

from collections.abc import Iterator

from django.conf import settings

from lists import store as list_store
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from relations import store as edges
from statuses import store as statuses
from statuses.models import Status
from timelines import store
from timelines.timeline import home_of, timeline_of
from users import store as users
from users.models import User

STATUSES_AT_ONCE = 200


def rebuild_user(user: User) -> None:
    """The user's hash, follows, profile, and lists: what timelines are made from."""
    _forget_sets(user)
    users.refresh_users([user.pk])
    edges.ensure_following(user.pk)
    statuses.ensure_profiles([user.pk])
    if user.followers_count:
        edges.ensure_followers(user.pk)
    if user.listed_count:
        list_store.ensure_listed(user.pk, range(settings.PARTITIONS))


def rebuild_timelines_of(user: User, *, with_home: bool) -> None:
    """The home if somebody reads it (or is to); lists are built when they are read.

    Only once the profiles of everybody followed are rebuilt: a home is made from these.
    """
    home = home_of(user.pk)
    build_home = with_home or store.is_known(home)
    names = [home.key, *(timeline_of(list_).key for list_ in user.lists.all())]
    batch = Batch(get_client())
    for name in names:
        batch.add("UNLINK", name)
    batch.run()
    if build_home:
        store.build(home)


def _forget_sets(user: User) -> None:
    batch = Batch(get_client())
    for key in (keys.following(user.pk), keys.profile(user.pk)):
        batch.add("UNLINK", key)
    for shard in range(settings.PARTITIONS):
        batch.add("UNLINK", keys.followers(shard, user.pk))
        batch.add("UNLINK", keys.listed(shard, user.pk))
        batch.add("UNLINK", f"{keys.pulled(shard)}{user.pk}")
    for list_ in user.lists.all():
        batch.add("UNLINK", timeline_of(list_).sources_key)
    batch.run()


def rebuild_statuses(*, author: User | None = None, above: int = 0) -> Iterator[list[int]]:
    """Writes the hashes some at a time, the oldest first, and yields the ids that are done."""
    rows = Status.objects.between(above=above).order_by("id")
    if author is not None:
        rows = rows.filter(author=author)
    while ids := list(rows.values_list("id", flat=True)[:STATUSES_AT_ONCE]):
        statuses.refresh_statuses(ids)
        yield ids
        rows = rows.between(above=ids[-1])


class Progress:
    """How far a rebuild of everything has come; kept in Redis, so a new Redis begins anew."""

    def __init__(self) -> None:
        self._key = keys.rebuild_progress()

    def last(self, phase: str) -> int:
        """The id that was done last in this phase."""
        return int(get_client().hget(self._key, phase) or 0)

    def save(self, phase: str, last_id: int) -> None:
        get_client().hset(self._key, phase, last_id)

    def forget(self) -> None:
        get_client().unlink(self._key)
