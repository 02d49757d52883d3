"""What names or answers a user, and whom a user writes to."""

from functools import partial

import pytest

from redistools import keys
from redistools.client import get_client
from redistools.loaded_set import Loaded
from statuses import tasks as status_tasks
from statuses.models import Status
from statuses.services import delete_status, edit_status, post_status
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.redis_keys import keys_of_the_test
from tests.timelines.tagging import assert_sound, at_once, post, said_before, texts, walk, walk_up
from timelines.index import mentions as store
from timelines.selectors import addressees, mentions
from users.models import User
from users.services import change_profile, restore, suspend


def stored(status: Status) -> StoredStatus:
    return find_statuses([status.pk])[status.pk]


def written_to(author: User) -> list[str]:
    return [person.username for person in addressees(author)]


# Mentions


def test_what_names_or_answers_one_is_a_mention(alice: User, bob: User, carol: User) -> None:
    assert mentions(alice) == []
    first = post(alice, "hello @bob, says @alice")
    post(bob, "hello", reply_to=stored(first).id)
    post(carol, "do you know @ALICE?")
    post(carol, "or @bob?")
    assert texts(mentions(alice)) == ["do you know @ALICE?", "hello"]
    assert texts(mentions(bob)) == ["or @bob?", "hello @bob, says @alice"]
    assert_sound()


def test_the_page_shows_them(alice: User, bob: User) -> None:
    browser = browser_of(bob)
    assert "Nobody has mentioned you yet" in browser.get("/mentions/").content.decode()
    post(alice, "hello @bob")
    page = browser.get("/mentions/").content.decode()
    assert 'hello <a class="mention" href="/@bob/">@bob</a>' in page
    assert "Nothing more here" in browser.get("/mentions/?max_id=1").content.decode()
    assert browser.get("/mentions/?max_id=x").status_code == 400


def test_an_edit_and_a_deletion_take_a_mention_back(alice: User, bob: User, carol: User) -> None:
    kept, edited, deleted = (post(alice, f"{n} @bob") for n in range(3))
    assert len(mentions(bob)) == 3
    edit_status(status=edited, by=alice, text="1 @carol")
    drain()
    delete_status(status=deleted, by=alice)
    assert get_client().zscore(keys.mentions(bob.pk), deleted.pk) is None, "at once"
    assert [status.id for status in mentions(bob)] == [kept.pk]
    assert [status.id for status in mentions(carol)] == [edited.pk]
    assert_sound()


def test_what_a_suspended_account_says_is_hidden_until_it_is_back(alice: User, bob: User) -> None:
    post(alice, "hello @bob")
    assert len(mentions(bob)) == 1
    suspend(user=alice)
    assert mentions(bob) == []
    assert_sound()
    restore(user=alice)
    assert len(mentions(bob)) == 1


