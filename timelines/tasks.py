"""The work that follows a write. Ids in; running a task twice changes nothing.

Some of it runs in the writer's own process, right after the commit (`start.run_on_commit`), and is
only repeated here if that process died; chains and refills are always left to a worker. What must
not be missed goes through the outbox (`start.on_commit`), also where one task starts another.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from lists.models import List
from redistools.client import get_client
from redistools.scripts import Batch
from redistools.semaphore import Slot
from statuses.store import find_statuses
from taskqueue import start
from taskqueue.at_most import at_most
from taskqueue.backend import Call
from taskqueue.task import RedisTask, task
from users.models import User

from . import fan_out, pulled, store
from .fan_out import Audience, Leg
from .index import copies as index_copies
from .index import mentions
from .store import home_of, timeline_of

# One link of a chain serves this many members, then queues the next: a tenth of a second or so.
LINK_SIZE = 10_000
# How many tasks that read thousands of rows run at once, over all workers; others are postponed.
# Fewer than a worker has lanes, so that urgent tasks never queue up behind them.
HEAVY_AT_ONCE = 2
# Longer than any of them takes between two refreshes.
HEAVY_LEASE_SECONDS = 60.0


@task()
def index(status_id: int) -> None:
    for status in find_statuses([status_id]).values():
        index_copies.index(status, again=True)


@task()
def forget_addressee(author_ids: list[int], user_id: int) -> None:
    batch = Batch(get_client())
    for author_id in author_ids:
        mentions.drop_addressee(batch, author_id, user_id)
    batch.run()


@task(queue_name="fan_out")
def deliver(
    status_id: int, author_id: int, audience: Audience, partition: int, cursor: int
) -> None:
    leg = Leg(author_id, audience, partition, cursor)
    _go_on(deliver, status_id, fan_out.deliver([leg], status_id, budget=LINK_SIZE))


@task(queue_name="fan_out")
def sweep(status_id: int, author_id: int, audience: Audience, partition: int, cursor: int) -> None:
    leg = Leg(author_id, audience, partition, cursor)
    _go_on(sweep, status_id, fan_out.sweep([leg], status_id, budget=LINK_SIZE))


@task(queue_name="fan_out")
def begin_sweep(status_id: int, author_id: int) -> None:
    """Takes it out of the timelines of the author's audience. Without an author, readers drop the
    id.
    """
    for author in User.objects.filter(pk=author_id):
        legs = fan_out.sweep(fan_out.all_legs(author), status_id, budget=LINK_SIZE)
        _go_on(sweep, status_id, legs)


def begin(link: RedisTask[..., None], status_id: int, legs: Sequence[Leg]) -> None:
    """Starts a chain for each leg, so that partitions are served in parallel. One round trip."""
    if legs:
        start.all_in_redis(link.backend, _calls(link, status_id, legs))


def _go_on(link: RedisTask[..., None], status_id: int, legs: Sequence[Leg]) -> None:
    """Uses the outbox: the row of the task that began the chain may be gone by now."""
    if legs:
        start.all_on_commit(_calls(link, status_id, legs))


def _calls(link: RedisTask[..., None], status_id: int, legs: Sequence[Leg]) -> list[Call]:
    return [Call(link, (status_id, *leg)) for leg in legs]


@task()
def refill_home(user_id: int) -> None:
    with _heavy():
        store.build(home_of(user_id), again=True)


@task()
def refill_list(list_id: int) -> None:
    for list_ in List.objects.filter(pk=list_id):
        with _heavy():
            store.build(timeline_of(list_), again=True)


def _heavy() -> AbstractContextManager[Slot]:
    return at_most(HEAVY_AT_ONCE, "heavy", lease=HEAVY_LEASE_SECONDS)


@task()
def change_mode(author_id: int) -> None:
    """Pulls an author who crossed the threshold, or pushes them again, without a gap.

    In both directions new statuses first go both ways. On the way back, every home that lacks the
    pulled statuses is loaded again before the copies are removed. SQL may say that this was done,
    and Redis have lost it: then it is done again.
    """
    with _heavy() as place:
        author = User.objects.filter(pk=author_id).first()
        if author and pulled.should_be_pulled(author):
            _pull(author_id)
        elif author and (author.is_pulled or pulled.is_known(author_id)):
            _push(author, place)


def _pull(author_id: int) -> None:
    User.objects.filter(pk=author_id).update(is_pulled=True)
    pulled.set_mode(author_id, pulled.BOTH)
    pulled.ensure_copies(author_id)
    pulled.set_mode(author_id, pulled.PULL)


def _push(author: User, place: Slot) -> None:
    pulled.set_mode(author.pk, pulled.BOTH)
    _reopen_homes(author, place)
    User.objects.filter(pk=author.pk).update(is_pulled=False)
    pulled.set_mode(author.pk, None)


def _reopen_homes(author: User, place: Slot) -> None:
    legs = [leg for leg in fan_out.all_legs(author) if leg.audience == "followers"]
    while legs:
        legs = fan_out.reopen(legs, budget=LINK_SIZE)
        place.refresh()
