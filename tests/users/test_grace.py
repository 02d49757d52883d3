"""Between asking for deletion and being deleted: the account is hidden, its owner can come back."""

import threading
from datetime import timedelta
from functools import partial

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from access.tokens import SuspendedAccount, create_token, look_up
from relations.services import follow
from statuses.services import post_status
from taskqueue.backend import get_backend
from taskqueue.drain import drain
from taskqueue.periodic import Timetable
from taskqueue.store import Queue
from tests.cast import browser_of, make_user
from tests.users.conftest import PASSWORD
from tests.users.test_races import at_once
from timelines.selectors import home
from users import tasks
from users.models import AccountGone, Session, User
from users.services import (
    confirm_email,
    keep_account,
    request_deletion,
    restore,
    suspend,
)
from users.standing import account_deletion
from users.standing.suspension import suspended_ids

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bob(alice: User) -> User:
    bob = make_user("bob")
    follow(follower=bob, followee=alice)
    return bob


@pytest.fixture
def leaver(alice: User, bob: User) -> User:
    post_status(author=alice, text="curiouser and curiouser")
    request_deletion(user=alice)
    alice.refresh_from_db()
    return alice


def ask(browser: Client) -> str:
    return str(browser.post("/settings/delete/", {"password": PASSWORD})["Location"])


def log_in(browser: Client, password: str = PASSWORD) -> str:
    answer = browser.post("/login/?next=/explore/", {"username": "alice", "password": password})
    return answer.headers.get("Location", str(answer.status_code))


def is_logged_in(browser: Client) -> bool:
    return browser.get("/settings/").status_code == 200


def test_asking_hides_the_account_and_logs_it_out_everywhere(alice: User, bob: User) -> None:
    confirm_email(user=alice)
    post_status(author=alice, text="curiouser and curiouser")
    _, raw = create_token(user=alice, name="bot")
    browsers = [browser_of(alice), browser_of(alice)]
    assert ask(browsers[0]) == "/settings/delete/begun/"
    assert "just log in again" in browsers[0].get("/settings/delete/begun/").content.decode()
    alice.refresh_from_db()
    assert alice.leaving_at is not None
    assert timedelta(13) < alice.leaving_at - timezone.now() <= timedelta(14)
    assert not alice.is_active
    assert not alice.is_suspended
    assert not any(map(is_logged_in, browsers))
    assert not Session.objects.filter(user=alice).exists()
    assert Client().get("/@alice/").status_code == 404
    assert home(bob) == []
    assert suspended_ids() == {alice.pk}
    with pytest.raises(SuspendedAccount):
        look_up(raw)
    drain()
    (message,) = mail.outbox
    assert f"will be deleted on {alice.leaving_at:%-d %B %Y}" in str(message.body)


def test_asking_twice_does_not_put_it_off(leaver: User) -> None:
    assert request_deletion(user=leaver) == leaver.leaving_at


def test_logging_in_offers_to_stay_and_staying_brings_everything_back(
    leaver: User, bob: User
) -> None:
    browser = Client()
    assert log_in(browser) == "/login/keep/"
    assert not is_logged_in(browser)
    assert "Keep @alice?" in browser.get("/login/keep/").content.decode()
    assert Client().get("/@alice/").status_code == 404, "looking changes nothing"
    answer = browser.post("/login/keep/")
    assert answer["Location"] == "/explore/"
    assert is_logged_in(browser)
    assert Client().get("/@alice/").status_code == 200
    assert [status.text for status in home(bob)] == ["curiouser and curiouser"]
    assert suspended_ids() == frozenset()
    leaver.refresh_from_db()
    assert (leaver.leaving_at, leaver.is_active) == (None, True)
    assert leaver.followers_count == 1


def test_who_looks_and_goes_stays_gone(leaver: User) -> None:
    browser = Client()
    log_in(browser)
    browser.get("/login/keep/")
    assert browser.get("/").status_code == 200
    leaver.refresh_from_db()
    assert leaver.leaving_at is not None


def test_only_the_owner_is_asked(leaver: User) -> None:
    stranger = Client()
    assert log_in(stranger, "wrong") == "400"
    assert stranger.get("/login/keep/")["Location"] == "/login/"
    assert stranger.post("/login/keep/")["Location"] == "/login/"
    leaver.refresh_from_db()
    assert leaver.leaving_at is not None


def test_a_forgotten_password_can_be_reset_meanwhile(leaver: User) -> None:
    Client().post("/password-reset/", {"email": leaver.email})
    drain()
    assert any("/password-reset/" in str(message.body) for message in mail.outbox)


def test_the_name_stays_taken(leaver: User) -> None:
    form = {"username": "Alice", "email": "x@example.com", "password": PASSWORD}
    errors = Client().post("/signup/", form).context["form"].errors
    assert errors == {"username": ["This username is taken."]}


def test_what_is_due_is_deleted_and_nothing_else(leaver: User, carol: User) -> None:
    assert leaver.leaving_at is not None
    before = leaver.leaving_at - timedelta(seconds=1)
    assert account_deletion.due_accounts(before) == []
    assert not account_deletion.remove_if_due(leaver.pk, now=before)
    assert not account_deletion.remove_if_due(carol.pk, now=leaver.leaving_at)
    assert account_deletion.due_accounts(leaver.leaving_at) == [leaver.pk]
    assert account_deletion.remove_if_due(leaver.pk, now=leaver.leaving_at)
    assert not account_deletion.remove_if_due(leaver.pk, now=leaver.leaving_at), (
        "twice changes nothing"
    )
    assert not User.objects.filter(pk=leaver.pk).exists()
    assert User.objects.filter(pk=carol.pk).exists()
    assert suspended_ids() == frozenset()


