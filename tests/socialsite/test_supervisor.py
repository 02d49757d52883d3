import sys
from pathlib import Path

import pytest

from socialsite import supervisor
from socialsite.supervisor import Child, Supervisor

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
