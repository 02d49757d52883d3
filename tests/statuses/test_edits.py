"""Editing a status: everybody sees what it says now, and can see what it said before."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from statuses import services, store
from statuses.models import Status, StatusVersion
from statuses.reactions.services import boost, like
from statuses.reading.history import MOST_VERSIONS, history_of
from statuses.selectors import show
from statuses.services import delete_status, edit_status, post_status
from statuses.tasks import publish, publish_edit
from taskqueue.drain import drain
from tests.races import in_threads
from tests.redis_keys import contents_of, keys_of_the_test
from tests.soundness import wrong_with_statuses, wrong_with_users
from tests.statuses.edits import OLD, made, shown
from timelines.selectors import home, profile
from users.models import User
from web.refusals import Refusal


@pytest.fixture
def status(alice: User) -> Status:
    return post_status(author=alice, text="first", warning="careful")


def texts(status: Status) -> list[str]:
    return [version.status.text for version in history_of(status.pk)]


def assert_sound(status: Status) -> None:
    drain()
    assert wrong_with_users(list(User.objects.all())) == []
    assert wrong_with_statuses([status.pk]) == []


@contextmanager
def dying_after_the_commit() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "on_commit", lambda *_args, **_kwargs: None)
        yield


def test_an_edit_changes_text_and_warning_everywhere(
    status: Status, alice: User, bob: User
) -> None:
    home(bob)
    assert edit_status(status=status, by=alice, text=" second @bob\r\n", warning=" hush ") is True
    row = Status.objects.get()
    assert (row.text, row.warning) == ("second @bob", "hush")
    assert shown(status) == ("second @bob", "hush")
    for timeline in (home(bob), home(alice), profile(alice)):
        (entry,) = timeline
        assert entry.status.html == 'second <a class="mention" href="/@bob/">@bob</a>'
        assert entry.status.edited_at
    assert row.edited_at
    assert abs(row.edited_at - timezone.now()) < timedelta(seconds=10)
    assert texts(status) == ["second @bob", "first"]
    assert_sound(status)


def test_an_edit_leaves_nothing_of_the_old_text_in_redis(status: Status, alice: User) -> None:
    def held() -> str:
        return str(contents_of(keys_of_the_test()))

    assert "first" in held()
    assert "careful" in held()
    edit_status(status=status, by=alice, text="second")
    drain()
    assert "second" in held()
    assert "first" not in held()
    assert "careful" not in held()
    assert shown(status) == ("second", "")
    assert "warning" not in get_client().hgetall(keys.status(status.pk))
    assert_sound(status)


def test_an_edit_that_changes_nothing_is_none(status: Status, alice: User) -> None:
    assert edit_status(status=status, by=alice, text="first\r\n", warning=" careful") is False
    assert Status.objects.get().edited_at is None
    assert not StatusVersion.objects.exists()


def test_every_version_has_its_time_the_newest_first(status: Status, alice: User) -> None:
    for text in ("second", "third"):
        edit_status(status=status, by=alice, text=text)
    versions = history_of(status.pk)
    row = Status.objects.get()
    assert [version.status.text for version in versions] == ["third", "second", "first"]
    assert [version.status.warning for version in versions] == ["", "", "careful"]
    times = [version.written_at for version in versions]
    assert times == sorted(times, reverse=True)
    assert (times[0], times[-1]) == (row.edited_at, row.created_at)


def test_edits_in_one_moment_are_told_apart(
    status: Status, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streams know a version by its millisecond."""
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    moments = []
    for number in range(50):
        edit_status(status=status, by=alice, text=f"{number}")
        moments.append(store.read_statuses([status.pk])[status.pk].edited_ms)
    assert moments == list(range(moments[0], moments[0] + 50))


def test_counts_and_place_stay(status: Status, alice: User, bob: User, carol: User) -> None:
    post_status(author=alice, text="later")
    (before,) = show([status.pk], viewer=None).statuses
    like(user=carol, status=before.status)
    boost(user=carol, status=before.status)
    edit_status(status=status, by=alice, text="second")
    assert [entry.text for entry in home(bob)] == ["later", "second"]
    (after,) = show([status.pk], viewer=carol).statuses
    assert (after.counts.likes, after.counts.boosts) == (1, 1)
    assert after.marks.liked
    assert after.marks.boosted
    assert [entry.text for entry in profile(carol)] == ["second"], "a boost shows what is said now"
    assert_sound(status)


