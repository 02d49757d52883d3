"""What does it cost to measure?

Pages of the same site with and without it, by rate and by the processor time of the web processes;
a year of one counter, in all precisions together; a count beside the book's, which writes each
precision by a command of its own; and what the book's cleaning takes, where ours needs none.
"""

import contextlib
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import psutil
from django.core.management import call_command

from bench.frame import Stage, interleaved, median
from bench.home import reader_of
from bench.http_load import CONNECTIONS, get, load
from bench.population import make_statuses, make_users
from bench.report import Figure, Target
from bench.web import cookies_of, web_server
from insight import series
from insight.precisions import PRECISIONS, SAMPLES_OF_A_KEY
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from users.models import User

ROUNDS, SECONDS = 15, 1.0
AUTHORS, STATUSES_EACH, FOLLOWING = 1_000, 20, 100
COUNTS, COUNTERS = 400, 100
# Of a busy site: so many were counted in each second of the year.
A_SECOND = 50
PER_SAMPLE = 120  # what the book keeps of each precision


def measure(stage: Stage) -> dict[str, Figure]:
    return pages(stage) | a_year() | counting(stage) | trimming(stage)


# Pages --------------------------------------------------------------------------------------------


class Site(NamedTuple):
    port: int
    processes: list[psutil.Process]

    def spent(self) -> float:
        return sum(it.cpu_times().user + it.cpu_times().system for it in self.processes)


class Asked(NamedTuple):
    rate: float
    cpu: float  # seconds for each page


def pages(stage: Stage) -> dict[str, Figure]:
    authors = make_users(stage.size(AUTHORS, least=10))
    make_statuses(authors, each=STATUSES_EACH)
    reader = reader_of(authors, stage.size(FOLLOWING, least=2))
    profile = f"/@{User.objects.get(pk=authors[0]).username}/"
    call_command("collectstatic", interactive=False, verbosity=0)
    with site(stage, "1") as on, site(stage, "0") as off:
        return {
            key: figure
            for name, path, cookies in (
                ("a home page", "/", cookies_of(reader)),
                ("a page kept for visitors", profile, ""),
            )
            for key, figure in _compare(stage, name, path, cookies, on, off).items()
        }


@contextlib.contextmanager
def site(stage: Stage, insight: str) -> Iterator[Site]:
    before = set(psutil.Process().children(recursive=True))
    with web_server(stage, "socialsite.settings", INSIGHT=insight) as port:
        time.sleep(1)  # until all its processes are there
        yield Site(port, list(set(psutil.Process().children(recursive=True)) - before))


def _compare(
    stage: Stage, name: str, path: str, cookies: str, on: Site, off: Site
) -> dict[str, Figure]:
    """In turns, and briefly: the machine itself is faster or slower for seconds at a time."""
    found: dict[str, list[Asked]] = {"on": [], "off": []}
    for _ in range(stage.size(ROUNDS) + 1):
        for which, one in (("on", on), ("off", off)):
            found[which].append(_ask(stage, one, path, cookies))
    ours, baseline = (found[which][1:] for which in ("on", "off"))  # the first warms up
    return {
        f"{name}, measured": Figure(
            median([it.rate for it in ours]),
            median([it.rate for it in baseline]),
            *("requests/s", "the same page with INSIGHT=0"),
            target=Target("at least", 0.95),
        ),
        f"{name}, processor time": Figure(
            1e6 * median([it.cpu for it in ours]),
            1e6 * median([it.cpu for it in baseline]),
            *("µs", "the same page with INSIGHT=0"),
            smaller_is_better=True,
            target=Target("at most", 1.05),
        ),
    }


def _ask(stage: Stage, site: Site, path: str, cookies: str) -> Asked:
    requests = [[get(path, port=site.port, cookies=cookies)]] * CONNECTIONS
    before = site.spent()
    done = load(site.port, requests, seconds=max(0.2, SECONDS * stage.scale))
    return Asked(done.rate, (site.spent() - before) / max(1, len(done.seconds)))


# Redis --------------------------------------------------------------------------------------------


def a_year() -> dict[str, Figure]:
    """Every sample that is ever kept of one counter, and the keys that are half filled."""
    batch, names = Batch(get_client()), []
    for precision in PRECISIONS:
        for number in range(-(-precision.kept // SAMPLES_OF_A_KEY) + 1):
            name = keys.series("bench", precision.seconds, number)
            names.append(name)
            value = A_SECOND * precision.seconds
            for place in range(SAMPLES_OF_A_KEY):
                batch.add("HINCRBY", name, place, value + place)
            batch.add("EXPIRE", name, precision.span)
    batch.run()
    client: Any = get_client()
    held = sum(int(client.memory_usage(name)) for name in names)
    samples = sum(it.kept for it in PRECISIONS)
    client.unlink(*names)
    return {
        "a year of one counter": Figure(
            held / 1000,
            16 * samples / 1000,
            *("KB", f"{samples:,} samples of 16 bytes: a time and a value"),
            smaller_is_better=True,
            target=Target("at most", 100, of="ours"),
        )
    }


def counting(stage: Stage) -> dict[str, Figure]:
    now = int(time.time())

    def ours() -> None:
        batch = Batch(get_client())
        for number in range(100):
            series.add(batch, f"bench {number}", now, 1)
        batch.run()

    def book() -> None:
        batch = Batch(get_client())
        for number in range(100):
            for precision in PRECISIONS:
                hash_ = f"count:{precision.seconds}:bench {number}"
                batch.add("ZADD", "known:", 0, f"{precision.seconds}:bench {number}")
                batch.add("HINCRBY", hash_, now // precision.seconds * precision.seconds, 1)
        batch.run()

    taken = interleaved({"ours": ours, "book": book}, rounds=stage.size(COUNTS, least=3))
    return {
        "counts in all precisions": Figure(
            *(100 / median(taken["ours"]), 100 / median(taken["book"])),
            *("counts/s", "the book: a ZADD and a HINCRBY for each precision, in batches as long"),
        )
    }


def trimming(stage: Stage) -> dict[str, Figure]:
    """A pass of the book's cleaner, though none of the counters has anything to trim."""
    counters = stage.size(COUNTERS, least=2)
    batch, now = Batch(get_client()), int(time.time())
    for number in range(counters):
        for precision in PRECISIONS:
            for place in range(PER_SAMPLE):
                second = (now // precision.seconds - place) * precision.seconds
                batch.add("HINCRBY", f"count:{precision.seconds}:trim {number}", second, 1)
    batch.run()

    def clean() -> None:
        client: Any = get_client()
        for number in range(counters):
            for precision in PRECISIONS:
                name = f"count:{precision.seconds}:trim {number}"
                cut = now - PER_SAMPLE * precision.seconds
                if old := [it for it in sorted(map(int, client.hkeys(name))) if it < cut]:
                    client.hdel(name, *old)

    taken = interleaved({"book": clean}, rounds=stage.size(5, least=1))
    return {
        f"to trim {counters} counters once": Figure(
            0.0,
            1000 * median(taken["book"]),
            *("ms", "the book's cleaner, which reads every counter; ours end by themselves"),
            smaller_is_better=True,
        )
    }
