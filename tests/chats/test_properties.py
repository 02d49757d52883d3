"""Random lives of a group: what each device shows, and how much is unread, equals an oracle.

People come, go and come back, write, edit, delete, hide, react, read and block each other; web
processes die after the commit, keys get lost, workers lag behind. All sizes are tiny, so that trims
and the seam between Redis and SQL happen all the time. The lists that a device shows are kept as it
keeps them: by catching up from the position that it has reached.
"""

import os
import uuid

import pytest
from django.conf import settings
from hypothesis import HealthCheck
from hypothesis import settings as search
from hypothesis import strategies as some
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from pytest_django import Settings

from chats import membership, selectors, services, store, tasks
from chats.counts import counts_of
from chats.models import Chat, Message, Preferences
from chats.selectors import membership_or_404
from chats.serving_copy import CHATS
from chats.stored import StoredMessage
from redistools import keys
from redistools.client import get_client
from redistools.serving_copy import stores
from relations.blocks_and_mutes.services import block
from relations.models import Block
from taskqueue.drain import drain
from taskqueue.models import OutboxEntry
from tests.cast import make_user
from tests.chats.oracle import Oracle
from tests.chats.talking import group
from tests.chats.test_copies import dying_after_the_commit
from tests.redis_keys import keys_of_the_test
from upkeep import checking
from users.models import User

# `make test-long` takes 150.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "8"))
PEOPLE = 4
COUNTS = "chat_counts"
EMOJI = ("🎉", "👍")

people = some.integers(0, PEOPLE - 1)
numbers = some.integers(0, 30)
Shown = tuple[int, str, bool, tuple[tuple[str, int], ...]]


class Device:
    """Shows what it has loaded, and catches up by its position."""

    def __init__(self, chat: Chat, user: User) -> None:
        self.chat, self.user = chat, user
        self.load()

    def load(self) -> None:
        self.messages = dict[int, StoredMessage]()
        below: int | None = None
        while True:
            member = membership_or_404(self.chat.pk, self.user)
            page = selectors.messages(member, below=below, limit=2)
            self.messages |= {it.id: it for it in page.messages}
            if below is None:
                self.position = page.version
            if page.older is None:
                return
            below = page.older

    def catch_up(self) -> None:
        page = selectors.changes(membership_or_404(self.chat.pk, self.user), since=self.position)
        if page is None:
            self.load()
            return
        self.messages |= {it.id: it for it in page.messages}
        self.position = page.version

    def shown(self) -> list[Shown]:
        return [
            (it.id, it.text, it.is_deleted, _in_order(it))
            for _, it in sorted(self.messages.items())
        ]


def _in_order(message: StoredMessage) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((emoji, who) for emoji, users in message.reactions for who in users))


def wrong_with_chats() -> list[str]:
    found = [it.differences(list(Chat.objects.all())) for it in stores(CHATS)]
    found += [it.differences(list(User.objects.all())) for it in stores() if it.kind == COUNTS]
    return [str(difference) for some in found for difference in some]


