import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import supervisor
from processes.supervisor import Child, Supervisor
from tests.running_site import wait_for

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


def says(signals: dict[str, str]) -> list[str]:
    """A process that runs code when it gets a signal."""
    lines = ["import signal, sys"]
    lines += [f"signal.signal(signal.{name}, lambda *_: {code})" for name, code in signals.items()]
    lines += ["print('ready', flush=True)", "while True: signal.pause()"]
    return [sys.executable, "-c", "\n".join(lines)]


RELOADS = says({"SIGHUP": "sys.exit('got SIGHUP')"})
STOPS = says({"SIGTERM": "sys.exit('got SIGTERM')"})
NEVER_STOPS = says({"SIGTERM": "None"})

Heard = list[tuple[str, str]]


@pytest.fixture
def heard() -> Heard:
    return []


@pytest.fixture
def watcher(tmp_path: Path, heard: Heard) -> Iterator[Supervisor]:
    """Watches until a child is started again."""

    def say(who: str, line: str) -> None:
        heard.append((who, line))
        if "starting it again" in line:
            raise EnoughSaid

    made = Supervisor(tmp_path, say)
    yield made
    made.kill()
    made.stop()


def reload(watcher: Supervisor, heard: Heard) -> None:
    wait_for(lambda: sum(line == "ready" for _, line in heard) == len(watcher.children))
    watcher.reload()
    with pytest.raises(EnoughSaid):
        watcher.watch()


def test_what_can_reload_is_asked_to(watcher: Supervisor, heard: Heard) -> None:
    watcher.start("web", RELOADS, reloads=True)
    reload(watcher, heard)
    wait_for(lambda: ("web", "got SIGHUP") in heard)


def test_what_can_not_reload_is_started_again_but_no_store(
    watcher: Supervisor, heard: Heard
) -> None:
    store = watcher.start("redis", STOPS, is_store=True)
    watcher.start("worker", STOPS)
    reload(watcher, heard)
    wait_for(lambda: ("worker", "got SIGTERM") in heard)
    assert store.poll() is None


def test_what_does_not_stop_to_be_started_again_is_killed(
    watcher: Supervisor, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "STOP_SECONDS", 0.2)
    watcher.start("worker", NEVER_STOPS)
    reload(watcher, heard)
    assert "worker was killed by SIGKILL" in heard[-1][1]
