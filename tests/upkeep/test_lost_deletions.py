"""A Redis that lost its last moments has back what was deleted then: hash, ids and log."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import call_command

from lists.models import List
from lists.services import add_to_list, create_list
from redistools import keys
from redistools.client import get_client
from statuses import store as status_store
from statuses.models import Status
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from taskqueue.models import OutboxEntry
from tests.cast import browser_of
from tests.redis_keys import keys_of_the_test
from timelines.selectors import home, list_timeline, profile
from upkeep import checking
from users.models import User
from users.services import delete_account

DAY = 24 * 3600


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


@contextmanager
def forgotten_by_redis() -> Iterator[None]:
    """Only SQL keeps what the block does; Redis forgets it, and the outbox is empty.

    Ids are kept: they are never used twice.
    """
    client: Any = get_client()
    before = {name: client.dump(name) for name in _lasting_keys()}
    lives = {name: max(0, client.pttl(name)) for name in before}
    yield
    OutboxEntry.objects.all().delete()
    for name in _lasting_keys() - before.keys():
        client.delete(name)
    for name, content in before.items():
        client.restore(name, lives[name], content, replace=True)


def _lasting_keys() -> set[str]:
    return {name for name in keys_of_the_test() if ":ids:" not in name}


def texts(statuses: list[Any]) -> list[str]:
    return [status.text for status in statuses]


@pytest.fixture
def reading(alice: User, carol: User) -> List:
    reading = create_list(owner=carol, name="Reading")
    add_to_list(list_=reading, user=alice)
    list_timeline(reading)
    return reading


@pytest.fixture
def undead(alice: User, bob: User, reading: List) -> Status:
    """Deleted in SQL, but back everywhere it can be read."""
    home(alice)
    home(bob)
    profile(alice)
    status = post_status(author=alice, text="oops")
    with forgotten_by_redis():
        delete_status(status=Status.objects.get(), by=alice)
        drain()
    for shown in (home(alice), home(bob), profile(alice), list_timeline(reading)):
        assert texts(shown) == ["oops"]
    return status


def assert_gone(status: Status, reading: List) -> None:
    drain()
    assert_shown_nowhere(status, reading)
    call_command("check_timelines", stdout=io.StringIO())  # ends with 1 if it finds anything


def assert_shown_nowhere(status: Status, reading: List) -> None:
    alice, bob = User.objects.get(username="alice"), User.objects.get(username="bob")
    assert get_client().exists(keys.status(status.pk)) == 0
    for shown in (home(alice), home(bob), profile(alice), list_timeline(reading)):
        assert texts(shown) == []
    assert browser_of(bob).get(f"/@alice/{status.pk}/").status_code == 404


def test_the_check_finds_and_removes_it(undead: Status, reading: List) -> None:
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("check_timelines", stdout=out, stderr=io.StringIO())
    for told in ("profile of @alice: 1 too", "home of @bob: 1 too", "timeline of list Reading"):
        assert told in out.getvalue()
    assert f"{keys.status(undead.pk)} belongs to nothing in SQL" in out.getvalue()
    call_command("check_timelines", "--repair", stdout=io.StringIO())
    assert_gone(undead, reading)


def test_a_rebuild_removes_it(undead: Status, reading: List) -> None:
    call_command("rebuild_timelines", stdout=io.StringIO())
    assert_gone(undead, reading)


def test_its_author_deletes_it_again(undead: Status, reading: List, alice: User) -> None:
    browser = browser_of(alice)
    address = f"/statuses/{undead.pk}/delete/"
    assert "oops" in browser.get(address).content.decode()
    answer = browser.post(address, follow=True)
    assert answer.redirect_chain == [("/@alice/", 302)]
    assert "The post is deleted." in answer.content.decode()
    assert_gone(undead, reading)
    alice.refresh_from_db()
    assert alice.statuses_count == 0
    assert browser.post(address).status_code == 404


def test_nobody_else_deletes_it(undead: Status, bob: User) -> None:
    assert browser_of(bob).post(f"/statuses/{undead.pk}/delete/").status_code == 403
    assert get_client().exists(keys.status(undead.pk)) == 1


def test_a_page_believes_a_hash_for_a_week_or_little_more(undead: Status, reading: List) -> None:
    lives = get_client().ttl(keys.status(undead.pk))
    assert 7 * DAY - 60 <= lives < 8 * DAY
    get_client().delete(keys.status(undead.pk))  # as Redis will then
    assert_shown_nowhere(undead, reading)


def test_a_hash_that_has_run_out_is_made_again_for_another_week(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="hello")
    get_client().persist(keys.status(status.pk))
    get_client().delete(keys.status(status.pk))
    assert texts(home(bob)) == ["hello"]
    assert get_client().ttl(keys.status(status.pk)) > 7 * DAY - 60


def test_hashes_that_were_written_together_do_not_run_out_together(alice: User) -> None:
    ids = [post_status(author=alice, text=f"number {number}").pk for number in range(5)]
    status_store.refresh_statuses(ids)
    assert len({get_client().ttl(keys.status(status_id)) // 2 for status_id in ids}) > 1


def test_an_account_that_came_back_goes_again(alice: User, bob: User) -> None:
    home(bob)
    post_status(author=alice, text="hello")
    with forgotten_by_redis():
        delete_account(user=alice)
        drain()
    with pytest.raises(SystemExit):
        call_command("check_timelines", stdout=io.StringIO(), stderr=io.StringIO())
    call_command("check_timelines", "--repair", stdout=io.StringIO())
    drain()
    assert texts(home(bob)) == []
    assert [name for name in keys_of_the_test() if keys.number(name) == alice.pk] == []
    call_command("check_timelines", stdout=io.StringIO())
