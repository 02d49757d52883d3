"""A Redis that hangs or dies under a running site: pages during the outage, and nothing lost."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import httpx
import pytest
from django.conf import settings

from processes import embedded_redis
from tests.member import Member
from tests.redis_servers import frozen
from tests.running_site import RunningSite, running_site, temporary_folder, wait_for
from tests.streaming.test_home_stream import EventSource

# Longer than any page may take, timeouts of all its commands included.
AWAY_SECONDS = 5
THREADS = 16
PAUSE_SECONDS = 0.05
NEED_NO_STORE = ("/robots.txt", "/favicon.ico", "/", "/signup/", "/nothing-here/")


class Answer(NamedTuple):
    path: str
    status: int
    seconds: float
    headers: httpx.Headers


def ask(browser: httpx.Client, path: str, *, until: float) -> list[Answer]:
    """Ask for the page again and again."""
    answers = []
    while (began := time.monotonic()) < until:
        answer = browser.get(path)
        took = time.monotonic() - began
        answers.append(Answer(path, answer.status_code, took, answer.headers))
        time.sleep(PAUSE_SECONDS)  # the outage should be long, not busy
    return answers


def write(member: Member, *, until: float) -> list[str]:
    """Post again and again; returns what was accepted."""
    taken, number = [], 0
    while time.monotonic() < until:
        number += 1
        text = f"during the frost {number} {member.name}"
        status = member.post(text).status_code
        assert status in (302, 503)
        taken += [text] * (status == 302)
        time.sleep(PAUSE_SECONDS)
    return taken


def is_red(url: str, *, timeout: float = 60) -> bool:
    return httpx.get(f"{url}/healthz", timeout=timeout).status_code == 503


def cookie_of(member: Member) -> str:
    return str(member.browser.cookies[settings.SESSION_COOKIE_NAME])


def open_home(site: RunningSite, member: Member) -> EventSource:
    """The stream of an open page."""
    streams: Any = SimpleNamespace(url=site.stream_url)
    return EventSource(streams, cookie_of(member))


def refuses_streams(site: RunningSite, member: Member) -> bool:
    headers = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={cookie_of(member)}"}
    address = f"{site.stream_url}/streaming/home"
    with httpx.stream("GET", address, headers=headers, timeout=60) as answer:
        return answer.status_code == 503


@pytest.mark.long
def test_pages_can_be_read_while_redis_hangs_and_nothing_is_lost(migrated_database: Path) -> None:
    with running_site(migrated_database) as site:
        live_through(site, frozen(site.child("redis-server").pid), keeps_streams=True)


@pytest.mark.long
def test_pages_can_be_read_while_redis_is_dead_and_nothing_is_lost() -> None:
    with temporary_folder() as folder:
        redis = Redis(folder / "redis" / "redis.sock")
        with closing(redis), running_site(REDIS_URL=f"unix://{redis.socket}") as site:
            live_through(site, redis.killed())


class Redis:
    """None of the site's processes, so the site does not start it again."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self._start()

    def _start(self) -> None:
        self._stack = ExitStack()
        self._process = self._stack.enter_context(embedded_redis.running(self.socket))

    @contextmanager
    def killed(self) -> Iterator[None]:
        """Nobody listens during the block; then a new server reads what the old one wrote."""
        self._process.kill()
        self._process.wait()
        yield
        self._start()

    def close(self) -> None:
        self._stack.close()


def live_through(
    site: RunningSite, outage: AbstractContextManager[None], *, keeps_streams: bool = False
) -> None:
    """A Redis that may have lost something ends streams; browsers open them again."""
    alice = Member(site)
    with closing(alice.browser), closing(open_home(site, alice)) as stream:
        before, after = (f"{when} the frost {alice.name}" for when in ("before", "after"))
        assert alice.post(before).status_code == 302
        printed = len(site.output)
        taken = look_around(site, alice, outage)
        wait_for(site.is_healthy, what="a healthy site")
        assert "Traceback" not in site.output[printed:]
        wait_for(partial(is_whole, alice.browser, f"/@{alice.name}/"), what="a whole page")
        # Another process of the site may notice a moment later that Redis is back.
        wait_for(lambda: alice.post(after).status_code == 302, what="a post that is accepted")
        if keeps_streams:
            wait_for(lambda: after in stream.text, what="the open stream")
        for text in (before, *taken, after):
            wait_for(partial(alice.sees, text), what=text)
    wait_for(lambda: not waiting_tasks(site), seconds=60, what="an empty queue")
    checked = site.manage("check_timelines")
    assert checked.stdout.endswith(": Redis agrees with SQL\n"), checked.stderr


def look_around(
    site: RunningSite, alice: Member, outage: AbstractContextManager[None]
) -> list[str]:
    """All at once, so that every thread of the site is busy. Returns what alice could post."""
    own = f"/@{alice.name}/"
    visitor = httpx.Client(base_url=site.url, timeout=120)
    with visitor, ThreadPoolExecutor(THREADS) as pool, outage:
        end = time.monotonic() + AWAY_SECONDS
        pages = ("/", "/explore/", own, "/@nobody/") * 2
        asking = [pool.submit(ask, alice.browser, path, until=end) for path in pages]
        idle = [pool.submit(ask, visitor, path, until=end) for path in NEED_NO_STORE]
        writing = pool.submit(write, alice, until=end)
        for url in (site.url, site.stream_url):
            wait_for(partial(is_red, url), what="a red /healthz")
        assert refuses_streams(site, alice)
        answers = [answer for job in asking for answer in job.result()]
        plain = [answer for job in idle for answer in job.result()]
    assert {answer.status for answer in plain} == {200, 302, 404}
    check_pages(answers, own)
    return writing.result()


def check_pages(answers: list[Answer], own: str) -> None:
    assert statuses_of(answers, own) == {200}
    assert statuses_of(answers, "/@nobody/") == {404}
    assert statuses_of(answers, "/explore/") == {503}
    # Only some homes are made at once.
    assert 200 in statuses_of(answers, "/") <= {200, 503}
    for answer in answers:
        if answer.status == 200:
            assert answer.headers["X-Degraded"] == "redis"
        elif answer.status == 503:
            assert answer.headers["Retry-After"]


def statuses_of(answers: list[Answer], path: str) -> set[int]:
    return {answer.status for answer in answers if answer.path == path}


def is_whole(browser: httpx.Client, path: str) -> bool:
    answer = browser.get(path)
    return answer.status_code == 200 and "X-Degraded" not in answer.headers


def waiting_tasks(site: RunningSite) -> int:
    stats = json.loads(site.manage("queue_stats", "--json").stdout)
    queued: list[int] = [
        queue[part] for queue in stats["queues"] for part in ("ready", "delayed", "running")
    ]
    return sum(queued, int(stats["outbox"]))
