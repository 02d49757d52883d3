"""Several `serve`, as on several hosts: each does a part, on stores that they share."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from processes import embedded_redis
from tests import patient_http, postgres
from tests.migrated import NAME, copy_database
from tests.running_site import RunningSite, site_environment, temporary_folder, wait_for


class Hosts:
    """Data folders of their own, one database and one Redis."""

    def __init__(self, shared: Path) -> None:
        url = postgres.url_of(shared.name) if postgres.is_wanted() else f"sqlite:///{shared / NAME}"
        self.stores = {"DATABASE_URL": url, "REDIS_URL": f"unix://{shared / 'redis.sock'}"}

    def start(self, stack: ExitStack, only: str, folder: Path, key: str = "ours") -> RunningSite:
        site = RunningSite(folder, "--only", only, SECRET_KEY=key, **self.stores)
        stack.callback(lambda: site.process.poll() is None and site.stop())
        return site


@pytest.fixture
def hosts(migrated_database: Path) -> Iterator[Hosts]:
    with temporary_folder() as shared, embedded_redis.running(shared / "redis.sock"):
        copy_database(migrated_database, shared)
        yield Hosts(shared)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.long
def test_hosts_share_the_work_and_the_key(hosts: Hosts, stack: ExitStack) -> None:
    first, second, third = (stack.enter_context(temporary_folder()) for _ in range(3))
    pages = hosts.start(stack, "web", first)
    # On the same host, in the same folder.
    streams = hosts.start(stack, "streams", first)
    pages.wait_until_ready()
    streams.wait_until_ready()
    worker = hosts.start(stack, "worker", second)
    worker.wait_until_ready()

    assert patient_http.get(f"{pages.url}/healthz").status_code == 200
    assert patient_http.get(f"{streams.stream_url}/healthz").status_code == 200
    for site, mine in ((pages, "wsgi"), (streams, "asgi"), (worker, "worker")):
        (child,) = (" ".join(child.cmdline()) for child in _direct_children(site))
        assert mine in child
        assert "redis │ ready" in site.output
    assert "the site is at" not in worker.output

    stranger = hosts.start(stack, "web", third, key="another")
    assert stranger.process.wait(timeout=120) == 1
    wait_for(lambda: "use another SECRET_KEY" in stranger.output, what=stranger.output)

    again = hosts.start(stack, "web", first)
    assert again.process.wait(timeout=120) == 1
    wait_for(lambda: f"{first} as web: stop it" in again.output, what=again.output)


def _direct_children(site: RunningSite) -> list[psutil.Process]:
    return psutil.Process(site.process.pid).children()


@pytest.mark.parametrize(
    ("only", "says"),
    [
        ("web,workers", "--only must be some of web,streams,worker, got 'web,workers'"),
        ("", "--only must be some of web,streams,worker, got ''"),
        ("web", "set DATABASE_URL and REDIS_URL, or leave --only out"),
    ],
)
def test_roles_that_make_no_sense_are_refused(only: str, says: str) -> None:
    with temporary_folder() as folder:
        environment = site_environment(folder)
        environment.pop("DATABASE_URL", None)
        run = subprocess.run(
            [sys.executable, "manage.py", "serve", "--only", only],
            cwd=settings.BASE_DIR,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert run.returncode == 1
    assert says in run.stderr
    assert run.stdout == ""
