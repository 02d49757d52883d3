"""A mail that was sent is not sent again, however often Redis dies; and none is left out."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import make_password
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone
from django_tasks.base import Task

from redistools import keys
from redistools.client import get_client
from redistools.sealing import seal
from taskqueue import outbox, start
from taskqueue.drain import drain
from taskqueue.models import DoneOnce, OutboxEntry
from taskqueue.once import NOTES_KEPT, once
from tests.cast import make_user
from users import tasks
from users.models import EmailChange, Export, User

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice(db: None) -> User:
    alice = make_user("alice", email_confirmed_at=timezone.now(), leaving_at=timezone.now())
    User.objects.update(password=make_password("eight blue bottles"))
    EmailChange.objects.create(user=alice, email="new@example.com", asked_at=timezone.now())
    Export.objects.create(user=alice, file="alice.zip")
    return alice


def notice_to(user: User) -> str:
    told = {"agent": "Firefox", "address": "192.0.2.7", "at": timezone.now().isoformat()}
    return seal(json.dumps(told).encode(), owner=f"log-in notice {user.pk}")


# What each mail task is called with, and how many mails it sends.
Arguments = Callable[[User], list[object]]
CALLS: dict[str, tuple[Arguments, int]] = {
    "mail_password_resets": (lambda user: [[user.pk]], 1),
    "mail_confirmation": (lambda user: [user.pk], 1),
    "mail_email_change": (lambda user: [user.pk], 2),
    "mail_login_notice": (lambda user: [user.pk, notice_to(user)], 1),
    "mail_recovery_notice": (lambda user: [user.pk], 1),
    "mail_good_bye": (lambda user: [user.pk], 1),
    "mail_export_ready": (lambda user: [user.pk], 1),
}


def lose_everything() -> None:
    assert outbox.waiting() == 0
    names = get_client().scan_iter(keys.queue("default", "*"))
    get_client().delete(keys.outbox_done(), *names)


def test_every_mail_is_looked_at() -> None:
    names = {name for name in vars(tasks) if isinstance(getattr(tasks, name), Task)}
    assert {name for name in names if name.startswith("mail_")} == CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_a_repeat_sends_no_mail_again(alice: User, name: str) -> None:
    if name == "mail_confirmation":
        User.objects.update(email_confirmed_at=None)
    arguments, expected = CALLS[name]
    start.on_commit(getattr(tasks, name), *arguments(alice))
    assert drain() == 1
    assert len(mail.outbox) == expected
    for _ in range(2):
        lose_everything()
        assert drain() == 1, "it ran again"
    assert len(mail.outbox) == expected


def test_the_link_that_was_mailed_stays_good_when_its_task_is_repeated(alice: User) -> None:
    start.on_commit(tasks.mail_password_resets, [alice.pk])
    drain()
    mailed_at = User.objects.get().reset_mailed_at
    assert mailed_at is not None
    lose_everything()
    drain()
    assert User.objects.get().reset_mailed_at == mailed_at


def test_who_asks_twice_gets_two(alice: User) -> None:
    for _ in range(2):
        start.on_commit(tasks.mail_good_bye, alice.pk)
        drain()
    assert len(mail.outbox) == 2


def test_a_mail_that_could_not_be_sent_is_sent_later(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the two mails of this task, the second fails at first: the first is not sent again."""
    send, tries = EmailBackend.send_messages, []

    def fail_at_first(backend: EmailBackend, messages: list[mail.EmailMessage]) -> int:
        tries.append(messages)
        if len(tries) == 2:
            raise ConnectionRefusedError("no mail server")
        return int(send(backend, messages))

    monkeypatch.setattr(EmailBackend, "send_messages", fail_at_first)
    start.on_commit(tasks.mail_email_change, alice.pk)
    drain()
    drain(now=timezone.now() + timedelta(minutes=1))
    assert [message.to for message in mail.outbox] == [[alice.email], ["new@example.com"]]


def test_outside_of_a_task_nothing_is_noted() -> None:
    done = []
    for _ in range(2):
        once("it", lambda: done.append("it"))
    assert done == ["it", "it"]
    assert not DoneOnce.objects.exists()


def test_old_notes_are_removed_with_the_rows_that_are_done(alice: User) -> None:
    start.on_commit(tasks.mail_good_bye, alice.pk)
    drain()
    assert outbox.waiting() == 0
    long_ago = timezone.now() - 2 * NOTES_KEPT
    OutboxEntry.objects.update(created_at=long_ago)
    marks = {entry.id.hex: long_ago.timestamp() for entry in OutboxEntry.objects.all()}
    get_client().zadd(keys.outbox_done(), marks)
    DoneOnce.objects.update(done_at=long_ago)
    outbox.sweep()
    assert not DoneOnce.objects.exists()
