"""Writing follows: SQL first; the serving copy and the homes follow after its commit."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from redistools.client import get_client
from taskqueue.outbox import run_on_commit
from timelines.tasks import settle_follow, settle_viewpoints
from users.counting import change_counter
from users.models import AccountGone, User
from users.rows import lock_accounts

from .models import Block, Follow, FollowRequest, follow_ids
from .rows import insert_follow


def follow(*, follower: User, followee: User) -> bool:
    """False if they did already, or have asked already: a private account is asked first. Raises
    ValidationError and AccountGone.
    """
    if follower.pk == followee.pk:
        raise ValidationError("You can't follow yourself.", code="self")
    follow_id = follow_ids.next(get_client())
    with transaction.atomic():
        follower, followee = _locked_pair(follower, followee)
        if followee.is_private and not _follows(follower, followee):
            return _ask(follow_id, follower, followee)
        return _begin(follow_id, follower, followee)


def unfollow(*, follower: User, followee: User) -> bool:
    """Takes back a request too. False if there was nothing to undo."""
    with transaction.atomic():
        lock_accounts([follower.pk, followee.pk])
        asked, _ = FollowRequest.objects.filter(follower=follower, followee=followee).delete()
        return end_follow(follower.pk, followee.pk) or bool(asked)


def accept(*, follower: User, followee: User) -> bool:
    """The followee lets them follow. False if there is no such request any more."""
    with transaction.atomic():
        follower, followee = _locked_pair(follower, followee)
        request = FollowRequest.objects.filter(follower=follower, followee=followee).first()
        if request is None:
            return False
        request_id = request.pk
        request.delete()
        return _begin(request_id, follower, followee)


def refuse(*, follower: User, followee: User) -> bool:
    """They are not told. False if there is no such request any more."""
    with transaction.atomic():
        asked, _ = FollowRequest.objects.filter(follower=follower, followee=followee).delete()
    return bool(asked)


def remove_follower(*, follower: User, followee: User) -> bool:
    """The followee ends it. False if there was nothing to end."""
    with transaction.atomic():
        lock_accounts([follower.pk, followee.pk])
        return end_follow(follower.pk, followee.pk)


def hide_boosts(*, follower: User, followee: User, hidden: bool = True) -> bool:
    """What the followee boosts no longer shows in the follower's home, or does again. False if
    nothing changed.
    """
    with transaction.atomic():
        edge = Follow.objects.filter(follower=follower, followee=followee, hides_boosts=not hidden)
        changed = bool(edge.update(hides_boosts=hidden))
        if changed:
            run_on_commit(settle_viewpoints, [follower.pk])
    return changed


def end_follow(follower_id: int, followee_id: int) -> bool:
    """Inside a transaction that has locked both accounts."""
    edge = Follow.objects.filter(follower_id=follower_id, followee_id=followee_id).first()
    if edge is None:
        return False
    Follow.objects.filter(pk=edge.pk).delete()
    _count_follow(follower_id, followee_id, -1)
    run_on_commit(settle_follow, follower_id, followee_id, edge.pk)
    if edge.hides_boosts:
        run_on_commit(settle_viewpoints, [follower_id])
    return True


def _locked_pair(follower: User, followee: User) -> tuple[User, User]:
    """As they are now; neither changes until the transaction ends."""
    locked = lock_accounts([follower.pk, followee.pk])
    if follower.pk not in locked:
        raise AccountGone
    if followee.pk not in locked or not locked[followee.pk].is_active:
        raise ValidationError("This account no longer exists.", code="gone")
    if _block_between(follower, followee):
        raise ValidationError("You can't follow this account.", code="blocked")
    return locked[follower.pk], locked[followee.pk]


def _refuse_too_many(follower: User) -> None:
    if follower.following_count >= settings.MAX_FOLLOWING:
        raise ValidationError(
            f"You follow {settings.MAX_FOLLOWING} accounts, the maximum. Unfollow somebody first.",
            code="limit",
        )


def _block_between(one: User, other: User) -> bool:
    return Block.objects.filter(blocker__in=[one, other], blocked__in=[one, other]).exists()


def _follows(follower: User, followee: User) -> bool:
    return Follow.objects.filter(follower=follower, followee=followee).exists()


def _ask(request_id: int, follower: User, followee: User) -> bool:
    _refuse_too_many(follower)
    _, is_new = FollowRequest.objects.get_or_create(
        follower=follower, followee=followee, defaults={"id": request_id}
    )
    return is_new


def _begin(follow_id: int, follower: User, followee: User) -> bool:
    if not insert_follow(follow_id, follower.pk, followee.pk):
        return False
    _refuse_too_many(follower)
    _count_follow(follower.pk, followee.pk, +1)
    run_on_commit(settle_follow, follower.pk, followee.pk)
    return True


def _count_follow(follower_id: int, followee_id: int, change: int) -> None:
    """Both rows are locked already, so the order does not matter."""
    change_counter(follower_id, "following_count", change)
    change_counter(followee_id, "followers_count", change)
