"""A PostgreSQL that stops or hangs under a running site: 503 within seconds, and nothing lost."""

import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial

import httpx
import pytest

from tests import postgres
from tests.end_to_end.test_frozen_redis import (
    Answer,
    ask,
    is_red,
    open_home,
    refuses_streams,
    waiting_tasks,
)
from tests.member import Member
from tests.postgres import Postgres
from tests.redis_servers import frozen
from tests.running_site import RunningSite, temporary_folder, wait_for

READERS = 16
STOPPED_SECONDS = 4
# Longer than a request waits.
HUNG_SECONDS = 15
# A request waits for `REQUEST_SECONDS`, and may have waited behind another one that did.
LONGEST_SECONDS = 30


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Postgres]:
    monkeypatch.setenv("TEST_DATABASE", "postgres")
    monkeypatch.setenv("TEST_POSTGRES_FOLDER", tempfile.mkdtemp(prefix="postgres-"))
    with postgres.running_postgres() as server:
        yield server


@pytest.fixture
def site(server: Postgres) -> Iterator[RunningSite]:
    with temporary_folder() as folder:
        postgres.create_database(folder.name)
        site = RunningSite(folder)
        try:
            site.wait_until_ready()
            yield site
        finally:
            site.stop()


@contextmanager
def stopped(server: Postgres) -> Iterator[None]:
    server.stop()
    yield
    server.start()


@contextmanager
def hung(server: Postgres) -> Iterator[None]:
    with frozen(*server.process_ids()):
        yield


@pytest.mark.long
def test_a_site_gets_over_it_without_a_restart(site: RunningSite, server: Postgres) -> None:
    alice = Member(site)
    processes = {child.pid for child in site.children()}
    with closing(alice.browser), closing(open_home(site, alice)) as stream:
        alice.browser.timeout = httpx.Timeout(2 * LONGEST_SECONDS)
        printed = len(site.output)
        for outage, seconds in ((stopped(server), STOPPED_SECONDS), (hung(server), HUNG_SECONDS)):
            before = f"before {time.monotonic()}"
            assert alice.post(before).status_code == 302
            with outage:
                answers, taken = look_around(site, alice, seconds)
            check_answers(answers)
            wait_for(site.is_healthy, what="a healthy site")
            for text in (before, *taken):
                wait_for(partial(alice.sees, text), what=text)
                assert text in stream.text
    assert {child.pid for child in site.children()} == processes
    assert "Traceback" not in site.output[printed:]
    wait_for(lambda: not waiting_tasks(site), what="an empty queue")
    checked = site.manage("check_timelines")
    assert checked.stdout.endswith(": Redis agrees with SQL\n"), checked.stderr


def look_around(site: RunningSite, alice: Member, seconds: float) -> tuple[list[Answer], list[str]]:
    """More readers than the site has threads. Also returns what alice could post."""
    end = time.monotonic() + seconds
    paths = ("/", f"/@{alice.name}/", "/@nobody/", "/settings/")
    taken: list[str] = []
    with ThreadPoolExecutor(READERS) as pool:
        jobs = [
            pool.submit(ask, alice.browser, path, until=end)
            for path in paths * (READERS // len(paths))
        ]
        for url in (site.url, site.stream_url):
            wait_for(partial(is_red, url, timeout=LONGEST_SECONDS), what="a red /healthz")
        assert refuses_streams(site, alice)
        text = f"during {end}"
        answer = alice.post(text)
        assert answer.status_code in (302, 503)
        taken += [text] * (answer.status_code == 302)
        assert httpx.get(f"{site.url}/robots.txt", timeout=LONGEST_SECONDS).status_code == 200
        return [answer for job in jobs for answer in job.result()], taken


def check_answers(answers: list[Answer]) -> None:
    assert {answer.status for answer in answers} == {503}
    assert all(answer.headers["Retry-After"] for answer in answers)
    assert max(answer.seconds for answer in answers) < LONGEST_SECONDS
    # Once a process knows, nobody waits: else each reader would get one answer, or two.
    assert len(answers) > 3 * READERS
