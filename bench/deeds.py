"""What do a reply and a like cost the request, beside a plain post, and what do their tasks cost?

Tasks are counted apart, by the processor time that they take here: no worker runs. A like is also
compared with the least that keeps a record and a copy: a transaction of one statement, then one
command to Redis. And fifty people like and unlike one status at once: all of them change the same
counter.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from django.db import connection, transaction

from bench.frame import Stage, interleaved, median
from bench.population import make_author, make_users
from bench.report import Figure, Target
from redistools.client import get_client
from statuses.models import Status
from statuses.reactions.rows import delete_reaction, insert_reaction
from statuses.reactions.services import like, unlike
from statuses.services import post_status
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from timelines import selectors
from users.models import User

ROUNDS = 200
TASK_ROUNDS = 100
FOLLOWERS = 10
THREADS, LIKES_EACH = 50, 5
CROWD_ROUNDS = 4
TEXT = "About as long as most are, so that rendering and storing it takes what it takes in life."


def measure(stage: Stage) -> dict[str, Figure]:
    return one_by_one(stage) | with_tasks(stage) | all_at_once(stage)


def one_by_one(stage: Stage) -> dict[str, Figure]:
    author, other = (make_author(make_users(FOLLOWERS)) for _ in range(2))
    selectors.home(author)
    said = said_by(other)
    ways: dict[str, Callable[[], object]] = {
        "post": partial(post_status, author=author, text=TEXT),
        "reply": partial(post_status, author=author, text=TEXT, reply_to=said.id),
        "like": partial(like_and_unlike, author, said),
        "bare": partial(barely_like_and_unlike, author, said),
    }
    interleaved(ways, rounds=2)  # loads what Redis does not know yet
    taken = interleaved(ways, rounds=stage.size(ROUNDS, least=3))
    rates = {way: 1 / median(taken[way]) for way in ways}
    return {
        "replies, to plain posts": Figure(
            *(rates["reply"], rates["post"], "replies/s", "a plain post of the same author")
        ),
        "like and unlike, to plain posts": Figure(
            *(rates["like"], rates["post"], "pairs/s", "a plain post of the same author")
        ),
        "like and unlike, to the least": Figure(
            *(rates["like"], rates["bare"], "pairs/s"),
            "two transactions of one statement, a command to Redis after each",
        ),
    }


def with_tasks(stage: Stage) -> dict[str, Figure]:
    """A post that names somebody and has a tag, and a like."""
    author, other = (make_author(make_users(FOLLOWERS)) for _ in range(2))
    rounds = stage.size(TASK_ROUNDS, least=3)
    likers = iter(list(User.objects.filter(pk__in=make_users(rounds + 2))))
    said, text = said_by(other), f"@{other.username}, {TEXT} #tag"
    ways: dict[str, Callable[[], object]] = {
        "post": lambda: post_status(author=author, text=text),
        "like": lambda: like(user=next(likers), status=said),
    }
    figures: dict[str, Figure] = {}
    for way, work in ways.items():
        for _ in range(2):  # loads what Redis does not know yet
            spent(work)
            spent(drain_queue)
        taken = [(spent(work), spent(drain_queue)) for _ in range(rounds)]
        own, tasks = (1_000 * median(list(times)) for times in zip(*taken, strict=True))
        name = "a post with a mention and a tag" if way == "post" else "a like"
        figures[f"tasks after {name}"] = Figure(
            *(tasks, own, "ms of a processor", f"the {way} itself, in its request"),
            smaller_is_better=True,
            target=Target("at most", 3.0) if way == "post" else Target("at most", 5.0, "ours"),
        )
    return figures


def spent(work: Callable[[], object]) -> float:
    """Seconds of a processor."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def drain_queue() -> None:
    drain(with_outbox=False)


def said_by(author: User) -> StoredStatus:
    status = post_status(author=author, text=TEXT)
    return find_statuses([status.pk])[status.pk]


def like_and_unlike(user: User, status: StoredStatus) -> None:
    like(user=user, status=status)
    unlike(user=user, status_id=status.id)


def barely_like_and_unlike(user: User, status: StoredStatus) -> None:
    key = f"bare:likes:{user.pk}"
    with transaction.atomic():
        insert_reaction("like", 1, user.pk, status.id)
    get_client().zadd(key, {str(status.id): 1})
    with transaction.atomic():
        delete_reaction("like", user.pk, status.id)
    get_client().zrem(key, status.id)


def all_at_once(stage: Stage) -> dict[str, Figure]:
    people = list(User.objects.filter(pk__in=make_users(THREADS)))
    author = make_author(make_users(FOLLOWERS))
    each = stage.size(LIKES_EACH)
    apart = [said_by(author) for _ in people]
    ways: dict[str, Callable[[], object]] = {
        "one": partial(crowd, people, [apart[0]] * THREADS, each),
        "apart": partial(crowd, people, apart, each),
    }
    interleaved(ways, rounds=1)
    taken = interleaved(ways, rounds=stage.size(CROWD_ROUNDS))
    assert not Status.objects.get(pk=apart[0].id).likes_count, "each like was taken back"
    one, many = (THREADS * each / min(taken[way]) for way in ways)
    return {
        f"like and unlike, {THREADS} threads on one status": Figure(
            one, many, "pairs/s", "the same threads on a status each"
        )
    }


def crowd(people: Sequence[User], statuses: Sequence[StoredStatus], each: int) -> None:
    def go_on(user: User, status: StoredStatus) -> None:
        try:
            for _ in range(each):
                like_and_unlike(user, status)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        list(pool.map(go_on, people, statuses))
