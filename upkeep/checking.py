"""Does Redis say what SQL says? Compares the serving copy with the record, piece by piece.

What Redis does not know is no difference: it is read from SQL when it is needed. Nor is an id
whose status no longer exists: it is dropped when it is read.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from django.conf import settings

from lists.models import List, ListMember
from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.loaded_set import Range, Slice
from redistools.scripts import Batch
from relations.models import Follow
from statuses import store as statuses
from statuses.models import Status, StatusQuerySet
from timelines import selectors, store
from timelines.timeline import Timeline, home_of, timeline_of
from users import store as users
from users import suspension
from users.models import User

EVERYTHING = Range(limit=10**6)


@dataclass(frozen=True)
class Difference:
    """Something that Redis (or a counter) has wrong, and how to put it right."""

    what: str
    repair: Callable[[], object]

    def __str__(self) -> str:
        return self.what


def check_user(user: User) -> Iterator[Difference]:
    """Everything that Redis holds of one user."""
    yield from _check_counters(user)
    yield from _check_hash(user)
    yield from _check_profile(user)
    yield from _check_follows(user)
    yield from _check_timeline(f"home of {user}", home_of(user.pk), selectors.home_in_sql(user.pk))
    for list_ in user.lists.all():
        yield from _check_list(list_)


def check_statuses(status_ids: Collection[int]) -> Iterator[Difference]:
    """The hashes of these statuses."""
    rows = Status.objects.filter(pk__in=status_ids).select_related("author")
    expected = {stored.id: stored for stored in statuses.render(rows)}
    for status_id, stored in statuses.read_statuses(list(status_ids)).items():
        if stored != expected.get(status_id):
            yield Difference(
                f"hash of status {status_id} differs from SQL",
                partial(statuses.refresh_statuses, [status_id]),
            )


def check_suspended() -> Iterator[Difference]:
    """Who is suspended."""
    found, expected = suspension.ids_in_redis(), suspension.ids_in_sql()
    if found is not None and found != expected:
        missing, extra = expected - found, found - expected
        what = f"suspended accounts: {_told(missing, 'missing')}{_told(extra, 'too many')}"
        yield Difference(what.strip(" ;"), suspension.forget)


def _check_counters(user: User) -> Iterator[Difference]:
    counted = {
        "followers_count": Follow.objects.filter(followee=user).count(),
        "following_count": Follow.objects.filter(follower=user).count(),
        "statuses_count": Status.objects.filter(author=user).count(),
        "listed_count": ListMember.objects.filter(user=user).count(),
    }
    wrong = {name: number for name, number in counted.items() if getattr(user, name) != number}
    if wrong:
        told = ", ".join(f"{name} {getattr(user, name)} instead of {wrong[name]}" for name in wrong)
        yield Difference(f"counters of {user}: {told}", partial(_set_counters, user, wrong))


def _set_counters(user: User, counters: dict[str, int]) -> None:
    User.objects.filter(pk=user.pk).update(**counters)
    users.refresh_users([user.pk])


def _check_hash(user: User) -> Iterator[Difference]:
    stored = users.read_users([user.pk]).get(user.pk)
    if stored is not None and stored != users.profile_of(user):
        yield Difference(f"hash of {user} differs", partial(users.refresh_users, [user.pk]))


def _check_profile(user: User) -> Iterator[Difference]:
    key = keys.profile(user.pk)
    found = loaded_set.page(get_client(), key, EVERYTHING)
    if found is not None:
        yield from _check_ids(f"profile of {user}", key, selectors.profile_in_sql(user.pk), found)


def _check_timeline(what: str, timeline: Timeline, rows: StatusQuerySet) -> Iterator[Difference]:
    if store.is_known(timeline):
        yield from _check_ids(what, timeline.key, rows, store.read(timeline, EVERYTHING))


def _check_ids(what: str, key: str, rows: StatusQuerySet, found: Slice) -> Iterator[Difference]:
    """Redis must hold all statuses there are down to its floor, and no others."""
    expected = set(rows.filter(id__gte=found.floor).values_list("id", flat=True))
    held = {status_id for status_id in found.ids if status_id >= found.floor}
    extra = set(Status.objects.filter(pk__in=held - expected).values_list("id", flat=True))
    missing = expected - held
    if extra or missing:
        yield _unlink(f"{what}: {_told(missing, 'missing')}{_told(extra, 'too many')}", key)


def _check_follows(user: User) -> Iterator[Difference]:
    following = Follow.objects.filter(follower=user).values_list("followee_id", "id")
    yield from _check_members(f"following of {user}", keys.following(user.pk), dict(following))
    followers = dict(Follow.objects.filter(followee=user).values_list("follower_id", "id"))
    for shard in range(settings.PARTITIONS):
        expected = {who: at for who, at in followers.items() if keys.partition(who) == shard}
        what = f"followers of {user} in partition {shard}"
        yield from _check_members(what, keys.followers(shard, user.pk), expected)


def _check_list(list_: List) -> Iterator[Difference]:
    what = f"list {list_} of {list_.owner}"
    members = ListMember.objects.filter(list=list_).values_list("user_id", "id")
    key = keys.list_members(list_.owner_id, list_.pk)
    yield from _check_members(f"members of {what}", key, dict(members))
    yield from _check_timeline(what, timeline_of(list_), selectors.list_in_sql(list_.pk))


def _check_members(what: str, key: str, expected: dict[int, int]) -> Iterator[Difference]:
    client = get_client()
    if not loaded_set.known(client, [key]):
        return
    batch = Batch(client)
    batch.add("ZRANGEBYSCORE", key, 1, "+inf", "WITHSCORES")
    (pairs,) = batch.run()
    found = {int(member): int(score) for member, score in pairs}
    if found != expected:
        missing, extra = expected.keys() - found.keys(), found.keys() - expected.keys()
        yield _unlink(f"{what}: {_told(missing, 'missing')}{_told(extra, 'too many')}", key)


def _unlink(what: str, key: str) -> Difference:
    """Unknown is better than wrong: it is read from SQL when it is next needed."""
    return Difference(what.strip(" ;"), partial(get_client().unlink, key))


def _told(ids: Collection[int], how: str) -> str:
    some = ", ".join(map(str, sorted(ids)[:3]))
    return f"{len(ids)} {how} ({some}{' …' if len(ids) > 3 else ''}); " if ids else ""