@pytest.mark.parametrize("limit", [3, 30])
def test_pages_lead_down_into_sql_without_a_seam(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(store, "MENTIONS_SIZE", 10)
    ids = said_before(alice, "@bob", 50)
    read = partial(mentions, bob)
    assert walk(read, limit) == ids[::-1]
    assert walk_up(read, limit) == ids[::-1]
    new = [post(alice, f"@bob {number}").pk for number in range(3)]
    assert walk(read, limit) == [*new[::-1], *ids[::-1]]
    assert_sound()


def test_lost_sets_and_ids_of_nothing_do_no_harm(alice: User, bob: User) -> None:
    post(alice, "hello @bob")
    assert len(mentions(bob)) == 1
    get_client().zadd(keys.mentions(bob.pk), {"4711": 4711})
    assert len(mentions(bob)) == 1
    assert get_client().zscore(keys.mentions(bob.pk), 4711) is None
    get_client().delete(*keys_of_the_test())
    assert len(mentions(bob)) == 1
    assert_sound()


def test_mentions_that_come_while_the_set_is_loaded_are_not_lost(alice: User, bob: User) -> None:
    statuses = [post_status(author=alice, text=f"{number} @bob") for number in range(8)]
    indexing = [partial(status_tasks.follow_up.call, status.pk) for status in statuses]
    at_once(*indexing, *[partial(mentions, bob)] * 4)
    assert len(mentions(bob)) == 8
    assert_sound()


# Addressees


def test_whom_one_writes_to_comes_the_latest_first(alice: User, bob: User, carol: User) -> None:
    assert written_to(alice) == []
    question = post(bob, "any tea?")
    post(alice, "ask @carol")
    assert written_to(alice) == ["carol"]
    post(alice, "yes", reply_to=stored(question).id)
    assert written_to(alice) == ["bob", "carol"]
    post(alice, "right, @carol?")
    assert written_to(alice) == ["carol", "bob"]
    assert written_to(carol) == []
    assert_sound()


def test_a_deletion_or_an_edit_moves_an_addressee_back_or_out(
    alice: User, bob: User, carol: User
) -> None:
    post(alice, "1 @bob")
    edited = post(alice, "2 @carol")
    deleted = post(alice, "3 @bob")
    assert written_to(alice) == ["bob", "carol"]
    delete_status(status=deleted, by=alice)
    assert written_to(alice) == ["carol", "bob"]
    assert_sound()
    edit_status(status=edited, by=alice, text="2 nobody")
    drain()
    assert written_to(alice) == ["bob"]
    assert_sound()


def test_an_edit_of_an_old_status_does_not_outdo_a_newer_one(
    alice: User, bob: User, carol: User
) -> None:
    old = post(alice, "1")
    for text in ("2 @bob", "3 @carol"):
        post(alice, text)
    written_to(alice)
    edit_status(status=old, by=alice, text="1 @bob")
    drain()
    assert written_to(alice) == ["carol", "bob"]
    assert_sound()


def test_only_the_latest_hundred_are_kept(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "ADDRESSEES", 3)
    people = [make_user(f"user{number}") for number in range(6)]
    for person in people[:5]:
        post(alice, f"hello @{person.username}")
    assert written_to(alice) == ["user4", "user3", "user2"]
    assert get_client().zcard(keys.addressees(alice.pk)) == 3, "none says that these are all"
    post(alice, "hello @user5 and @user0")
    assert set(written_to(alice)) == {"user5", "user0", "user4"}
    assert_sound()


def test_a_newer_status_is_not_lost_to_a_load_that_read_an_older_one(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(alice, "1 @bob")
    real, waiting = store.addressees_in_sql, ["2 @bob"]

    def read_and_wait(author_id: int, *, limit: int | None = None) -> Loaded:
        read = real(author_id, limit=limit)
        while waiting:
            post(alice, waiting.pop())
        return read

    monkeypatch.setattr(store, "addressees_in_sql", read_and_wait)
    assert written_to(alice) == ["bob"]
    newest = Status.objects.newest_first()[0].pk
    assert get_client().zscore(keys.addressees(alice.pk), bob.pk) == newest
    assert_sound()


def test_suspended_people_are_left_out(alice: User, bob: User, carol: User) -> None:
    post(alice, "@bob and @carol")
    assert len(written_to(alice)) == 2
    suspend(user=bob)
    assert written_to(alice) == ["carol"]
    assert_sound()
    restore(user=bob)
    assert len(written_to(alice)) == 2


# Names


def test_a_new_name_is_written_into_what_names_its_owner(alice: User, bob: User) -> None:
    statuses = [post(alice, "hello @bob"), post(bob, "I am @bob"), post(alice, "hello bob")]
    change_profile(user=bob, name="Robert", bio="")
    drain()
    named = [[it.account for it in stored(status).found] for status in statuses]
    assert [[account.name for account in some if account] for some in named] == [
        ["Robert"],
        ["Robert"],
        [],
    ]
    assert_sound()


def test_a_name_changed_before_a_status_is_indexed_is_right_in_the_end(
    alice: User, bob: User
) -> None:
    status = post_status(author=alice, text="hello @bob")
    User.objects.filter(pk=bob.pk).update(name="Robert")
    status_tasks.follow_up.call(status.pk)
    (mention,) = stored(status).found
    assert mention.account
    assert mention.account.name == "Robert"
