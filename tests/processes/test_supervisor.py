import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings as site

from processes import supervisor
from processes.supervisor import Child, Supervisor

ENDS_AT_ONCE = [sys.executable, "-c", ""]


class EnoughSaid(Exception):  # noqa: N818 - it is no error
    pass


def watched_until(folder: Path, what: str) -> list[str]:
    """What the supervisor says about a child that ends at once, up to a line with these words."""
    lines: list[str] = []

    def say(_who: str, line: str) -> None:
        lines.append(line)
        if what in line:
            raise EnoughSaid

    watcher = Supervisor(folder, say)
    watcher.start("child", ENDS_AT_ONCE)
    with pytest.raises(EnoughSaid):
        watcher.watch()
    watcher.stop()
    return lines


def test_a_child_that_keeps_dying_at_once_is_started_after_growing_pauses(tmp_path: Path) -> None:
    lines = watched_until(tmp_path, "in 2 s")
    assert [line.partition("again")[2] for line in lines] == [" in 0.5 s", " in 1 s", " in 2 s"]


def test_a_child_that_had_lived_for_a_while_is_started_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "HEALTHY_SECONDS", 0.0)
    assert watched_until(tmp_path, "again") == ["child stopped with exit code 0; starting it again"]


def test_five_quick_deaths_are_forgotten_once_it_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child("child", ENDS_AT_ONCE, quick_deaths=5)
    assert child.delay() == 8
    child.quick_deaths = 0
    assert child.delay() == 0


LIVES = [sys.executable, "-c", "import time; time.sleep(60)"]
REPORTS = [
    sys.executable,
    "-c",
    "import time; from processes.readiness import report; report(); time.sleep(60)",
]
FAILS = [sys.executable, "-c", "raise SystemExit(1)"]


class Renewing(Supervisor):
    """Watches until the renewal is over."""

    def renewed(self, prepare: list[str]) -> list[str]:
        lines: list[str] = []

        def say(_who: str, line: str) -> None:
            lines.append(line)

        self.say = say
        self.renew(prepare)
        while self._renewal is not None:
            for child in self.children:
                self._look_after(child)
            self._renew_on()
        return lines


@pytest.fixture
def renewing() -> Iterator[Renewing]:
    made = Renewing(Path(site.BASE_DIR))
    yield made
    made.stop()


def test_a_successor_that_reports_takes_over(renewing: Renewing) -> None:
    old = renewing.start("web", REPORTS, reporting=1)
    store = renewing.start("redis", LIVES, is_store=True)
    assert renewing.renewed(ENDS_AT_ONCE)[-1] == "replaced all processes"
    assert old.poll() is not None
    assert store.poll() is None
    redis, web = renewing.children
    assert (redis.name, web.name, web.is_kept_alive) == ("redis", "web", True)
    assert web.process is not None
    assert web.process.poll() is None


def test_a_successor_that_lives_for_a_while_takes_over_if_it_has_nothing_to_report(
    renewing: Renewing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "HEALTHY_SECONDS", 0.2)
    old = renewing.start("worker", LIVES)
    assert renewing.renewed(ENDS_AT_ONCE)[-1] == "replaced all processes"
    assert old.poll() is not None


def test_the_old_process_stays_if_its_successor_dies(renewing: Renewing) -> None:
    old = renewing.start("web", LIVES, reporting=1)
    renewing.children[0].command = FAILS
    assert renewing.renewed(ENDS_AT_ONCE)[-1] == "the new web did not start: the old one stays"
    assert old.poll() is None
    assert [child.process for child in renewing.children] == [old]
    assert renewing.children[0].is_kept_alive


def test_the_old_process_stays_if_its_successor_never_reports(
    renewing: Renewing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "SUCCESSOR_SECONDS", 0.2)
    old = renewing.start("web", LIVES, reporting=1)
    assert renewing.renewed(ENDS_AT_ONCE)[-1] == "the new web did not start: the old one stays"
    assert [child.process for child in renewing.children] == [old]


def test_nothing_is_replaced_if_the_preparation_fails(renewing: Renewing) -> None:
    old = renewing.start("web", REPORTS, reporting=1)
    assert renewing.renewed(FAILS)[-1] == "the preparation failed: the old processes stay"
    assert [child.process for child in renewing.children] == [old]


def test_a_stop_in_the_middle_ends_old_and_new_alike(renewing: Renewing) -> None:
    renewing.start("web", LIVES, reporting=1)
    renewing.renew(ENDS_AT_ONCE)
    while [child.name for child in renewing.children] != ["web", "web"]:
        renewing._renew_on()
    processes = [child.process for child in renewing.children]
    renewing.stop()
    assert all(process and process.poll() is not None for process in processes)
