"""Exports are made once at a time, in bounded memory, and again if it fails."""

import io
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from redistools.client import get_client
from redistools.lock import lock
from redistools.semaphore import Semaphore
from statuses.models import Status
from statuses.services import post_status
from taskqueue.drain import drain
from tests.users.export.conftest import DOWNLOAD, PAGE, exported
from tests.users.test_races import at_once
from users import throttling
from users.export import archive, making, register, services
from users.models import Export, User
from web.refusals import Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def test_another_one_replaces_the_first(browser: Client) -> None:
    exported(browser)
    first = Export.objects.get()
    exported(browser)
    second = Export.objects.get()
    assert first.file != second.file
    assert making._files() == [second.file]


def test_while_one_is_being_made_no_other_begins(browser: Client) -> None:
    browser.post(PAGE)
    answer = browser.post(PAGE)
    assert answer.status_code == 409
    assert "being made already" in answer.content.decode()
    assert Export.objects.count() == 1


def test_of_many_who_ask_at_once_one_is_answered(alice: User) -> None:
    def ask() -> bool:
        try:
            return bool(services.ask_for_export(user=alice))
        except Refusal:
            return False

    assert at_once([ask] * 8).count(True) == 1
    drain()
    assert len(making._files()) == 1


def test_one_that_was_given_up_can_be_asked_for_again(browser: Client) -> None:
    browser.post(PAGE)
    Export.objects.update(moved_at=timezone.now() - timedelta(hours=2))
    assert "something went wrong" in browser.get(PAGE).content.decode()
    assert browser.post(PAGE).status_code == 302


def test_a_few_a_day_are_enough(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(throttling.PACES, "export", throttling.Pace(3, throttling.DAY))
    for _ in range(3):
        exported(browser)
    assert browser.post(PAGE).status_code == 429
    assert browser.get(DOWNLOAD).status_code == 200


def test_the_task_may_run_twice(alice: User) -> None:
    export = services.ask_for_export(user=alice)
    assert making.make(export.pk) == alice.pk
    assert making.make(export.pk) is None
    assert making.make(10**9) is None
    assert len(making._files()) == 1


def test_two_workers_at_once_make_one_file(alice: User) -> None:
    export = services.ask_for_export(user=alice)

    def make() -> object:
        try:
            return making.make(export.pk)
        except Exception as error:
            return type(error).__name__

    made = at_once([make] * 4)
    assert made.count(alice.pk) == 1
    assert set(made) <= {alice.pk, None, "PutOff"}
    assert making._files() == [Export.objects.get().file]


def test_a_task_waits_for_its_turn(browser: Client, alice: User) -> None:
    places = Semaphore(get_client(), "exports", limit=making.AT_ONCE, lease=600)
    others = [f"other {number}" for number in range(making.AT_ONCE)]
    assert all(places.enter(ticket) for ticket in others)
    browser.post(PAGE)
    drain()
    assert making._files() == []
    places.leave(others[0])
    with lock(get_client(), f"export of {alice.pk}", timeout=600):
        drain(now=timezone.now() + timedelta(minutes=1))
        assert making._files() == []
    drain(now=timezone.now() + timedelta(minutes=5))
    assert len(making._files()) == 1


def test_a_failed_attempt_is_repeated(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object, **_kwargs: object) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(archive, "write", fail)
        browser.post(PAGE)
        drain()
    assert making._files() == []
    drain(now=timezone.now() + timedelta(minutes=1))
    assert browser.get(DOWNLOAD).status_code == 200


def test_memory_does_not_grow_with_the_account(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five thousand posts as well as a thousand: only some of them are in memory at a time."""

    def peak(rows: int) -> int:
        def many(_user: User) -> Iterator[register.Row]:
            return ({"number": number, "text": "x" * 1_000} for number in range(rows))

        parts = [register.Part("many", "Many", many)]
        monkeypatch.setattr(archive, "parts", lambda: parts)
        with io.BytesIO() as file:
            tracemalloc.start()
            archive.write(file, alice, part_done=lambda _n: None, alive=lambda: None)
            highest = tracemalloc.get_traced_memory()[1] - len(file.getvalue())
            tracemalloc.stop()
        return highest

    peak(10)
    assert peak(5_000) < peak(1_000) + 2_000_000


def test_rows_are_read_some_at_a_time(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(register, "AT_ONCE", 2)
    texts = [f"number {number}" for number in range(7)]
    for text in texts:
        post_status(author=alice, text=text)
        post_status(author=carol, text="of another")
    walked = register.walk(Status.objects.filter(author=alice))
    assert [status.text for status in walked] == texts
