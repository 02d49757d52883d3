"""A backup of a site under load, restored into an empty folder."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from django.conf import settings

from tests import postgres
from tests.member import Member
from tests.migrated import copy_database
from tests.running_site import (
    ReturningSite,
    RunningSite,
    site_environment,
    temporary_folder,
    wait_for,
)

MEMBERS = 6
# Each may post 30 times a minute.
PAUSE_SECONDS = 0.25
TEXTS = "from statuses.models import Status; print(*Status.objects.values_list('text', flat=True))"


def manage(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=site_environment(folder),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@contextmanager
def serving(folder: Path) -> Iterator[RunningSite]:
    site = ReturningSite(folder)
    try:
        yield site.running()
    finally:
        site.end()


class Crowd:
    """People who post, each in a thread; remembers what the site accepted."""

    def __init__(self, site: RunningSite) -> None:
        self.members = [Member(site) for _ in range(MEMBERS)]
        self.answered: list[str] = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._post, args=(it,)) for it in self.members]

    def _post(self, member: Member) -> None:
        number = 0
        while not self._stop.wait(PAUSE_SECONDS):
            number += 1
            text = f"{member.name}-{number}"
            if member.post(text).status_code == 302:
                self.answered.append(text)

    @contextmanager
    def posting(self) -> Iterator[None]:
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()
            for member in self.members:
                member.browser.close()


@pytest.mark.long
def test_everything_answered_before_it_began_is_in_a_backup_under_load(
    migrated_database: Path,
) -> None:
    with temporary_folder() as old, temporary_folder() as new, temporary_folder() as backups:
        file = backups / "site.zip"
        copy_database(migrated_database, old)
        with serving(old) as site:
            crowd = Crowd(site)
            with crowd.posting():
                wait_for(lambda: len(crowd.answered) >= 3 * MEMBERS, what="posts")
                before = set(crowd.answered)
                made = site.manage("backup", str(file))
                assert made.returncode == 0, made.stderr
                at_the_end = set(crowd.answered)
                wait_for(lambda: set(crowd.answered) > at_the_end, what="posts after the backup")
            after = set(crowd.answered) - at_the_end
            assert at_the_end > before, "people posted meanwhile"
            refused = site.manage("restore", str(file))
            assert refused.returncode == 1
            assert "already uses the data folder" in refused.stderr

        if postgres.is_wanted():
            postgres.create_database(new.name)
        restored = manage(new, "restore", str(file))
        assert restored.returncode == 0, restored.stderr
        assert restored.stdout.endswith("Redis is rebuilt from SQL\n")
        checked = manage(new, "check_timelines")
        assert (checked.returncode, checked.stderr) == (0, "")
        assert checked.stdout.endswith(": Redis agrees with SQL\n")
        found = set(manage(new, "shell", "-v0", "-c", TEXTS).stdout.split())
        assert before <= found
        assert not found & after, "it is the site of one moment"

        again = manage(new, "restore", str(file))
        assert again.returncode == 1
        assert "has tables already: restore into an empty one" in again.stderr
        assert_serves_those_who_were_logged_in(new, crowd.members[0])


def assert_serves_those_who_were_logged_in(folder: Path, member: Member) -> None:
    with (
        serving(folder) as site,
        httpx.Client(base_url=site.url, cookies=member.browser.cookies, timeout=15) as browser,
    ):
        assert f"{member.name}-" in browser.get("/").text
        assert browser.get("/settings/profile/").status_code == 200
