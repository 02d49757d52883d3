"""A whole site behind PgBouncer: no statement relies on what the one before left in a session."""

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests import postgres
from tests.member import Member
from tests.pgbouncer import SERVER_CONNECTIONS, running_pgbouncer, url_of
from tests.running_site import RunningSite, wait_for

MEMBERS, POSTS = 3 * SERVER_CONNECTIONS, 10

pytestmark = [pytest.mark.long, postgres.needed, pytest.mark.timeout(400)]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[RunningSite]:
    with tempfile.TemporaryDirectory(prefix="pgbouncer-") as name:
        folder = Path(name)
        with running_pgbouncer(folder):
            postgres.create_database(tmp_path.name)
            site = RunningSite(tmp_path, DATABASE_URL=url_of(folder, tmp_path.name))
            site.wait_until_ready()
            yield site
            assert site.stop() == 0


def test_a_site_migrates_serves_and_checks_itself(site: RunningSite) -> None:
    def live(_number: int) -> Member:
        member = Member(site)
        for number in range(POSTS):
            assert member.post(f"post {number}").status_code == 302
        return member

    with ThreadPoolExecutor(MEMBERS) as together:
        members = list(together.map(live, range(MEMBERS)))
    for member in members:
        with closing(member.browser):
            wait_for(partial(member.sees, f"post {POSTS - 1}"))
    checked = site.manage("check_timelines")
    assert checked.stdout.endswith(": Redis agrees with SQL\n"), checked.stderr
    assert "rror" not in site.output