def test_a_stranger_a_moderator_and_a_booster_can_not_edit(
    status: Status, alice: User, carol: User
) -> None:
    boost(user=carol, status=store.read_statuses([status.pk])[status.pk])
    User.objects.filter(pk=carol.pk).update(is_superuser=True)
    moderator = User.objects.get(pk=carol.pk)
    passed_on = Status.objects.get(author=carol)
    for refused in (status, passed_on):
        with pytest.raises(Refusal, match="Only its author"):
            edit_status(status=refused, by=moderator, text="mine now")
    assert shown(status) == ("first", "careful")
    assert not StatusVersion.objects.exists()


def test_a_status_can_be_edited_for_a_while(alice: User, settings: Settings) -> None:
    with pytest.raises(Refusal, match="for 60 minutes; this one is older"):
        edit_status(status=made(OLD, alice), by=alice, text="too late")
    young = made(timedelta(minutes=59), alice)
    assert edit_status(status=young, by=alice, text="just in time")
    settings.EDIT_MINUTES = 0
    with pytest.raises(Refusal, match="can't be edited on this site"):
        edit_status(status=young, by=alice, text="never")
    assert set(Status.objects.values_list("text", flat=True)) == {"old", "just in time"}


def test_a_deleted_status_is_not_edited(status: Status, alice: User) -> None:
    delete_status(status=status, by=alice)
    with pytest.raises(Refusal, match="has been deleted"):
        edit_status(status=status, by=alice, text="second")
    assert show([status.pk], viewer=None).statuses == []


def test_versions_go_with_their_status(status: Status, alice: User) -> None:
    edit_status(status=status, by=alice, text="second")
    delete_status(status=status, by=alice)
    drain()
    assert not StatusVersion.objects.exists()
    assert history_of(status.pk) == []
    assert_sound(status)


def test_there_is_an_end_to_editing(
    status: Status, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_VERSIONS", 3)
    for number in range(3):
        edit_status(status=status, by=alice, text=f"{number}")
    with pytest.raises(Refusal, match="can be edited 3 times"):
        edit_status(status=status, by=alice, text="once more")
    assert shown(status)[0] == "2"
    assert MOST_VERSIONS == 100


def test_edits_at_once_are_all_kept_and_the_last_one_shows(status: Status, alice: User) -> None:
    waiting = [f"version {number}" for number in range(12)]

    def edit_one() -> None:
        try:
            edit_status(status=status, by=alice, text=waiting.pop())
        finally:
            connection.close()

    in_threads(12, edit_one)
    row = Status.objects.get()
    assert shown(status)[0] == row.text == texts(status)[0]
    assert sorted(texts(status)) == sorted([*(f"version {n}" for n in range(12)), "first"])
    assert_sound(status)


def test_what_a_dead_process_left_is_done_by_the_worker(status: Status, alice: User) -> None:
    with dying_after_the_commit():
        edit_status(status=status, by=alice, text="second")
    assert shown(status)[0] == "first"
    drain(now=datetime.now(UTC) + timedelta(minutes=1))
    assert shown(status) == ("second", "")
    assert_sound(status)


def test_an_edit_while_the_post_is_served_is_not_undone(
    status: Status, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its publication has read the old text, and writes it after the edit."""
    real, waiting = store.write_statuses, [partial(edit_status, by=alice, text="second")]

    def write_late(*args: object) -> object:
        while waiting:
            waiting.pop()(status=status)
        return real(*args)  # type: ignore[arg-type] # handed on as they came

    monkeypatch.setattr(store, "write_statuses", write_late)
    publish.call(status.pk, alice.pk)
    assert shown(status) == ("second", "")
    assert_sound(status)


def test_a_deletion_while_an_edit_is_served_wins(
    status: Status, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, waiting = store.write_statuses, [partial(delete_status, status=status, by=alice)]

    def write_late(*args: object) -> object:
        while waiting:
            waiting.pop()()
        return real(*args)  # type: ignore[arg-type] # handed on as they came

    monkeypatch.setattr(store, "write_statuses", write_late)
    edit_status(status=status, by=alice, text="second")
    assert store.read_statuses([status.pk]) == {}
    assert profile(alice) == []
    drain()
    assert "second" not in str(contents_of(keys_of_the_test()))


def test_an_edit_that_is_published_again_changes_nothing(status: Status, alice: User) -> None:
    edit_status(status=status, by=alice, text="second")
    before = get_client().xlen(keys.event_log())
    for _ in range(2):
        publish_edit.call(status.pk, alice.pk)
    drain()
    assert get_client().xlen(keys.event_log()) == before
    assert shown(status) == ("second", "")
