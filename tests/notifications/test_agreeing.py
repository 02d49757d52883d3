"""Whether a recipient hears of something is the same for its row, its live update and its page."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from notifications import selectors
from notifications.services import mark_read
from redistools import keys
from redistools.client import get_client
from relations.blocks_and_mutes.services import block, mute, mute_thread, mute_word
from relations.services import follow
from statuses.models import Status
from statuses.reactions.services import boost, like
from statuses.services import edit_status
from statuses.stored import StoredStatus
from streaming.asked.listener import Listener
from streaming.server.seats import take_seat
from taskqueue.drain import drain
from tests.cast import make_user
from tests.notifications.reading import say
from users.audience import Visibility
from users.models import User
from users.services import change_privacy, suspend


class Scene(NamedTuple):
    """Alice is told what carol does."""

    alice: User
    carol: User
    root: StoredStatus
    """By alice."""

    passed_on: StoredStatus
    """By carol, boosted by alice."""


@pytest.fixture
def scene(alice: User, carol: User) -> Scene:
    passed_on = say(carol, "about teapots")
    boost(user=alice, status=passed_on)
    scene = Scene(alice, carol, say(alice, "root, about teapots"), passed_on)
    # So that a like is news about somebody who is known, too.
    like(user=make_user("dave"), status=scene.root)
    drain()
    mark_read(user=alice)
    return scene


def _edit(scene: Scene) -> None:
    row = Status.objects.get(pk=scene.passed_on.id)
    edit_status(status=row, by=scene.carol, text="about teapots, edited")


EVENTS: dict[str, Callable[[Scene], object]] = {
    "mention": lambda it: say(it.carol, "@alice teapot"),
    "reply": lambda it: say(it.carol, "teapot", reply_to=it.root.id),
    "boost": lambda it: boost(user=it.carol, status=it.root),
    "like": lambda it: like(user=it.carol, status=it.root),
    "follow": lambda it: follow(follower=it.carol, followee=it.alice),
    "edit": _edit,
}
WISHES: dict[str, Callable[[Scene], object]] = {
    "nothing": lambda _: None,
    "mute": lambda it: mute(user=it.alice, muted=it.carol),
    "block": lambda it: block(blocker=it.carol, blocked=it.alice),
    "suspend": lambda it: suspend(user=it.carol),
    "mute the thread": lambda it: mute_thread(user=it.alice, thread=it.root.id),
    "mute a word": lambda it: mute_word(user=it.alice, phrase="teapot"),
    "fold a word": lambda it: mute_word(user=it.alice, phrase="teapot", action="fold"),
    "mute words of her own": lambda it: mute_word(user=it.alice, phrase="root"),
    "hide it": lambda it: change_privacy(
        user=it.carol, is_private=True, default_visibility=Visibility.PUBLIC
    ),
}


@contextmanager
def pushed(user: User) -> Iterator[list[str]]:
    """The HTML that the open pages of a user get."""
    client: Any = get_client()  # untyped in redis-py
    html: list[str] = []
    take_seat(Listener(user.pk), "an open page")
    with client.pubsub(ignore_subscribe_messages=True) as heard:
        heard.subscribe(keys.personal_channel())
        heard.get_message(timeout=5)
        yield html
        client.publish(keys.personal_channel(), "null")  # the last one
        while content := json.loads(heard.get_message(timeout=5)["data"]):
            if content["users"] == [user.pk]:
                html += content["event"]["notification"]["html"].values()


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("kind", EVENTS)
def test_row_live_update_and_page_agree(scene: Scene, kind: str, wish: str) -> None:
    """Either all tell of carol, or none does."""
    EVENTS[kind](scene)
    WISHES[wish](scene)
    with pushed(scene.alice) as html:
        drain()
    alice = User.objects.get(pk=scene.alice.pk)
    page = selectors.everything(alice).notifications
    on_page = any(it.stored.kind == kind and scene.carol.pk in _names(it) for it in page)
    assert on_page or wish != "nothing"
    assert on_page == any("/@carol/" in it for it in html) == (alice.unread_notifications == 1)


def _names(shown: selectors.ShownNotification) -> set[int]:
    return {it.id for it in shown.people}
