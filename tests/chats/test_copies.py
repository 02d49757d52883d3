"""What Redis holds of chats: lost, wrong, late, sealed; and never believed when it is old."""

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from django.core.management import call_command
from django.db import transaction

from chats import counts, store, tasks
from chats.models import Chat, Member
from chats.services import edit_message, mark_read, react
from chats.starting import chat_with
from chats.stored import seal
from redistools import keys
from redistools.client import get_binary_client, get_client
from redistools.scripts import Batch
from taskqueue.drain import drain
from tests.chats.talking import group, pair, say, shown, texts, unread
from tests.redis_keys import keys_of_the_test
from tests.round_trips import counting_round_trips
from upkeep import checking
from users.models import User


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


@pytest.fixture
def chat(alice: User, carol: User) -> Chat:
    return pair(alice, carol)


def check(*options: str) -> list[str]:
    out = io.StringIO()
    with suppress(SystemExit):
        call_command("check_timelines", *options, stdout=out, stderr=io.StringIO())
    return [line for line in out.getvalue().splitlines() if "agrees" not in line]


@contextmanager
def dying_after_the_commit(dies: bool = True) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if dies:
            patch.setattr(transaction, "on_commit", lambda *_args, **_kwargs: None)
        yield


def held(chat: Chat) -> dict[str, str]:
    batch = Batch(get_client())
    batch.add("HGETALL", keys.chat(chat.pk))
    fields: dict[str, str] = batch.run()[0]
    return fields


def test_redis_holds_no_word_in_clear(chat: Chat, alice: User, carol: User) -> None:
    texts(chat, carol)
    say(chat, alice, "rosebud")
    react(message=say(chat, alice, "xanadu"), by=carol, emoji="🎉")
    drain()
    assert len(held(chat)) == 4
    for name in keys_of_the_test():
        dump = get_binary_client().dump(name) or b""
        assert b"rosebud" not in dump
        assert b"xanadu" not in dump


def test_a_message_moved_to_another_chat_is_not_read(chat: Chat, alice: User, bob: User) -> None:
    other = chat_with(user=alice, other=bob)
    say(chat, alice, "for carol")
    texts(chat, alice)
    texts(other, bob)
    message_id, sealed = next((k, v) for k, v in held(chat).items() if k.isdecimal())
    get_client().hset(keys.chat(other.pk), message_id, sealed)
    assert texts(other, bob) == []


def test_what_is_lost_is_read_from_sql_and_put_back(chat: Chat, alice: User, carol: User) -> None:
    say(chat, alice)
    before = shown(chat, carol)
    get_client().delete(*keys_of_the_test("chat*"))
    assert shown(chat, carol) == before
    assert held(chat)
    assert unread(carol) == 1


def test_an_open_chat_is_read_in_one_round_trip(chat: Chat, alice: User, carol: User) -> None:
    texts(chat, carol)
    for _ in range(3):
        say(chat, alice)
    drain()
    with counting_round_trips() as trips:
        assert len(texts(chat, carol)) == 3
    assert len(trips) == 1


def test_a_log_that_misses_a_change_is_not_believed(chat: Chat, alice: User, carol: User) -> None:
    texts(chat, carol)
    with dying_after_the_commit():
        say(chat, alice, "one")
    assert texts(chat, carol) == ["one"]
    with dying_after_the_commit():
        say(chat, alice, "two")
    say(chat, alice, "three")
    assert texts(chat, carol) == ["one", "two", "three"]
    drain()
    assert texts(chat, carol) == ["one", "two", "three"]
    assert check() == []


def test_late_and_repeated_work_changes_nothing(chat: Chat, alice: User, carol: User) -> None:
    texts(chat, carol)
    message = say(chat, alice, "helo")
    edit_message(message=message, by=alice, text="hello")
    before = held(chat)
    batch = Batch(get_client())
    old = store.in_sql(chat.pk)
    assert old is not None
    store.put(batch, chat.pk, old.messages[0]._replace(version=1, text="helo"), is_new=True)
    batch.run()
    assert held(chat) == before
    for _ in range(2):
        tasks.publish.call(chat.pk, message.pk)
        tasks.tell.call(chat.pk, 0)
    assert texts(chat, carol) == ["hello"]


def test_a_load_that_is_late_does_not_win(chat: Chat, alice: User, carol: User) -> None:
    texts(chat, carol)
    say(chat, alice)
    name, sealed = keys.chat(chat.pk), seal(chat.pk, shown(chat, carol)[0])
    before = held(chat)
    assert not store._load(get_client(), [name], [0, 1, 60, 1, sealed])
    assert held(chat) == before


def test_a_message_whose_publication_died_comes_into_the_log_again(
    chat: Chat, alice: User, carol: User
) -> None:
    texts(chat, carol)
    with dying_after_the_commit():
        message = say(chat, alice)
    drain()
    assert str(message.pk) in held(chat)
    assert check() == []


def test_the_log_keeps_the_newest(
    chat: Chat, alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "SIZE", 3)
    monkeypatch.setattr(store, "SLACK", 2)
    texts(chat, carol)
    said = [say(chat, alice, str(number)) for number in range(10)]
    ids = sorted(int(it) for it in held(chat) if it.isdecimal())
    assert ids == [it.pk for it in said][-len(ids) :]
    assert 3 <= len(ids) <= 5
    edit_message(message=said[0], by=alice, text="first")
    assert str(said[0].pk) not in held(chat)
    assert texts(chat, carol) == ["first", *map(str, range(1, 10))]
    assert check() == []


def test_wrong_copies_are_found_and_repaired(chat: Chat, alice: User, carol: User) -> None:
    say(chat, alice)
    say(chat, alice)
    texts(chat, carol)
    unread(carol)
    lowest = min(it for it in held(chat) if it.isdecimal())
    get_client().hdel(keys.chat(chat.pk), lowest)
    get_client().set(keys.chat_counts(carol.pk), counts.written(counts.Counts(7, 1)))
    assert len(check()) == 2
    check("--repair")
    assert check() == []
    assert (len(texts(chat, carol)), unread(carol)) == (2, 2)


def test_a_count_that_began_before_a_change_is_not_kept(
    chat: Chat, alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = counts.in_sql

    def interrupted(user_id: int) -> counts.Counts:
        counted = right(user_id)
        monkeypatch.setattr(counts, "in_sql", right)
        say(chat, alice)
        drain()
        return counted

    monkeypatch.setattr(counts, "in_sql", interrupted)
    assert counts.counts_of(carol.pk).unread == 0
    assert counts.counts_of(carol.pk).unread == 1


def test_a_count_is_kept_until_something_changes(chat: Chat, alice: User, carol: User) -> None:
    message = say(chat, alice)
    assert unread(carol) == 1
    with counting_round_trips() as trips:
        assert counts.counts_of(carol.pk) == (1, 0)
    assert len(trips) == 1
    mark_read(chat=chat, user=carol, up_to=message.pk)
    assert counts.counts_of(carol.pk) == (0, 0)


def test_members_are_told_some_at_a_time(
    alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = group(alice, bob, carol)
    assert [unread(it) for it in (alice, bob, carol)] == [0, 0, 0]
    monkeypatch.setattr(tasks, "LINK_SIZE", 1)
    say(chat, alice)
    assert [unread(it) for it in (alice, bob, carol)] == [0, 1, 1]


def test_an_idle_chat_leaves_redis(chat: Chat, alice: User, carol: User) -> None:
    say(chat, alice)
    texts(chat, carol)
    assert 0 < get_client().ttl(keys.chat(chat.pk)) <= store.LIFETIME
    assert Member.objects.count() == 2
