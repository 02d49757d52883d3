"""What people do with statuses: boosts, likes, bookmarks. Doing one twice changes nothing.

Written like statuses: SQL first, in one transaction with what it counts; Redis after the commit.
The caller has made sure that the user may see the status.
"""

from collections.abc import Callable
from functools import partial

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from redistools.client import get_client
from redistools.ids import IdSequence
from taskqueue import start
from users.audience import Visibility
from users.models import AccountGone, User
from users.rows import COLUMNS as ACCOUNTS
from users.rows import change_counter
from users.throttling import throttled
from web.refusals import Refusal

from .. import tasks
from ..models import Status, bookmark_ids, like_ids, status_ids
from ..publication.events import liked
from ..removing.removal import remove_row
from ..rows import change_count, insert_status, lock_status
from ..stored import StoredStatus
from . import store as reaction_store
from .rows import Reaction, delete_reaction, insert_reaction

# Somebody who clicks in several windows at once does and undoes it between our two looks at SQL.
ATTEMPTS = 20


@throttled("boost", by="user")
def boost(*, user: User, status: StoredStatus) -> bool:
    """Shows the status to the user's followers; boosting a boost boosts its original.

    Returns False if it was boosted already. Raises Refusal and AccountGone.
    """
    original_id = status.boost_of or status.id
    author_id = status.boosted_author or status.author_id
    _refuse_to_widen(status, author_id)
    audience = max(status.visibility, min(user.default_visibility, Visibility.FOLLOWERS))

    def insert(boost_id: int) -> bool:
        if not change_counter(user.pk, "statuses_count", +1):
            raise AccountGone
        _count(original_id, "boosts_count")
        entry = Status(id=boost_id, author=user, boost_of_id=original_id, visibility=audience)
        entry.boost_of_author_id = author_id
        insert_status(entry)
        start.run_on_commit(tasks.publish, boost_id, user.pk, original_id)
        return True

    return _do_once("boost", user, original_id, status_ids, insert)


@throttled("undo", by="user")
def unboost(*, user: User, status_id: int) -> bool:
    with transaction.atomic():
        row = remove_row(author_id=user.pk, boost_of_id=status_id)
        if row is not None:
            start.run_on_commit(tasks.retract, row.pk, user.pk, status_id, row.reach)
    return row is not None


@throttled("like", by="user")
def like(*, user: User, status: StoredStatus) -> bool:
    """Returns False if the user liked it already. Raises Refusal and AccountGone."""
    status_id = status.boost_of or status.id

    def insert(like_id: int) -> bool:
        if not insert_reaction("like", like_id, user.pk, status_id):
            return False
        _count(status_id, "likes_count")
        start.run_on_commit(tasks.sync_like, user.pk, status_id)
        transaction.on_commit(partial(liked, user.pk, status_id), robust=True)
        return True

    return _do_once("like", user, status_id, like_ids, insert)


@throttled("undo", by="user")
def unlike(*, user: User, status_id: int) -> bool:
    with transaction.atomic():
        deleted = delete_reaction("like", user.pk, status_id)
        if deleted:
            change_count(status_id, "likes_count", -1)
            start.run_on_commit(tasks.sync_like, user.pk, status_id)
    return deleted


@throttled("bookmark", by="user")
def bookmark(*, user: User, status: StoredStatus) -> bool:
    """Nobody else learns of it. Returns False if it is there already. Raises Refusal and
    AccountGone.
    """
    status_id = status.boost_of or status.id

    def insert(bookmark_id: int) -> bool:
        # Locked: a deletion comes before us, or removes what we write.
        if not lock_status(status_id):
            raise _gone()
        if not insert_reaction("bookmark", bookmark_id, user.pk, status_id):
            return False
        start.run_on_commit(tasks.sync_bookmark, user.pk, status_id)
        return True

    return _do_once("bookmark", user, status_id, bookmark_ids, insert)


@throttled("undo", by="user")
def unbookmark(*, user: User, status_id: int) -> bool:
    with transaction.atomic():
        deleted = delete_reaction("bookmark", user.pk, status_id)
        if deleted:
            start.run_on_commit(tasks.sync_bookmark, user.pk, status_id)
    return deleted


def _refuse_to_widen(status: StoredStatus, author_id: int) -> None:
    author = ACCOUNTS.by_id(author_id)
    if status.visibility > Visibility.UNLISTED or author is None or author.is_followers_only:
        raise Refusal(gettext("Only posts that everybody may see can be boosted."), code="private")


def _do_once(
    reaction: Reaction, user: User, status_id: int, ids: IdSequence, insert: Callable[[int], bool]
) -> bool:
    for attempt in range(ATTEMPTS):
        try:
            with transaction.atomic():
                # The second time, Redis may have lost its memory, and made an id that is taken.
                return insert(ids.next(get_client(), ask_sql=attempt > 0))
        except IntegrityError as error:
            if reaction_store.rows_in_sql(reaction, user.pk, among=[status_id]):
                return False
            if not User.objects.filter(pk=user.pk).exists():
                raise AccountGone from error
    raise IntegrityError(f"{reaction} of user {user.pk} changed during each of {ATTEMPTS} attempts")


def _count(status_id: int, counter: str) -> None:
    if not change_count(status_id, counter, +1):
        raise _gone()


def _gone() -> Refusal:
    return Refusal(gettext("This post has been deleted."), code="gone")
