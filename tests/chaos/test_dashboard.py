"""A busy site, then its dashboard: what it shows is what the load did, exactly."""

import csv
import io
import threading
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.chaos.load import Load
from tests.member import Member
from tests.running_site import RunningSite, wait_for

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

ENOUGH = 400
# So often in a row the same is counted: for longer than a process holds what it has measured.
QUIET = 100
COUNTED = """
import time
from insight import selectors
now = int(time.time())
wanted = [("requests", f"{it}xx") for it in "12345"]
samples = selectors.several(wanted, "1 s", now - 500, now + 1)
print(sum(it.value for found in samples for it in found))
"""


class Listening:
    """Counts every answer that these clients get."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.answers = self.posts = 0

    def to(self, member: Member) -> None:
        member.browser.event_hooks["response"].append(self._count)

    def _count(self, answer: httpx.Response) -> None:
        asked = answer.request
        is_post = (asked.method, asked.url.path) == ("POST", "/statuses/")
        with self._lock:
            self.answers += 1
            self.posts += is_post and answer.status_code == 302


class Dashboard:
    def __init__(self, boss: Member) -> None:
        self._boss = boss

    def sums(self, key: str) -> dict[str, int]:
        answer = self._boss.browser.get(f"/admin/insight/{key}.csv?range=hour")
        assert answer.status_code == 200, answer.text
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        return {
            name: sum(int(row[name] or 0) for row in rows)
            for name in rows[0]
            if not name.startswith("Time")
        }


def test_the_dashboard_adds_up_to_what_the_load_did(tmp_path: Path) -> None:
    site = RunningSite(tmp_path, SIGNUPS_PER_HOUR="1000")
    try:
        site.wait_until_ready()
        load, heard = Load(site.url), Listening()
        boss = Member(site)
        made = site.manage("role", boss.name, "administrator")
        assert made.returncode == 0, made.stderr
        dashboard = Dashboard(boss)
        before = _settled(site)
        for member in [*load.members, load.bystander, boss]:
            heard.to(member)
        with load, closing(boss.browser):
            wait_for(lambda: heard.answers >= ENOUGH, seconds=60, what="a lively site")
            load.end()
            wait_for(lambda: _counted(site) == before + heard.answers, what="all that was sent")
            expected = before + heard.answers
            assert dashboard.sums("requests")["Requests"] == expected
            posts = dashboard.sums("posts")
            assert posts["Posts"] == heard.posts > 10
            assert dashboard.sums("sign_ups")["Sign-ups"] == len(load.members) + 2
            assert dashboard.sums("errors") == dict.fromkeys(dashboard.sums("errors"), 0)
    finally:
        site.stop()


def _counted(site: RunningSite) -> int:
    return int(site.run(COUNTED))


def _settled(site: RunningSite) -> int:
    """How many requests there were, once all processes have sent what they had."""
    seen = [_counted(site) for _ in range(QUIET)]

    def is_quiet() -> bool:
        seen.append(_counted(site))
        return len(set(seen[-QUIET:])) == 1

    wait_for(is_quiet, what="a quiet site")
    return seen[-1]
