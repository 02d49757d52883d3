"""Writing follows: SQL first; the serving copy and the homes follow after its commit."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from redistools.client import get_client
from taskqueue.outbox import run_on_commit
from timelines.tasks import settle_boosts, settle_follow
from users.counting import change_counter
from users.models import AccountGone, User
from users.rows import lock_accounts

from .models import Follow, follow_ids
from .rows import insert_follow


def follow(*, follower: User, followee: User) -> bool:
    """False if they did already. Raises ValidationError and AccountGone."""
    if follower.pk == followee.pk:
        raise ValidationError("You can't follow yourself.", code="self")
    follow_id = follow_ids.next(get_client())
    with transaction.atomic():
        locked = lock_accounts([follower.pk, followee.pk])
        if follower.pk not in locked:
            raise AccountGone
        if followee.pk not in locked or not locked[followee.pk].is_active:
            raise ValidationError("This account no longer exists.", code="gone")
        if not insert_follow(follow_id, follower.pk, followee.pk):
            return False
        if locked[follower.pk].following_count >= settings.MAX_FOLLOWING:
            raise ValidationError(
                f"You follow {settings.MAX_FOLLOWING} accounts, the maximum. "
                "Unfollow somebody first.",
                code="limit",
            )
        _count_follow(follower, followee, +1)
        run_on_commit(settle_follow, follower.pk, followee.pk)
    return True


def unfollow(*, follower: User, followee: User) -> bool:
    """False if there was nothing to undo."""
    with transaction.atomic():
        lock_accounts([follower.pk, followee.pk])
        edge = Follow.objects.filter(follower=follower, followee=followee).first()
        if edge is None:
            return False
        Follow.objects.filter(pk=edge.pk).delete()
        _count_follow(follower, followee, -1)
        run_on_commit(settle_follow, follower.pk, followee.pk, edge.pk)
    return True


def hide_boosts(*, follower: User, followee: User, hidden: bool = True) -> bool:
    """What the followee boosts no longer shows in the follower's home, or does again. False if
    nothing changed.
    """
    with transaction.atomic():
        edge = Follow.objects.filter(follower=follower, followee=followee, hides_boosts=not hidden)
        changed = bool(edge.update(hides_boosts=hidden))
        if changed:
            run_on_commit(settle_boosts, follower.pk, followee.pk)
    return changed


def _count_follow(follower: User, followee: User, change: int) -> None:
    """Both rows are locked already, so the order does not matter."""
    change_counter(follower.pk, "following_count", change)
    change_counter(followee.pk, "followers_count", change)
