"""What follows when an account opens, or leaves."""

from django.db.models import F

from redistools.chunks import chunks
from taskqueue import start
from users.events import before_leaving, opened, whose_counters_change
from users.models import User

from .models import Block, Follow, Mute
from .tasks import accept_requests, forget_follows, sync_viewpoints

# That one task makes again.
VIEWPOINTS_AT_ONCE = 100


@opened.then
def accept_all(user_id: int) -> None:
    start.on_commit(accept_requests, user_id)


@whose_counters_change.then
def followers_and_followees(user: User) -> list[int]:
    return [user_id for pair in _follows(user) for user_id in pair]


@before_leaving.then
def end_follows(user: User) -> None:
    followers = Follow.objects.filter(followee=user).values("follower_id")
    followees = Follow.objects.filter(follower=user).values("followee_id")
    User.objects.filter(pk__in=followers).update(following_count=F("following_count") - 1)
    User.objects.filter(pk__in=followees).update(followers_count=F("followers_count") - 1)
    start.parts_on_commit(forget_follows, _follows(user), user.pk)


def _follows(user: User) -> list[tuple[int, int]]:
    both = Follow.objects.filter(followee=user), Follow.objects.filter(follower=user)
    return [pair for rows in both for pair in rows.values_list("follower_id", "followee_id")]


@before_leaving.then
def end_blocks_and_mutes(user: User) -> None:
    others = {
        *Block.objects.filter(blocked=user).values_list("blocker_id", flat=True),
        *Block.objects.filter(blocker=user).values_list("blocked_id", flat=True),
        *Mute.objects.filter(muted=user).values_list("user_id", flat=True),
        *user.follows_got.filter(hides_boosts=True).values_list("follower_id", flat=True),
    }
    viewpoints = chunks(sorted(others), VIEWPOINTS_AT_ONCE)
    start.all_on_commit([start.call(sync_viewpoints, some) for some in viewpoints])
