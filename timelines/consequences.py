"""How statuses come into timelines, and leave them."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from lists.events import member_changed
from lists.models import List
from redistools.scripts import Batch
from relations.events import FollowChange, follow_changed, viewpoints_changed
from statuses.publication.events import Posting, Removal, noticed, posted, removed
from statuses.stored import StoredStatus
from taskqueue import start
from users.audience import Visibility
from users.events import before_leaving, left
from users.models import User

from . import fan_out, membership, pulled, store, tasks
from .fan_out import Leg
from .index import copies as index_copies
from .ranking import important
from .store import home_of, timeline_of


@posted.then
def deliver(posting: Posting) -> None:
    """Delivers to the author and the first followers, unless it is only for the people it mentions.

    A new follower gets the status nevertheless: either their home is merged with the profile, which
    has it by then, or the author's counter has changed, and everything is written again.
    """
    batch, status = posting.batch, posting.status
    important.forget(batch, status.author_id)
    if status.visibility == Visibility.MENTIONED:
        return
    fan_out.add_to_author(batch, status.author_id, status.id)
    legs = fan_out.all_legs(posting.author)
    batch.fence()
    first = len(batch)
    fan_out.add_first_deliveries(batch, legs, status.id)
    batch.when_answered(first, partial(_go_on, legs, status.id))


def _go_on(legs: Sequence[Leg], status_id: int, answers: list[Any]) -> None:
    tasks.begin(tasks.deliver, status_id, fan_out.go_on(legs, answers, status_id))


@posted.then
def review_mode(posting: Posting) -> None:
    """Has the author crossed the threshold of followers, in either direction?"""
    author = posting.author
    if pulled.should_be_pulled(author) is not author.is_pulled:
        once = tasks.change_mode.using(unique_key=f"mode of {author.pk}")
        # By the outbox: once SQL says that it was done, nothing else repeats what Redis may lose.
        start.on_commit(once, author.pk)


@follow_changed.then
def change_home(change: FollowChange) -> None:
    follower_id, followee_id, batch = change.follower_id, change.followee_id, change.batch
    home, is_source = home_of(follower_id), change.follows
    important.forget(batch, follower_id)
    step = membership.begin(home, followee_id, is_source=is_source)

    def finish(answers: list[Any]) -> None:
        extent = step.extent_of(answers[0])
        extent = membership.finish(home, followee_id, extent, is_source=is_source)
        if membership.is_shallow(extent):
            once = tasks.refill_home.using(unique_key=f"home of {follower_id}")
            start.in_redis(once, follower_id)

    first = len(batch)
    step.add_to(batch)
    batch.when_answered(first, finish)


@viewpoints_changed.then
def rank_again(batch: Batch, user_ids: Collection[int]) -> None:
    for user_id in user_ids:
        important.forget(batch, user_id)


@member_changed.then
def change_list(list_: List, user_id: int, *, is_member: bool) -> None:
    timeline = timeline_of(list_)
    extent = membership.begin(timeline, user_id, is_source=is_member).run()
    extent = membership.finish(timeline, user_id, extent, is_source=is_member)
    if membership.is_shallow(extent):
        once = tasks.refill_list.using(unique_key=f"list {list_.pk}")
        start.in_redis(once, list_.pk)


@removed.then
def sweep(removal: Removal) -> None:
    batch, author_id, status_ids = removal.batch, removal.author_id, removal.status_ids
    index_copies.add_removals(batch, author_id, status_ids, removal.known.values())
    pulled.remove_statuses(batch, author_id, status_ids)
    store.remove_from(batch, home_of(author_id), status_ids)
    for status_id in status_ids:
        start.with_batch(batch, tasks.begin_sweep, status_id, author_id)


@before_leaving.then
def forget_addressee(user: User) -> None:
    authors = set(user.mentions.values_list("author_id", flat=True))
    start.parts_on_commit(tasks.forget_addressee, sorted(authors), user.pk)


@left.then
def push_again(user_id: int) -> None:
    pulled.set_mode(user_id, None)


@noticed.then
def index(_batch: Batch, status: StoredStatus) -> None:
    index_copies.index(status, again=bool(status.changed_ms))
