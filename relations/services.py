"""Writing follows: SQL first; the serving copy and the homes follow after its commit."""

from django.db import transaction
from django.utils.translation import gettext

from configuration.current import site
from redistools.client import get_client
from taskqueue import start
from users.models import AccountGone, User
from users.rows import lock_accounts, lock_pair
from users.throttling import throttled
from web.languages import grouped
from web.refusals import Refusal

from .events import requests_changed
from .models import Follow, FollowRequest, follow_ids
from .rows import begin_follow, count_follow, follows_too_many
from .selectors import is_block_between
from .tasks import sync_follow, sync_viewpoints


@throttled("follow", by="follower")
def follow(*, follower: User, followee: User) -> bool:
    """Asks a private account first. Returns False if they follow or have asked already. Raises
    Refusal and AccountGone.
    """
    if follower.pk == followee.pk:
        raise Refusal(gettext("You can't follow yourself."), code="self")
    follow_id = follow_ids.next(get_client())
    with transaction.atomic():
        follower, followee = _locked_pair(follower, followee)
        if followee.is_private and not _follows(follower, followee):
            return _ask(follow_id, follower, followee)
        is_new = _begin(follow_id, follower, followee)
        if is_new:
            _refuse_too_many(follower)
        return is_new


@throttled("unfollow", by="follower")
def unfollow(*, follower: User, followee: User) -> bool:
    """Takes back a request too. Returns False if there was nothing to undo."""
    with transaction.atomic():
        lock_accounts([follower.pk, followee.pk])
        asked = end_request(follower.pk, followee.pk)
        return end_follow(follower.pk, followee.pk) or asked is not None


@throttled("request", by="followee")
def accept(*, follower: User, followee: User) -> bool:
    """Returns False if there is no such request any more, or they follow already. Raises Refusal
    and AccountGone.
    """
    with transaction.atomic():
        locked = lock_accounts([follower.pk, followee.pk])
        if followee.pk not in locked:
            raise AccountGone
        request_id = end_request(follower.pk, followee.pk)
        if request_id is None:
            return False
        if follows_too_many(locked[follower.pk]):
            raise Refusal(
                gettext("%(account)s follows too many accounts already.") % {"account": follower},
                code="limit",
            )
        return _begin(request_id, follower, followee)


@throttled("request", by="followee")
def refuse(*, follower: User, followee: User) -> bool:
    """The follower is not told. Returns False if there is no such request any more."""
    with transaction.atomic():
        return end_request(follower.pk, followee.pk) is not None


@throttled("request", by="followee")
def remove_follower(*, follower: User, followee: User) -> bool:
    with transaction.atomic():
        lock_accounts([follower.pk, followee.pk])
        return end_follow(follower.pk, followee.pk)


@throttled("boosts_hidden", by="follower")
def hide_boosts(*, follower: User, followee: User, hidden: bool = True) -> bool:
    """Hides the followee's boosts from the follower's home, or shows them again. Returns False if
    nothing changed.
    """
    with transaction.atomic():
        edge = Follow.objects.filter(follower=follower, followee=followee, hides_boosts=not hidden)
        changed = bool(edge.update(hides_boosts=hidden))
        if changed:
            start.run_on_commit(sync_viewpoints, [follower.pk])
    return changed


def end_follow(follower_id: int, followee_id: int) -> bool:
    """Call inside a transaction that has locked both accounts."""
    edge = Follow.objects.filter(follower_id=follower_id, followee_id=followee_id).first()
    if edge is None:
        return False
    Follow.objects.filter(pk=edge.pk).delete()
    followers = count_follow(follower_id, followee_id, -1)
    start.run_on_commit(sync_follow, follower_id, followee_id, edge.pk, followers=followers)
    if edge.hides_boosts:
        start.run_on_commit(sync_viewpoints, [follower_id])
    return True


def end_request(follower_id: int, followee_id: int) -> int | None:
    """Returns its id, which a follow inherits, or None. Call inside a transaction."""
    requests = FollowRequest.objects.filter(follower_id=follower_id, followee_id=followee_id)
    request_id = requests.values_list("pk", flat=True).first()
    if request_id is None or not requests.delete()[0]:
        return None
    requests_changed(followee_id, [request_id])
    return request_id


def _locked_pair(follower: User, followee: User) -> tuple[User, User]:
    follower, followee = lock_pair(follower, followee.pk)
    if not followee.is_active:
        raise Refusal(gettext("This account no longer exists."), code="gone")
    if is_block_between(follower.pk, followee.pk):
        raise Refusal(gettext("You can't follow this account."), code="blocked")
    return follower, followee


def _refuse_too_many(follower: User) -> None:
    if follows_too_many(follower):
        raise Refusal(
            gettext("You follow %(most)s accounts, the maximum. Unfollow somebody first.")
            % {"most": grouped(site().most_following)},
            code="limit",
        )


def _follows(follower: User, followee: User) -> bool:
    return Follow.objects.filter(follower=follower, followee=followee).exists()


def _ask(request_id: int, follower: User, followee: User) -> bool:
    _refuse_too_many(follower)
    _, is_new = FollowRequest.objects.get_or_create(
        follower=follower, followee=followee, defaults={"id": request_id}
    )
    if is_new:
        requests_changed(followee.pk, [request_id])
    return is_new


def _begin(follow_id: int, follower: User, followee: User) -> bool:
    followers = begin_follow(follow_id, follower.pk, followee.pk)
    if followers is None:
        return False
    start.run_on_commit(sync_follow, follower.pk, followee.pk, followers=followers)
    return True
