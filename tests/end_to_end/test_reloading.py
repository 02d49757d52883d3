"""Processes load new code under constant requests."""

import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.running_site import RunningSite, running_site, wait_for

GUNICORNS = ("socialsite.wsgi", "socialsite.asgi")
WORKER = ("manage.py", "worker")


class Visitors:
    """Ask all the time, each in a thread; what did not go well is kept."""

    def __init__(self) -> None:
        self.answered: dict[str, int] = {}
        self.failed: list[str] = []
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []

    def ask(self, url: str, *, keep_alive: bool) -> None:
        target = self._ask_on_one_connection if keep_alive else self._ask_on_many
        self._threads.append(threading.Thread(target=target, args=(url,)))
        self._threads[-1].start()

    def wait_for_more_answers(self, urls: list[str]) -> None:
        before = dict(self.answered)
        wait_for(lambda: all(self.answered.get(url, 0) > before.get(url, 0) for url in urls))

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _ask_on_one_connection(self, url: str) -> None:
        with httpx.Client(timeout=60) as client:
            self._repeat(url, client.get)

    def _ask_on_many(self, url: str) -> None:
        self._repeat(url, lambda url: httpx.get(url, timeout=60))

    def _repeat(self, url: str, get: Callable[[str], httpx.Response]) -> None:
        while not self._over.is_set():
            try:
                get(url).raise_for_status()
            except httpx.HTTPError as error:
                self.failed.append(f"{url}: {error!r}")
            else:
                self.answered[url] = self.answered.get(url, 0) + 1


@pytest.fixture
def visitors() -> Iterator[Visitors]:
    made = Visitors()
    try:
        yield made
    finally:
        made.end()


@pytest.mark.long
def test_no_request_fails_while_the_processes_reload(
    migrated_database: Path, visitors: Visitors
) -> None:
    with running_site(migrated_database, STREAM_WORKERS="2") as site:
        urls = [f"{site.url}/", f"{site.stream_url}/healthz"]
        for url in urls:
            visitors.ask(url, keep_alive=False)
            visitors.ask(url, keep_alive=True)
        for _ in (1, 2):
            _reload(site)
            visitors.wait_for_more_answers(urls)
        visitors.end()
        assert visitors.failed == []
        print(f"requests answered {visitors.answered}, failed {len(visitors.failed)}")
        assert site.is_healthy()


@pytest.mark.long
def test_an_open_stream_resumes_and_redis_stays(migrated_database: Path) -> None:
    with running_site(migrated_database) as site:
        store = site.child("redis-server")
        with httpx.Client(timeout=60) as client:
            token = _token(site)
            stream = f"{site.stream_url}/1.1/statuses/sample.json?access_token={token}"
            with client.stream("GET", stream) as answer:
                assert answer.status_code == 200
                _reload(site)
                # It ends in good order, which tells a client to connect again.
                for _ in answer.iter_bytes():
                    pass
            with client.stream("GET", stream) as answer:
                assert answer.status_code == 200
        assert store.is_running()
        assert len(psutil.Process(site.process.pid).children()) == 4


def _token(site: RunningSite) -> str:
    code = "from users.models import User; User.objects.create_user('alice', 'a@example.com')"
    site.manage("shell", "-v0", "-c", code)
    return site.manage("access_token", "alice").stdout.strip()


def _reload(site: RunningSite) -> None:
    """Waits until every process that ran the code of before is gone, and the site is whole."""
    masters = [site.child(word) for word in GUNICORNS]
    old = [site.child(*WORKER), *(worker for master in masters for worker in master.children())]
    site.process.send_signal(signal.SIGUSR2)
    wait_for(
        lambda: not any(process.is_running() for process in old),
        seconds=180,
        what=f"all processes to be replaced in {site.output}",
    )
    wait_for(lambda: len(psutil.Process(site.process.pid).children()) == 4)
    assert all(master.is_running() for master in masters)
