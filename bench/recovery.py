"""What does a death of Redis cost? How long a mention takes to reach its reader under load, before
and after; how many tasks are done again; and how long it takes until Redis agrees with SQL after
eight deaths in a row.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count

from bench.frame import Stage, median
from bench.report import Figure, Target
from tests.chaos.load import Load
from tests.chaos.mortal_redis import MortalRedis
from tests.chaos.verdict import differences, repeated_in
from tests.member import Member
from tests.running_site import RunningSite, temporary_folder

WARM_UP_SECONDS = 60
MENTIONS = 12
DEATHS = 8
SECONDS_BETWEEN_DEATHS = 3.0
SECONDS_BETWEEN_MENTIONS = 0.5
LONGEST_WAIT = 120.0
THREE_TIMES = Target("at most", 3)
A_MINUTE = Target("at most", 60, of="ours")

Mention = Callable[[], float]
"""Sends one, and says how many seconds passed until its reader saw it."""


def measure(stage: Stage) -> dict[str, Figure]:
    with busy_site() as (site, redis, load):
        mention = mentions_between(Member(site), Member(site))
        time.sleep(stage.size(WARM_UP_SECONDS))
        mentions = stage.size(MENTIONS, least=2)
        before = [mention() for _ in range(mentions)]
        already = repeated_in(site)
        die(redis)
        after = [mention() for _ in range(mentions)]
        repeated, answered = repeated_in(site) - already, load.ledger.answers["done"]
        for _ in range(stage.size(DEATHS, least=2)):
            die(redis)
            time.sleep(SECONDS_BETWEEN_DEATHS)
        load.end()
        recovered, at_rest = seconds_until_agreed(site), seconds_until_agreed(site)
    usual = "the same before it died"
    return {
        "a mention under load, after a death of Redis, p50": Figure(
            1000 * median(after), 1000 * median(before), "ms", usual, True, THREE_TIMES
        ),
        "a mention under load, after a death of Redis, slowest": Figure(
            1000 * max(after), 1000 * max(before), "ms", usual, True
        ),
        "tasks repeated after a death that lost nothing": Figure(
            repeated, answered, "tasks", "requests that were answered until then", True
        ),
        "until Redis agrees with SQL, after eight deaths": Figure(
            recovered, at_rest, "s", "one more look, at rest", True, A_MINUTE
        ),
    }


@contextmanager
def busy_site() -> Iterator[tuple[RunningSite, MortalRedis, Load]]:
    """Six members write all the time."""
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        (folder / "redis").mkdir()
        redis = stack.enter_context(MortalRedis(folder / "redis"))
        site = RunningSite(folder, REDIS_URL=redis.url)
        stack.callback(site.stop)
        site.wait_until_ready()
        yield site, redis, stack.enter_context(Load(site.url))


def die(redis: MortalRedis) -> None:
    redis.kill()
    redis.start()


def mentions_between(author: Member, reader: Member) -> Mention:
    numbers = count()

    def mention() -> float:
        time.sleep(SECONDS_BETWEEN_MENTIONS)
        text = f"mention number {next(numbers)}."
        began = time.monotonic()
        while author.post(f"@{reader.name} {text}").status_code != 302:
            assert time.monotonic() < began + LONGEST_WAIT, "nobody can post"
        while text not in reader.browser.get("/notifications/").text:
            assert time.monotonic() < began + LONGEST_WAIT, f"{text} did not arrive"
            time.sleep(0.02)
        return time.monotonic() - began

    return mention


def seconds_until_agreed(site: RunningSite) -> float:
    began = time.monotonic()
    while differences(site):
        assert time.monotonic() < began + LONGEST_WAIT, differences(site)
    return time.monotonic() - began
