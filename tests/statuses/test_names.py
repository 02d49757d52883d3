"""A new name reaches every status of its owner once, and never holds up other writers."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from redistools import keys
from redistools.client import get_client
from redistools.ids import first_id_at, time_of
from statuses import store, tasks
from statuses.models import Status
from statuses.services import delete_status
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.soundness import wrong_with_statuses
from users import throttling
from users.models import User
from users.services import change_profile

STATUSES = 250


@pytest.fixture
def status_ids(alice: User) -> list[int]:
    first = first_id_at(timezone.now())
    ids = list(range(first, first + STATUSES))
    Status.objects.bulk_create(
        Status(id=each, author=alice, text="hello", created_at=time_of(each)) for each in ids
    )
    User.objects.filter(pk=alice.pk).update(statuses_count=STATUSES)
    store.refresh_statuses(ids)
    return ids


def names(status_ids: list[int]) -> set[str]:
    return {status.name for status in store.read_statuses(status_ids).values()}


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[tuple[Any, ...]]:
    """The arguments of every call from now on."""
    real = getattr(module, name)
    calls: list[tuple[Any, ...]] = []

    def wrapper(*args: Any) -> Any:
        calls.append(args)
        return real(*args)

    monkeypatch.setattr(module, name, wrapper)
    return calls


def test_many_saves_rename_each_status_once_in_small_parts_without_rendering(
    alice: User, status_ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = counted(monkeypatch, store, "name_author")
    rendered = counted(monkeypatch, store, "render")
    for number in range(10):
        change_profile(user=alice, name=f"Alice {number}", bio="")
    assert drain() == 1, "one task for all of them"
    assert names(status_ids) == {"Alice 9"}
    assert [len(ids) for _, ids in parts] == [100, 100, 50]
    assert rendered == []
    assert wrong_with_statuses(status_ids) == []


def test_each_part_is_a_transaction_of_its_own(alice: User, status_ids: list[int]) -> None:
    change_profile(user=alice, name="Al", bio="")
    with CaptureQueriesContext(
        connection,
    ) as queries:
        tasks.name_author.call(alice.pk)
    begun = [query["sql"] for query in queries if query["sql"].startswith("BEGIN")]
    assert len(begun) == 3


def test_a_save_that_changes_no_name_touches_no_status(alice: User, status_ids: list[int]) -> None:
    change_profile(user=alice, name=alice.name, bio="Down the rabbit hole")
    assert drain() == 0
    browser_of(alice).post(
        "/settings/profile/", {"name": alice.name, "bio": "Down the rabbit hole"}
    )
    assert drain() == 0


def test_a_form_that_changes_the_name_changes_it_everywhere(
    alice: User, status_ids: list[int]
) -> None:
    browser_of(alice).post("/settings/profile/", {"name": "Al", "bio": ""})
    drain()
    assert names(status_ids) == {"Al"}


def test_a_save_while_the_names_are_written_has_the_last_word(
    alice: User, status_ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run ends early: the second does everything that is left."""
    real, waiting = store.name_author, ["Second"]

    def name_author(author_id: int, ids: list[int]) -> Any:
        written = real(author_id, ids)
        while waiting:
            change_profile(user=alice, name=waiting.pop(), bio="")
        return written

    monkeypatch.setattr(store, "name_author", name_author)
    parts = counted(monkeypatch, store, "name_author")
    change_profile(user=alice, name="First", bio="")
    assert drain() == 2
    assert names(status_ids) == {"Second"}
    assert len(parts) == 2 + 3


def test_a_new_name_brings_no_status_back(alice: User, status_ids: list[int]) -> None:
    """Neither a deleted one nor a hash that Redis has lost: half a hash is worse than none."""
    delete_status(status=Status.objects.get(pk=status_ids[0]), by=alice)
    get_client().delete(keys.status(status_ids[1]))
    change_profile(user=alice, name="Al", bio="")
    drain()
    assert store.read_statuses(status_ids[:2]) == {}
    assert names(status_ids) == {"Al"}


def test_profiles_are_saved_so_often_an_hour_and_then_ask_for_patience(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(throttling.PACES, "profile", throttling.Pace(2))
    browser = browser_of(alice)
    codes = [
        browser.post("/settings/profile/", {"name": f"Alice {number}", "bio": ""}).status_code
        for number in range(3)
    ]
    assert codes == [302, 302, 429]
    alice.refresh_from_db()
    assert alice.name == "Alice 1"
