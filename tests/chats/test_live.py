"""What open pages hear of chats: that something has changed, and not what."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from chats import tasks
from chats.membership import leave
from chats.models import Chat, Message
from chats.selectors import changes, membership_or_404
from chats.services import mark_read, react
from redistools import keys
from redistools.client import get_client
from taskqueue.drain import drain
from tests.chats.talking import group, say
from users.models import User


@pytest.fixture
def chat(alice: User, bob: User, carol: User) -> Chat:
    return group(alice, bob, carol)


@contextmanager
def heard() -> Iterator[list[tuple[int, dict[str, Any]]]]:
    """Who was told what."""
    client: Any = get_client()  # untyped in redis-py
    told: list[tuple[int, dict[str, Any]]] = []
    with client.pubsub(ignore_subscribe_messages=True) as pubsub:
        pubsub.subscribe(keys.personal_channel())
        pubsub.get_message(timeout=5)
        yield told
        drain()
        client.publish(keys.personal_channel(), "null")  # the last one
        while content := json.loads(pubsub.get_message(timeout=5)["data"]):
            if "chat" in content["event"]:
                told += [(user_id, content["event"]["chat"]) for user_id in content["users"]]


def test_all_members_hear_of_a_change_and_nobody_else(
    chat: Chat, alice: User, bob: User, carol: User
) -> None:
    leave(chat=chat, user=bob)
    drain()
    with heard() as told:
        say(chat, alice, "secret")
    event = {"chat": chat.pk, "version": 1}
    assert sorted(told, key=str) == [(alice.pk, event), (carol.pk, event)]
    assert "secret" not in str(told)


def test_many_messages_at_once_are_told_once(chat: Chat, alice: User, carol: User) -> None:
    with heard() as told:
        for _ in range(5):
            message = say(chat, alice)
        react(message=message, by=carol, emoji="🎉")
    assert [event["version"] for who, event in told if who == alice.pk] == [6]


def test_ones_other_devices_hear_what_was_read(chat: Chat, alice: User, carol: User) -> None:
    message = say(chat, alice)
    drain()
    with heard() as told:
        mark_read(chat=chat, user=carol, up_to=message.pk)
    assert [who for who, _ in told] == [carol.pk]


def test_large_groups_are_told_some_at_a_time(
    chat: Chat, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "LINK_SIZE", 1)
    with heard() as told:
        say(chat, alice)
    assert len(told) == 3


def test_a_home_stream_leads_to_everything_that_was_said(
    chat: Chat, alice: User, carol: User
) -> None:
    assert Message.objects.count() == 0
    member = membership_or_404(chat.pk, carol)
    since = member.chat.version
    with heard() as told:
        sent = [say(chat, alice, str(number)).pk for number in range(4)]
    assert {event["version"] for _, event in told} == {4}
    missed = changes(membership_or_404(chat.pk, carol), since=since)
    assert missed is not None
    assert [it.id for it in missed.messages] == sent
