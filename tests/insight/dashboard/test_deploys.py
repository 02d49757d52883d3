"""A mark for each version that begins to run."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import DatabaseError
from django.utils import timezone
from pytest_django import Settings

from insight.dashboard import deploys
from insight.dashboard.deploys import Noting, note
from insight.dashboard.marks import marks_in
from insight.dashboard.ranges import RANGES
from insight.models import Deploy
from tests.races import in_threads

pytestmark = pytest.mark.usefixtures("transactional_db")


def versions() -> list[str]:
    return list(Deploy.objects.order_by("number").values_list("version", flat=True))


def let_pass(time: timedelta) -> None:
    for row in Deploy.objects.all():
        Deploy.objects.filter(pk=row.pk).update(at=row.at - time)


def test_a_version_is_noted_when_it_begins_to_run_and_not_again() -> None:
    assert [note("one"), note("one"), note("two"), note("two")] == [True, False, True, False]
    assert versions() == ["one", "two"]


def test_going_back_is_a_deploy_too() -> None:
    for version in ("one", "two", "one"):
        note(version)
        let_pass(timedelta(hours=1))
    assert versions() == ["one", "two", "one"]


def test_hosts_that_are_updated_one_after_another_are_one_deploy() -> None:
    note("one")
    let_pass(timedelta(days=1))
    for version in ("two", "one", "two"):  # a worker of the second host is restarted between
        note(version)
    assert versions() == ["one", "two"]


def test_processes_that_start_at_once_note_it_once() -> None:
    in_threads(8, lambda: note("one"))
    assert versions() == ["one"]


def test_it_is_noted_once_sql_answers(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.SITE_VERSION = "2026.11"
    deploys.running_version.cache_clear()
    noting = Noting()
    monkeypatch.setattr(deploys, "TRY_AGAIN_SECONDS", 0.0)
    with monkeypatch.context() as away:
        away.setattr(deploys, "note", failing)
        with pytest.raises(DatabaseError):
            noting()
    noting()
    noting()
    assert versions() == ["2026.11"]
    deploys.running_version.cache_clear()


def failing(_version: str) -> bool:
    raise DatabaseError("away")


def test_without_a_name_a_version_is_a_digest_of_the_code(
    tmp_path: Path, settings: Settings
) -> None:
    (tmp_path / "insight").mkdir()
    code = tmp_path / "insight/it.py"
    code.write_text("one = 1\n")
    settings.BASE_DIR = tmp_path
    before = deploys._digest_of_code()
    (tmp_path / "insight/__pycache__").mkdir()
    assert deploys._digest_of_code() == before
    code.write_text("one = 2\n")
    assert deploys._digest_of_code() != before
    assert len(before) == deploys.DIGITS


def test_plots_have_a_mark_for_it() -> None:
    note("two")
    window = RANGES[1].window(int(timezone.now().timestamp()))
    [mark] = marks_in(window)
    assert (mark.kind, mark.words) == ("deploy", "Deploy: version two")
    let_pass(timedelta(hours=3))
    assert marks_in(window) == []
