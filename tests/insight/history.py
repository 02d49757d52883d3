"""Two hours as a lively site would have recorded them, by the same functions, with the time passed
in: a quiet hour, and a busier one in which timelines lag for some minutes.
"""

import random
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from math import pi, sin

from insight import keeping
from insight.dashboard.deploys import note
from insight.figures import series_name
from insight.models import Deploy
from insight.precisions import HOUR, MINUTE
from insight.recording import memory, sampling
from insight.recording.buffer import Recorded, Timed, Visit, buffer
from insight.recording.sending import flush, send
from insight.sketch import bucket_of
from insight.structures import visitors
from insight.structures.visitors import today
from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue.backend import get_backend
from users.models import User

SLOT = 5
# When timelines lag, and when a version was deployed: minutes ago.
LAG = range(22, 34)
DEPLOYED = 38
# Minutes beyond now, so that the picture of a page that is opened then has an end like the rest.
AHEAD = 5
PAGES = {"home": 9.0, "status": 7.0, "profile": 8.0, "search": 21.0, "explore": 12.0}


def write(seed: int = 1) -> None:
    """Up to now."""
    chance, now = random.Random(seed), int(time.time())
    until = now - now % MINUTE + AHEAD * MINUTE
    for minute in range(until - 2 * HOUR - AHEAD * MINUTE, until, MINUTE):
        recorded = Recorded()
        for second in range(minute, minute + MINUTE, SLOT):
            _record(recorded, second, (until - second) // MINUTE, chance)
        send(recorded)
    _sample_now()
    _be_here(chance)
    note("2026.11")
    deployed = datetime.fromtimestamp(until - DEPLOYED * MINUTE, UTC)
    Deploy.objects.filter(version="2026.11").update(at=deployed)


def _record(recorded: Recorded, second: int, minutes_ago: int, chance: random.Random) -> None:
    liveliness = (1.0 if minutes_ago < 60 else 0.7) * (1 + 0.25 * sin(2 * pi * minutes_ago / 47))
    is_lagging = minutes_ago in LAG

    def count(name: str, often: float, label: str = "") -> None:
        number = int(often * liveliness * chance.uniform(0.7, 1.3) + chance.random())
        if number:
            recorded.counts[series_name(name, label), second] = number

    count("requests", 140, "2xx")
    count("requests", 11, "3xx")
    count("requests", 3, "4xx")
    count("posts", 3.1)
    count("replies", 2.2)
    count("boosts", 1.3)
    count("sign_ups", 0.12)
    count("deliveries", 260 if not is_lagging else 90)
    count("kept_pages", 30, "hit")
    count("kept_pages", 4, "miss")
    if is_lagging:
        count("redis_errors", 0.4)
    queue = get_backend("default").all_shards()[0]
    waiting = chance.uniform(300, 900) if is_lagging else chance.uniform(0, 14)
    recorded.peaks[series_name("queue_depth", queue), second] = round(waiting)
    age = chance.uniform(2_000, 9_000) if is_lagging else chance.uniform(5, 90)
    recorded.peaks[series_name("queue_age", queue), second] = round(age)
    streams = 310 * liveliness + chance.uniform(-9, 9)
    recorded.peaks[series_name("stream_clients"), second] = round(streams)
    _time(recorded, second, chance, slower=1.6 if is_lagging else 1.0)


def _time(recorded: Recorded, second: int, chance: random.Random, *, slower: float) -> None:
    pages = recorded.durations.setdefault(("page", second), Counter())
    for name, usual in PAGES.items():
        timed = recorded.timed.setdefault(("page", name, second // HOUR), Timed())
        for _ in range(6):
            ms = slower * usual * chance.lognormvariate(0, 0.5)
            pages[timed.sketch.add(ms)] += 1
    lags = recorded.durations.setdefault(("fan_out", second), Counter())
    for _ in range(8):
        lags[bucket_of(slower**5 * 70 * chance.lognormvariate(0, 0.6))] += 1


def _be_here(chance: random.Random) -> None:
    """Members and visitors of five weeks, fewer at weekends; those who signed up last come most."""
    people = list(User.objects.order_by("pk").values_list("pk", flat=True))
    for back in range(visitors.ACTIVE_DAYS - 1, -1, -1):
        day = today() - timedelta(days=back)
        share = (0.45 if day.weekday() < 5 else 0.3) + 0.004 * (35 - back)
        here = [Visit(it) for it in people if chance.random() < share]
        passing = [Visit(0, f"192.0.2.{it}", "browser") for it in range(chance.randrange(60, 200))]
        batch = Batch(get_client())
        visitors.add(batch, [*here, *passing], day=day)
        batch.run()
        keeping.keep_day(day)
    for back in range(5, -1, -1):
        keeping.keep_week(keeping.monday_of(today()) - timedelta(weeks=back))


def _sample_now() -> None:
    """What a worker would look at now, and in five minutes."""
    was_on, buffer.is_on = buffer.is_on, True
    sampling.sample()
    memory.sample()
    buffer.is_on = was_on
    flush()
