"""A Redis that hangs under a running site: 503 without a wait, and nothing lost."""

import json
import re
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import NamedTuple

import httpx
import pytest

from tests.redis_servers import frozen
from tests.running_site import ReturningSite, RunningSite, wait_for

# Longer than any page may take, timeouts of all its commands included.
FROZEN_SECONDS = 5
THREADS = 16
PAUSE_SECONDS = 0.05
PASSWORD = "correct horse battery"
NEED_NO_STORE = ("/robots.txt", "/favicon.ico", "/", "/signup/", "/nothing-here/")


class Answer(NamedTuple):
    path: str
    status: int
    seconds: float
    retry_after: str | None


class Member:
    """Somebody with an account and a session."""

    def __init__(self, site: RunningSite) -> None:
        self.name = f"alice_{uuid.uuid4().hex[:8]}"
        self.browser = httpx.Client(base_url=site.url, follow_redirects=True, timeout=15)
        form = {"username": self.name, "email": f"{self.name}@example.com", "password": PASSWORD}
        self.browser.post("/signup/", data=form | self._token("/signup/")).raise_for_status()
        self._form = self._token("/")

    def post(self, text: str) -> httpx.Response:
        form = self._form | {"text": text, "idempotency_key": uuid.uuid4().hex}
        return self.browser.post("/statuses/", data=form, follow_redirects=False)

    def sees(self, text: str) -> bool:
        page = self.browser.get(f"/@{self.name}/")
        return page.status_code == 200 and text in page.text

    def _token(self, path: str) -> dict[str, str]:
        page = self.browser.get(path).text
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token, page
        return {"csrfmiddlewaretoken": token[1]}


@pytest.fixture
def alice(returning_site: ReturningSite) -> Iterator[Member]:
    member = Member(returning_site.running())
    with closing(member.browser):
        yield member


def ask(browser: httpx.Client, path: str, *, until: float) -> list[Answer]:
    """Ask for the page again and again."""
    answers = []
    while (began := time.monotonic()) < until:
        answer = browser.get(path)
        took = time.monotonic() - began
        answers.append(Answer(path, answer.status_code, took, answer.headers.get("Retry-After")))
        time.sleep(PAUSE_SECONDS)  # the freeze should be long, not busy
    return answers


def write(member: Member, *, until: float) -> list[str]:
    """Post again and again; returns what was accepted."""
    taken, number = [], 0
    while (began := time.monotonic()) < until:
        number += 1
        text = f"during the frost {number} {member.name}"
        status = member.post(text).status_code
        assert time.monotonic() - began < 3
        assert status in (302, 503)
        taken += [text] * (status == 302)
        time.sleep(PAUSE_SECONDS)
    return taken


def is_red(url: str) -> bool:
    return httpx.get(f"{url}/healthz", timeout=2).status_code == 503


def test_pages_answer_while_redis_hangs_and_nothing_is_lost(
    returning_site: ReturningSite, alice: Member
) -> None:
    site = returning_site.running()
    before = f"before the frost {alice.name}"
    assert alice.post(before).status_code == 302
    printed = len(site.output)
    visitor = httpx.Client(base_url=site.url, timeout=15)

    with visitor, ThreadPoolExecutor(THREADS) as pool:
        with frozen(site.child("redis-server").pid):
            end = time.monotonic() + FROZEN_SECONDS
            # All at once, so that every thread of the site is busy.
            pages = ("/", "/explore/", f"/@{alice.name}/", "/@nobody/")
            asking = [pool.submit(ask, alice.browser, path, until=end) for path in pages * 2]
            idle = [pool.submit(ask, visitor, path, until=end) for path in NEED_NO_STORE]
            writing = pool.submit(write, alice, until=end)
            for url in (site.url, site.stream_url):
                wait_for(partial(is_red, url), seconds=2, what="a red /healthz")
            answers = [answer for job in asking for answer in job.result()]
            plain = [answer for job in idle for answer in job.result()]
        wait_for(site.is_healthy, seconds=2, what="a healthy site")

    assert max(answer.seconds for answer in answers + plain) < 3
    assert {answer.status for answer in answers if answer.path != "/@nobody/"} == {503}
    assert all(answer.retry_after for answer in answers if answer.status == 503)
    assert {answer.status for answer in plain} == {200, 302, 404}
    assert "Traceback" not in site.output[printed:]

    after = f"after the frost {alice.name}"
    assert alice.post(after).status_code == 302
    for text in (before, *writing.result(), after):
        wait_for(partial(alice.sees, text), what=text)
    wait_for(lambda: not waiting_tasks(site), seconds=60, what="an empty queue")
    checked = site.manage("check_timelines")
    assert checked.stdout.endswith(": Redis agrees with SQL\n"), checked.stderr


def waiting_tasks(site: RunningSite) -> int:
    stats = json.loads(site.manage("queue_stats", "--json").stdout)
    queued: list[int] = [
        queue[part] for queue in stats["queues"] for part in ("ready", "delayed", "running")
    ]
    return sum(queued, int(stats["outbox"]))
