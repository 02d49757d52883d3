"""What is left to do when an account is deleted, noted while SQL still knows it."""

from collections.abc import Collection
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from lists.models import ListMember
from lists.tasks import forget_list
from notifications.grouping.traces import groups_of_others
from notifications.tasks import reconcile_groups
from redistools.chunks import chunks
from relations.models import Block, Follow, Mute
from relations.tasks import sync_viewpoints
from statuses.removing.parting import remove_traces
from taskqueue import start
from users.audience import reach_of
from users.models import User
from users.rows import lock_accounts
from users.standing.account_deletion import before_leaving
from users.tasks import sync_suspension

from .erasing import STATUSES_BY_REACH, Trace
from .tasks import erase

# How much is erased before the request is answered; workers erase the rest, as much at a time.
SOME = 1_000
# Notifications of others that one task looks at again.
GROUPS_AT_ONCE = 200
# Viewpoints of others that one task makes again.
VIEWPOINTS_AT_ONCE = 100
# A fan-out or page in progress may load keys of the account again, empty; by then it has ended.
ONCE_MORE_AFTER = timedelta(hours=1)


@before_leaving
def note_traces(user: User) -> None:
    """Inside the transaction that deletes the account: afterwards SQL no longer knows."""
    is_followers_only = _lock_accounts(user).is_followers_only
    _uncount_relations(user)
    if User.objects.filter(pk=user.pk, is_active=False).exists():
        # A deleted account is no longer suspended: its id leaves the set.
        start.run_on_commit(sync_suspension, user.pk)
    _erase(user, "keys", [])
    once_more = erase.using(run_after=timezone.now() + ONCE_MORE_AFTER)
    start.on_commit(once_more, user.pk, "keys", [])
    own, counted, answers = remove_traces(user.pk)
    for reach, trace in STATUSES_BY_REACH.items():
        reached = [
            pk
            for pk, it in own.items()
            if reach_of(it, is_followers_only=is_followers_only) == reach
        ]
        _erase(user, trace, reached)
    _erase(user, "counted", counted)
    _erase(user, "answers", answers)
    _erase(user, "mentions", user.mentions.values_list("status_id", flat=True))
    followers = Follow.objects.filter(followee=user).values_list("follower_id", flat=True)
    _erase(user, "followers", followers)
    followees = Follow.objects.filter(follower=user).values_list("followee_id", flat=True)
    _erase(user, "followees", followees)
    _erase(user, "notifications", user.notifications.values_list("id", flat=True))
    groups = chunks(groups_of_others(user), GROUPS_AT_ONCE)
    start.all_on_commit([start.call(reconcile_groups, some) for some in groups])
    viewpoints = chunks(_who_keeps_away(user), VIEWPOINTS_AT_ONCE)
    start.all_on_commit([start.call(sync_viewpoints, some) for some in viewpoints])
    _erase(user, "lists", user.listed_in.values_list("list_id", flat=True))
    for list_ in user.lists.all():
        members = list(list_.members.values_list("user_id", flat=True))
        start.run_on_commit(forget_list, user.pk, list_.pk, members)


def _who_keeps_away(user: User) -> list[int]:
    """Others who block or mute the account or hide its boosts, or whom it blocks."""
    return sorted(
        {
            *Block.objects.filter(blocked=user).values_list("blocker_id", flat=True),
            *Block.objects.filter(blocker=user).values_list("blocked_id", flat=True),
            *Mute.objects.filter(muted=user).values_list("user_id", flat=True),
            *user.follows_got.filter(hides_boosts=True).values_list("follower_id", flat=True),
        }
    )


def _lock_accounts(user: User) -> User:
    """Everybody whose counters change, in the order in which others lock accounts too. The account
    itself, which is returned as it is now, more firmly: what it likes or posts now comes before, or
    not at all.
    """
    concerned = {
        user.pk,
        *Follow.objects.filter(followee=user).values_list("follower_id", flat=True),
        *Follow.objects.filter(follower=user).values_list("followee_id", flat=True),
        *ListMember.objects.filter(list__owner=user).values_list("user_id", flat=True),
    }
    # By their ids: subqueries beside an OR read all accounts.
    for some in chunks(sorted(concerned), SOME):
        lock_accounts(some)
    return User.objects.select_for_update().filter(pk=user.pk).first() or user


def _erase(user: User, trace: Trace, ids: Collection[int]) -> None:
    everything = list(ids)
    first, rest = everything[:SOME], everything[SOME:]
    if first or trace == "keys":
        start.run_on_commit(erase, user.pk, trace, first)
    if rest:
        parts = chunks(rest, SOME)
        start.all_on_commit([start.call(erase, user.pk, trace, part) for part in parts])


def _uncount_relations(user: User) -> None:
    """Before an account is deleted: those it followed, listed or was followed by have one less."""
    followers = Follow.objects.filter(followee=user).values("follower_id")
    followees = Follow.objects.filter(follower=user).values("followee_id")
    User.objects.filter(pk__in=followers).update(following_count=F("following_count") - 1)
    User.objects.filter(pk__in=followees).update(followers_count=F("followers_count") - 1)
    for list_ in user.lists.all():
        listed = list_.members.values("user_id")
        User.objects.filter(pk__in=listed).update(listed_count=F("listed_count") - 1)
