"""What does it cost to measure?

Pages of the same site with and without it, by rate and by processor time;
a year of one counter, in all precisions together; a count beside the book's, which writes each
precision by a command of its own; and what the book's cleaning takes, where ours needs none.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.test import RequestFactory

from bench.frame import Stage, interleaved, median
from bench.home import reader_of
from bench.http_load import CONNECTIONS, get, load
from bench.population import make_statuses, make_users
from bench.report import Figure, Target
from bench.web import cookies_of, web_server
from insight.precisions import PRECISIONS, SAMPLES_OF_A_KEY
from insight.recording import calls, sending
from insight.recording.buffer import buffer
from insight.structures import series
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from users.models import User

ROUNDS, SECONDS = 15, 1.0
# About what one process serves.
PAGES_A_SECOND = 400
PAGES_A_TURN, TURNS = 20, 400
AUTHORS, STATUSES_EACH, FOLLOWING = 1_000, 20, 100
COUNTS, COUNTERS = 400, 100
# Of a busy site: so many were counted in each second of the year.
A_SECOND = 50
PER_SAMPLE = 120  # what the book keeps of each precision


def measure(stage: Stage) -> dict[str, Figure]:
    return pages(stage) | a_year() | counting(stage) | trimming(stage)


# Pages --------------------------------------------------------------------------------------------


class Page(NamedTuple):
    name: str
    path: str
    cookies: str


def pages(stage: Stage) -> dict[str, Figure]:
    call_command("collectstatic", interactive=False, verbosity=0)
    authors = make_users(stage.size(AUTHORS, least=10))
    make_statuses(authors, each=STATUSES_EACH)
    reader = reader_of(authors, stage.size(FOLLOWING, least=2))
    profile = f"/@{User.objects.get(pk=authors[0]).username}/"
    both = [
        Page("a home page", "/", cookies_of(reader)),
        Page("a page kept for visitors", profile, ""),
    ]
    figures: dict[str, Figure] = {}
    for page in both:
        figures |= over_http(stage, page) | in_a_process(stage, page)
    return figures


def over_http(stage: Stage, page: Page) -> dict[str, Figure]:
    """In turns, and briefly: the machine itself is faster or slower for seconds at a time."""
    rates: dict[str, list[float]] = {"1": [], "0": []}
    with (
        web_server(stage, "socialsite.settings", INSIGHT="1") as on,
        web_server(stage, "socialsite.settings", INSIGHT="0") as off,
    ):
        for _ in range(stage.size(ROUNDS) + 1):
            for insight, port in (("1", on), ("0", off)):
                requests = [[get(page.path, port=port, cookies=page.cookies)]] * CONNECTIONS
                done = load(port, requests, seconds=max(0.2, SECONDS * stage.scale))
                rates[insight].append(done.rate)
    return {
        f"{page.name}, measured": Figure(
            median(rates["1"][1:]),  # the first warms up
            median(rates["0"][1:]),
            *("requests/s", "the same page with INSIGHT=0"),
            target=Target("at least", 0.95),
        )
    }


def in_a_process(stage: Stage, page: Page) -> dict[str, Figure]:
    """Its processor time alone, which others on the machine disturb less, some pages at a time;
    and its share of what is sent once a second.
    """
    answer = asked_directly(page)
    spent: dict[bool, list[float]] = {True: [], False: []}
    sent: list[float] = []
    for turn in range(stage.size(TURNS, least=2)):
        for is_on in spent:
            with measuring(is_on=is_on):
                spent[is_on].append(cpu(answer, times=PAGES_A_TURN) / PAGES_A_TURN)
                if is_on and turn % (PAGES_A_SECOND // PAGES_A_TURN) == 0:
                    sent.append(cpu(sending.flush) / PAGES_A_SECOND)
    return {
        f"{page.name}, processor time": Figure(
            1e6 * (median(spent[True]) + median(sent)),
            1e6 * median(spent[False]),
            *("µs", "the same page with INSIGHT=0"),
            smaller_is_better=True,
            # The server takes twice as long for a kept page as we do, and is not in this figure.
            target=Target("at most", 1.05) if page.cookies else None,
        )
    }


def cpu(work: Callable[[], object], *, times: int = 1) -> float:
    began = time.process_time()
    for _ in range(times):
        work()
    return time.process_time() - began


def asked_directly(page: Page) -> Callable[[], None]:
    application: Any = get_wsgi_application()
    request = RequestFactory(headers={"accept-encoding": "gzip", "cookie": page.cookies})
    environ = request.get(page.path, headers={"host": "localhost"}).environ

    def answer() -> None:
        response: Any = application(dict(environ), lambda *_: None)
        assert response.status_code == 200
        b"".join(response)
        response.close()

    return answer


@contextlib.contextmanager
def measuring(*, is_on: bool) -> Iterator[None]:
    """As `sending.start` does it, without the thread that sends."""
    if is_on:
        buffer.is_on = True
        calls.listen()
    try:
        yield
    finally:
        buffer.is_on = False
        calls.listen_no_more()


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
