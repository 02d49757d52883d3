"""What is counted when something happens elsewhere. Adds to the buffer of the process: no store is
asked, and nothing here can fail the write.
"""

import time
from collections.abc import Sequence

from notifications.events import notified
from redistools.ids import EPOCH_MS, SEQUENCE_BITS
from relations.events import FollowChange, follow_changed
from statuses.publication.events import Posting, liked, posted
from streaming.events import clients_counted, cut_off
from taskqueue.events import Ending, task_ended, worker_began, worker_ended
from timelines.events import delivered
from users.events import left, logged_in, signed_up
from web.pages.events import kept_page_wanted

from .dashboard import deploys
from .places import members
from .places.recording import lookups
from .recording import sampling, sending
from .recording.buffer import buffer
from .structures import visitors

OUTCOMES = {"done": "tasks_done", "failed": "tasks_failed", "again": "tasks_retried"}


@posted.then
def count_post(posting: Posting) -> None:
    """Once its copies are written: where they change meanwhile, they are written once more."""
    posting.batch.when_answered(len(posting.batch), lambda _: buffer.count(_sort_of(posting)))


def _sort_of(posting: Posting) -> str:
    if posting.status.boost_of is not None:
        return "boosts"
    return "posts" if posting.status.reply_to is None else "replies"


@liked.then
def count_like(_user_id: int, _status_id: int) -> None:
    buffer.count("likes")


@follow_changed.then
def count_follow(change: FollowChange) -> None:
    if change.follows:
        buffer.count("follows")


@signed_up.then
def count_sign_up(_user_id: int) -> None:
    buffer.count("sign_ups")


@logged_in.then
def count_log_in(_user_id: int) -> None:
    buffer.count("log_ins")


@notified.then
def count_notifications(_recipient_id: int, news: Sequence[int]) -> None:
    if news:
        buffer.count("notifications", by=len(news))


@delivered.then
def count_deliveries(status_id: int, members: int) -> None:
    if members:
        buffer.count("deliveries", by=members)
    lag_ms = max(0.0, time.time() * 1000 - EPOCH_MS - (status_id >> SEQUENCE_BITS))
    buffer.peak("fan_out_lag", lag_ms)
    buffer.timed("fan_out", "lag", lag_ms / 1000)


@clients_counted.then
def note_stream_clients(count: int) -> None:
    buffer.level("stream_clients", count)


@cut_off.then
def count_slow_client() -> None:
    buffer.count("slow_clients")


@task_ended.then
def count_task(path: str, ending: Ending, seconds: float) -> None:
    buffer.count(OUTCOMES[ending])
    buffer.timed("task", path, seconds)


@kept_page_wanted.then
def count_kept_page(*, is_there: bool) -> None:
    buffer.count("kept_pages", "hit" if is_there else "miss")


@worker_began.then
def measure_in_worker() -> None:
    sending.start(sampling.Sampler(), deploys.Noting(), speaker="worker")


@worker_ended.then
def send_the_last() -> None:
    sending.stop()


@left.then
def forget_actives(user_id: int) -> None:
    visitors.forget(user_id)


@left.then
def forget_place(user_id: int) -> None:
    lookups.forget(user_id)
    members.forget(user_id)
