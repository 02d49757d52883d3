"""Streams end at once with the right to listen, and tokens with the password."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.forms import SetPasswordForm
from django.core.management import call_command
from django.test import Client as Browser
from django.utils import timezone

from access.tokens import BadToken, create_token, look_up, tokens_of
from redistools.client import get_client
from streaming.asked.listener import Listener
from streaming.asked.matching import Filter
from streaming.engine.open_stream import OpenStream
from streaming.formats import Lines
from streaming.server import chores
from tests.cast import browser_of, make_user
from tests.streaming.conftest import Listen
from tests.streaming.server import StreamServer
from tests.streaming.test_home_stream import EventSource
from users.login.session_rows import session_digest
from users.models import User
from users.services import delete_account
from users.standing import stream_endings

SAMPLE = "/1.1/statuses/sample.json"
OLD, NEW = "correct horse battery", "staple gun melody"


@pytest.fixture
def dora(transactional_db: None) -> User:
    user = make_user("dora")
    user.set_password(OLD)
    user.save()
    return user


def page_of(server: StreamServer, browser: Browser) -> EventSource:
    return EventSource(server, browser.cookies["sessionid"].value)


def test_a_new_password_revokes_all_tokens_and_ends_all_streams(
    listen: Listen, server: StreamServer, dora: User, token: str
) -> None:
    browser = browser_of(dora)
    _, hers = create_token(user=dora, name="bot")
    stream, page, somebody_elses = (
        listen(SAMPLE, token=hers),
        page_of(server, browser),
        listen(SAMPLE),
    )
    form = {"old_password": OLD, "new_password1": NEW, "new_password2": NEW}
    assert "access tokens are revoked" in browser.get("/settings/password/").text
    assert "access tokens revoked" in browser.post("/settings/password/", form, follow=True).text
    assert stream.ended.wait(10)
    assert stream.messages[-1]["disconnect"]["code"] == 6
    assert stream.messages[-1]["disconnect"]["reason"] == "The password was changed."
    assert page.wait(1)[-1].event == "disconnect"
    assert listen(SAMPLE, token=hers).response.status_code == 401
    assert not tokens_of(dora).exists()
    assert not somebody_elses.ended.is_set()
    page_of(server, browser)  # this device stays logged in


@pytest.mark.parametrize("way", ["reset", "admin", "command"])
def test_tokens_end_on_whichever_way_the_password_is_set(
    dora: User, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, raw = create_token(user=dora, name="bot")
    if way == "reset":
        form = SetPasswordForm(dora, {"new_password1": NEW, "new_password2": NEW})
        assert form.is_valid()
        form.save()
    elif way == "admin":
        admin = browser_of(make_user("root_", is_staff=True, is_superuser=True))
        posted = {"password1": NEW, "password2": NEW, "usable_password": "true"}
        admin.post(f"/admin/users/user/{dora.pk}/password/", posted)
    else:
        monkeypatch.setattr("getpass.getpass", lambda prompt: NEW)
        call_command("changepassword", "dora")
    dora.refresh_from_db()
    assert dora.check_password(NEW)
    with pytest.raises(BadToken):
        look_up(raw)


def test_a_better_hash_of_the_same_password_ends_nothing(dora: User) -> None:
    create_token(user=dora, name="bot")
    dora.password = "pbkdf2_sha256$1$salt$" + "x" * 40
    dora.save(update_fields=["password"])
    assert tokens_of(dora).exists()


def test_a_session_that_is_ended_from_elsewhere_ends_its_pages_only(
    server: StreamServer, dora: User
) -> None:
    here, there = browser_of(dora), browser_of(dora)
    going_on, ending = page_of(server, here), page_of(server, there)
    here.post("/settings/sessions/end-others/")
    assert "on another device" in ending.wait(1)[-1].data
    assert going_on.messages == []


def test_logging_out_ends_the_pages_of_this_browser_only(server: StreamServer, dora: User) -> None:
    here, there = browser_of(dora), browser_of(dora)
    ending, going_on = page_of(server, here), page_of(server, there)
    here.post("/logout/")
    assert ending.wait(1)[-1].data.endswith('"reason":"You have logged out."}')
    assert going_on.messages == []


def test_deleting_the_account_ends_its_streams(listen: Listen, dora: User) -> None:
    _, raw = create_token(user=dora, name="bot")
    stream = listen(SAMPLE, token=raw)
    delete_account(user=dora)
    assert stream.ended.wait(10)
    assert stream.goodbye == 6


def test_losing_staff_ends_the_firehose(listen: Listen, token: str, carol: User) -> None:
    admin = browser_of(make_user("root_", is_staff=True, is_superuser=True))
    stream = listen("/1.1/statuses/firehose.json")
    form = {"email": carol.email, "is_active": "on"}
    assert admin.post(f"/admin/users/user/{carol.pk}/change/", form).status_code == 302
    assert stream.ended.wait(10)
    assert listen("/1.1/statuses/firehose.json").response.status_code == 403
    assert listen(SAMPLE).response.status_code == 200


def test_who_was_not_told_finds_out(carol: User, token: str) -> None:
    """The order may get lost; the firehose of somebody who is no longer staff ends all the same."""
    listener = Listener(**look_up(token)._asdict())
    firehose, sample = (
        OpenStream(Lines(), Filter(), listener=listener, stream_name=name)
        for name in ("firehose", "sample")
    )
    assert chores._without_right([firehose, sample]) == set()
    User.objects.filter(pk=carol.pk).update(is_staff=False)
    assert chores._without_right([firehose, sample]) == {firehose}
    User.objects.filter(pk=carol.pk).update(is_active=False)
    assert chores._without_right([firehose, sample]) == {firehose, sample}


def test_an_order_carries_no_session_key(dora: User) -> None:
    client: Any = get_client()
    with client.pubsub() as listening:
        listening.psubscribe("*control")
        listening.get_message(timeout=30)
        digest = session_digest("secretsession")
        stream_endings.end_streams_of_sessions([digest], "You have logged out.")
        order = listening.get_message(timeout=30)
    assert order is not None
    assert "secretsession" not in order["data"]


def test_a_token_lives_for_a_year_and_the_page_says_so(carol: User) -> None:
    row, _ = create_token(user=carol, name="bot")
    assert timedelta(364) < row.expires - timezone.now() <= timedelta(365)
    assert f"until {row.expires:%-d %B %Y}" in browser_of(carol).get("/settings/tokens/").text
