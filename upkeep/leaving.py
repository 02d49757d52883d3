"""What is left to do when an account is deleted, noted while SQL still knows it."""

from collections.abc import Collection
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from lists.tasks import forget_list
from redistools.chunks import chunks
from relations.models import Follow
from taskqueue.backend import call
from taskqueue.outbox import enqueue_many_on_commit, enqueue_on_commit, run_on_commit
from users.leaving import before_leaving
from users.models import User
from users.tasks import settle_suspension

from .erasing import Trace
from .tasks import erase

# How much is erased before the request is answered; workers erase the rest, as much at a time.
SOME = 1_000
# A fan-out or page in progress may load keys of the account again, empty; by then it has ended.
ONCE_MORE_AFTER = timedelta(hours=1)


@before_leaving
def note_traces(user: User) -> None:
    """Inside the transaction that deletes the account: afterwards SQL no longer knows."""
    _uncount_relations(user)
    if User.objects.filter(pk=user.pk, is_active=False).exists():
        # A deleted account is no longer suspended: its id leaves the set.
        run_on_commit(settle_suspension, user.pk)
    _erase(user, "keys", [])
    once_more = erase.using(run_after=timezone.now() + ONCE_MORE_AFTER)
    enqueue_on_commit(once_more, user.pk, "keys", [])
    _erase(user, "statuses", user.statuses.values_list("id", flat=True))
    _erase(user, "mentions", user.mentions.values_list("status_id", flat=True))
    followers = Follow.objects.filter(followee=user).values_list("follower_id", flat=True)
    _erase(user, "followers", followers)
    followees = Follow.objects.filter(follower=user).values_list("followee_id", flat=True)
    _erase(user, "followees", followees)
    _erase(user, "lists", user.listed_in.values_list("list_id", flat=True))
    for list_ in user.lists.all():
        members = list(list_.members.values_list("user_id", flat=True))
        run_on_commit(forget_list, user.pk, list_.pk, members)


def _erase(user: User, trace: Trace, ids: Collection[int]) -> None:
    everything = list(ids)
    first, rest = everything[:SOME], everything[SOME:]
    if first or trace == "keys":
        run_on_commit(erase, user.pk, trace, first)
    if rest:
        parts = chunks(rest, SOME)
        enqueue_many_on_commit([call(erase, user.pk, trace, part) for part in parts])


def _uncount_relations(user: User) -> None:
    """Before an account is deleted: those it followed, listed or was followed by have one less."""
    followers = Follow.objects.filter(followee=user).values("follower_id")
    followees = Follow.objects.filter(follower=user).values("followee_id")
    User.objects.filter(pk__in=followers).update(following_count=F("following_count") - 1)
    User.objects.filter(pk__in=followees).update(followers_count=F("followers_count") - 1)
    for list_ in user.lists.all():
        listed = list_.members.values("user_id")
        User.objects.filter(pk__in=listed).update(listed_count=F("listed_count") - 1)
