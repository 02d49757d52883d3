"""Following tags: SQL first; the serving copy and open streams follow after its commit."""

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext

from taskqueue import start
from users.models import AccountGone, User
from users.rows import lock_account
from users.throttling import throttled
from web.refusals import Refusal

from .models import Tag, TagFollow
from .names import MAX_LENGTH, fold
from .tasks import sync_tag

# Each is merged in whenever the home is read.
MAX_TAGS = 50


@throttled("tag", by="user")
def follow_tag(*, user: User, name: str) -> bool:
    """Takes any spelling, even before anybody has used it. Returns False if the user followed it
    already. Raises Refusal and AccountGone.
    """
    return _follow(user, name)


@throttled("tag", by="user")
def follow_tags(*, user: User, names: Collection[str]) -> int:
    """Returns how many are new. Stops at the most that one may follow. Raises AccountGone."""
    new = 0
    for name in names:
        try:
            new += _follow(user, name)
        except AccountGone:
            raise
        except Refusal:
            break
    return new


def _follow(user: User, name: str) -> bool:
    folded = fold(name)
    if not folded:
        raise Refusal(
            gettext("A tag has up to %(most)s letters, digits or _, and at least one letter.")
            % {"most": MAX_LENGTH},
            code="shape",
        )
    with transaction.atomic():
        lock_account(user)
        tag_id = Tag.objects.ensure({folded: ""})[folded]
        if user.followed_tags.filter(tag_id=tag_id).exists():
            return False
        if user.followed_tags.count() >= MAX_TAGS:
            raise Refusal(
                gettext("You follow %(most)s tags, the maximum. Unfollow one first.")
                % {"most": MAX_TAGS},
                code="limit",
            )
        TagFollow.objects.create(user=user, tag_id=tag_id)
        start.run_on_commit(sync_tag, user.pk, tag_id)
    return True


def unfollow_tag(*, user: User, name: str) -> bool:
    with transaction.atomic():
        follow = user.followed_tags.filter(tag__name=fold(name)).first()
        if follow is None:
            return False
        deleted, _ = TagFollow.objects.filter(pk=follow.pk).delete()
        start.run_on_commit(sync_tag, user.pk, follow.tag_id)
    return bool(deleted)