def test_a_periodic_task_deletes_what_is_due(leaver: User, carol: User) -> None:
    Timetable([Queue("default")], backend=get_backend("default")).queue_due()
    drain()
    assert User.objects.filter(pk=leaver.pk).exists()
    User.objects.filter(pk=leaver.pk).update(leaving_at=timezone.now())
    tasks.remove_leaving_accounts.call()
    drain()
    assert not User.objects.filter(pk=leaver.pk).exists()
    assert User.objects.filter(pk=carol.pk).exists()


def test_coming_back_at_the_last_moment_or_too_late(leaver: User) -> None:
    """Whichever is first in SQL counts, and nothing in between is left."""
    due = leaver.leaving_at
    assert due is not None

    def stay() -> bool:
        try:
            return keep_account(user=leaver)
        except AccountGone:
            return False

    stayed, removed = at_once([stay, partial(account_deletion.remove_if_due, leaver.pk, now=due)])
    assert stayed is not removed
    assert User.objects.filter(pk=leaver.pk, is_active=True).exists() is stayed
    assert User.objects.filter(pk=leaver.pk).exists() is stayed


def test_who_comes_too_late_is_told_like_anybody_unknown(
    leaver: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Client()
    log_in(browser)
    assert leaver.leaving_at is not None
    account_deletion.remove_if_due(leaver.pk, now=leaver.leaving_at)
    assert browser.post("/login/keep/")["Location"] == "/login/"
    assert log_in(Client()) == "400"


def test_staying_from_many_browsers_at_once_is_staying_once(leaver: User) -> None:
    browsers = [Client() for _ in range(4)]
    for browser in browsers:
        log_in(browser)
    at_once(partial(browser.post, "/login/keep/") for browser in browsers)
    leaver.refresh_from_db()
    assert leaver.is_active
    assert suspended_ids() == frozenset()


# Beside the suspension by moderators ------------------------------------------------------


def test_suspended_and_leaving_are_told_apart(leaver: User, carol: User) -> None:
    suspend(user=carol)
    carol.refresh_from_db()
    assert (carol.is_suspended, carol.leaving_at) == (True, None)
    assert keep_account(user=carol) is False, "nobody comes back from a suspension like this"
    assert suspended_ids() == {leaver.pk, carol.pk}
    assert restore(user=leaver) is False, "there is no suspension to end"
    leaver.refresh_from_db()
    assert not leaver.is_active


def test_one_who_is_leaving_can_be_suspended_and_not_come_back(leaver: User) -> None:
    assert suspend(user=leaver) is True
    assert suspend(user=leaver) is False
    assert log_in(Client()) == "403"
    leaver.refresh_from_db()
    assert leaver.is_suspended
    assert keep_account(user=leaver) is True
    leaver.refresh_from_db()
    assert not leaver.is_active, "still suspended"
    assert suspended_ids() == {leaver.pk}
    assert restore(user=leaver) is True
    leaver.refresh_from_db()
    assert leaver.is_active


def test_restoring_one_who_is_leaving_lets_only_the_owner_back(leaver: User) -> None:
    suspend(user=leaver)
    assert restore(user=leaver) is True
    leaver.refresh_from_db()
    assert not leaver.is_active
    assert Client().get("/@alice/").status_code == 404
    browser = Client()
    assert log_in(browser) == "/login/keep/"


def test_a_suspended_account_is_deleted_when_it_is_due_all_the_same(leaver: User) -> None:
    suspend(user=leaver)
    assert leaver.leaving_at is not None
    assert account_deletion.remove_if_due(leaver.pk, now=leaver.leaving_at)


def test_of_suspending_leaving_and_coming_back_at_once_sql_has_the_last_word(
    alice: User, carol: User
) -> None:
    actions = [
        partial(action, user=alice)
        for action in (suspend, restore, request_deletion, keep_account)
        for _ in range(3)
    ]
    at_once(actions)
    drain()
    row = User.objects.get(pk=alice.pk)
    assert row.is_active is (row.suspended_at is None and row.leaving_at is None)
    assert suspended_ids() == (set() if row.is_active else {alice.pk})


def test_an_old_copy_of_the_account_changes_none_of_it(alice: User) -> None:
    """As a slow change of the password would."""
    earlier = User.objects.get(pk=alice.pk)
    request_deletion(user=alice)
    earlier.set_password("eight blue bottles")
    earlier.save()
    alice.refresh_from_db()
    assert alice.leaving_at is not None
    assert not alice.is_active


def test_the_admin_shows_who_is_leaving(leaver: User) -> None:
    boss = User.objects.create_superuser("boss", "boss@example.com", PASSWORD)
    page = browser_of(boss).get(f"/admin/users/user/{leaver.pk}/change/").content.decode()
    assert "Leaving at" in page


def test_without_a_grace_it_goes_at_once(alice: User, settings: Settings) -> None:
    settings.DELETION_GRACE_DAYS = 0
    browser = browser_of(alice)
    page = browser.get("/settings/delete/").content.decode()
    assert "deleted at once. This can't be undone" in page
    assert request_deletion(user=alice) is None
    assert not User.objects.exists()


def test_an_account_that_is_gone_has_nothing_to_keep(alice: User) -> None:
    User.objects.all().delete()
    assert request_deletion(user=alice) is None
    with pytest.raises(AccountGone):
        keep_account(user=alice)


def test_open_streams_end(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    done = threading.Event()

    def listen(order: object) -> None:
        told.append(order)
        done.set()

    monkeypatch.setattr("users.standing.stream_endings.tell", listen)
    request_deletion(user=alice)
    assert done.is_set()
    assert {"users": [alice.pk], "reason": "The account is leaving."} in told
