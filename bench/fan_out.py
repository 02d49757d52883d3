"""How fast does a status reach existing homes, 400 entries deep, through the real worker?"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench import book, raw_redis
from bench.frame import Stage, interleaved, wait_until_idle
from bench.population import make_author, make_homes, make_users
from bench.report import Figure, Target
from redistools.client import get_client
from redistools.scripts import Argument
from statuses.models import Status, status_ids
from taskqueue import start
from taskqueue.backend import Call, get_backend
from timelines import fan_out, tasks
from users.models import User

SIZES = (1_000, 10_000, 100_000)
DEPTH = 400
ROUNDS = 5
SINGLE_TASKS = 2_000


def measure(stage: Stage) -> dict[str, Figure]:
    without_append_only_file()
    people = make_users(stage.size(SIZES[-1], least=100))
    make_homes(people, depth=DEPTH)
    book.make_homes(people, Status.objects.values_list("id", flat=True)[:DEPTH])
    figures: dict[str, Figure] = {}
    with stage.worker():
        for size in SIZES:
            followers = people[: stage.size(size, least=10)]
            figures |= compare(stage, make_author(followers), followers)
        figures |= one_task_for_each(people[: stage.size(SINGLE_TASKS, least=10)], figures)
    return figures


def without_append_only_file() -> None:
    """Otherwise five gigabytes of homes would go to disk too, for each contestant."""
    get_client().config_set("appendonly", "no")


def compare(stage: Stage, author: User, followers: range) -> dict[str, Figure]:
    book.load_followers(author.pk)
    raw_files = iter([raw_deliveries(stage, followers, number) for number in range(ROUNDS)])
    ways: dict[str, Callable[[], object]] = {
        "ours": partial(deliver, author),
        "book": partial(deliver_by_the_book, author),
        "raw": lambda: raw_redis.pipe(next(raw_files)),
    }
    taken = interleaved(ways, rounds=ROUNDS)
    ours, by_the_book, raw = (len(followers) / min(taken[way]) for way in ways)
    name, is_largest = f"fan-out to {len(followers):,} homes", len(followers) > SIZES[-2]
    return {
        f"{name}, to the book's way": Figure(
            *(ours, by_the_book, "deliveries/s"),
            "a Python pipeline, 1,000 followers a task, same queue",
            target=Target("at least", 3.0) if is_largest else None,
        ),
        f"{name}, to the raw limit": Figure(
            *(ours, raw, "deliveries/s", "the same two commands, piped by redis-cli"),
            target=Target("at least", 1.0) if is_largest else None,
        ),
    }


def deliver(author: User) -> None:
    """What `status_tasks.publish` leaves to the worker; here, from the first follower."""
    status_id = status_ids.next(get_client())
    links = [Call(tasks.deliver, (status_id, *leg)) for leg in fan_out.all_legs(author)]
    get_backend("default").enqueue_many(links)
    wait_until_idle()


def deliver_by_the_book(author: User) -> None:
    book.syndicate.enqueue(status_ids.next(get_client()), author.pk, 0)
    wait_until_idle()


def raw_deliveries(stage: Stage, followers: range, number: int) -> Path:
    """A file with the commands that deliver one more status."""
    status_id = status_ids.next(get_client())

    def commands() -> Iterator[tuple[Argument, ...]]:
        for follower_id in followers:
            home = book.home(follower_id)
            yield "ZADD", home, status_id, status_id
            yield "ZREMRANGEBYRANK", home, 0, -book.HOME_SIZE - 1

    return raw_redis.write_commands(stage.folder / f"deliveries-{number}", commands())


def one_task_for_each(followers: range, figures: dict[str, Figure]) -> dict[str, Figure]:
    """Compared with our fan-out to the middle size."""
    status_id = status_ids.next(get_client())

    def deliver_one_by_one() -> None:
        calls = [start.call(book.deliver_to_one, status_id, follower) for follower in followers]
        get_backend("default").enqueue_many(calls)
        wait_until_idle()

    taken = interleaved({"single": deliver_one_by_one}, rounds=2)
    ours = list(figures.values())[2].ours
    baseline = len(followers) / min(taken["single"])
    return {
        "fan-out, to one task for each follower": Figure(
            ours, baseline, "deliveries/s", "a task for each follower, same queue"
        )
    }