class SmallChat(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        settings.REDIS_KEY_PREFIX = f"{uuid.uuid4().hex[:8]}:"
        keys._prefix.cache_clear()
        for table in (OutboxEntry, Chat, Preferences, User):
            table._default_manager.all().delete()
        self.users = [make_user(f"user{n}") for n in range(PEOPLE)]
        self.oracle = Oracle()
        self.chat = group(*self.users)
        self.devices = dict[int, list[Device]]()
        for user in self.users:
            self.oracle.join(user.pk)
            self._see_again(user)

    def _see_again(self, user: User) -> None:
        self.devices[user.pk] = [Device(self.chat, user) for _ in range(2)]

    def _present(self, who: int) -> User | None:
        user = self.users[who]
        return user if self.oracle.is_present(user.pk) else None

    def _message(self, user: User, number: int, *, own: bool = False) -> Message | None:
        """One that they read, and that is not deleted."""
        said = self.oracle.said
        ids = [it for it in self.oracle.ids(user.pk) if not said[it].is_deleted]
        ids = [it for it in ids if not own or said[it].author == user.pk]
        return Message.objects.get(pk=ids[number % len(ids)]) if ids else None

    @rule(who=people, times=some.integers(1, 4), dies=some.booleans())
    def say(self, who: int, times: int, dies: bool) -> None:
        if user := self._present(who):
            for _ in range(times):
                with dying_after_the_commit(dies):
                    sent = services.send(chat=self.chat, author=user, text=f"{who} says")
                self.oracle.say(sent.pk, user.pk, f"{who} says")

    @rule(who=people, number=numbers, dies=some.booleans())
    def edit(self, who: int, number: int, dies: bool) -> None:
        if (user := self._present(who)) and (row := self._message(user, number, own=True)):
            with dying_after_the_commit(dies):
                services.edit_message(message=row, by=user, text=f"{number} edited {row.version}")
            self.oracle.edit(row.pk, f"{number} edited {row.version}")

    @rule(who=people, number=numbers, dies=some.booleans())
    def delete(self, who: int, number: int, dies: bool) -> None:
        if (user := self._present(who)) and (row := self._message(user, number, own=True)):
            with dying_after_the_commit(dies):
                services.delete_message(message=row, by=user)
            self.oracle.delete(row.pk)

    @rule(who=people, number=numbers)
    def hide(self, who: int, number: int) -> None:
        user = self.users[who]
        if row := self._message(user, number):
            services.hide_message(message=row, by=user)
            self.oracle.hidden.add((user.pk, row.pk))
            for device in self.devices[user.pk]:
                device.messages.pop(row.pk, None)

    @rule(who=people, number=numbers, emoji=some.sampled_from(EMOJI), dies=some.booleans())
    def react(self, who: int, number: int, emoji: str, dies: bool) -> None:
        if (user := self._present(who)) and (row := self._message(user, number)):
            reactions = self.oracle.said[row.pk].reactions
            with dying_after_the_commit(dies):
                if (emoji, user.pk) in reactions:
                    services.take_back(message=row, by=user, emoji=emoji)
                    reactions.remove((emoji, user.pk))
                else:
                    services.react(message=row, by=user, emoji=emoji)
                    reactions.append((emoji, user.pk))
            reactions.sort()

    @rule(who=people, number=numbers)
    def read(self, who: int, number: int) -> None:
        user = self.users[who]
        if ids := self.oracle.ids(user.pk):
            up_to = ids[number % len(ids)]
            services.mark_read(chat=self.chat, user=user, up_to=up_to)
            self.oracle.read(user.pk, up_to)

    @rule(who=people)
    def leave(self, who: int) -> None:
        if user := self._present(who):
            membership.leave(chat=self.chat, user=user)
            self.oracle.leave(user.pk)
            self._see_again(user)

    @rule(who=people, by=people)
    def add(self, who: int, by: int) -> None:
        user, adder = self.users[who], self._present(by)
        if adder and not self.oracle.is_present(user.pk) and not self._apart(user, adder):
            membership.add_member(chat=self.chat, user=user, by=adder)
            self.oracle.join(user.pk)
            self._see_again(user)

    def _apart(self, one: User, other: User) -> bool:
        pair = {one.pk, other.pk}
        return any({it.blocker_id, it.blocked_id} == pair for it in Block.objects.all())

    @rule(one=people, other=people)
    def part(self, one: int, other: int) -> None:
        """In a group, a block hides nothing from anybody: pages fold it."""
        if one != other:
            block(blocker=self.users[one], blocked=self.users[other])

    @rule(which=some.sampled_from(["chat:*", "chat_counts:*", "chat*"]))
    def lose(self, which: str) -> None:
        for name in keys_of_the_test(which):
            get_client().unlink(name)

    @rule()
    def let_the_worker_run(self) -> None:
        drain()
        assert wrong_with_chats() == []
        for user in self.users:
            assert counts_of(user.pk).unread == self.oracle.unread(user.pk)

    @rule(who=people, which=some.integers(0, 1))
    def look(self, who: int, which: int) -> None:
        """Whatever Redis knows, and however late the worker is."""
        user = self.users[who]
        device = self.devices[user.pk][which]
        device.catch_up()
        assert device.shown() == self.oracle.shown(user.pk)
        device.load()
        assert device.shown() == self.oracle.shown(user.pk)

    @invariant()
    def the_newest_page_is_right(self) -> None:
        """After each step, so also right after a process died."""
        user = self.users[0]
        page = selectors.messages(membership_or_404(self.chat.pk, user), limit=3)
        found = [(it.id, it.text, it.is_deleted, _in_order(it)) for it in page.messages]
        assert found == self.oracle.shown(user.pk)[-3:]

    def teardown(self) -> None:
        for who in range(PEOPLE):
            self.look(who, 0)
        self.let_the_worker_run()


@pytest.fixture
def tiny_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[tuple[object, str, int]] = [
        (store, "SIZE", 4),
        (store, "SLACK", 2),
        (tasks, "LINK_SIZE", 2),
        (selectors, "MOST_CHANGES", 5),
        (checking, "PATIENCE_SECONDS", 0),
    ]
    for module, name, size in sizes:
        monkeypatch.setattr(module, name, size)


@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("transactional_db", "tiny_sizes")
def test_every_device_always_shows_what_was_said(settings: Settings) -> None:
    settings.PARTITIONS = 3
    run_state_machine_as_test(
        SmallChat,
        settings=search(
            max_examples=EXAMPLES,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
