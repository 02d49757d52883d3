"""What a site does while Redis is away: some pages are read from SQL, and nothing is half done."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from relations.blocks_and_mutes import services as blocks_and_mutes
from relations.models import Follow
from relations.services import follow
from statuses.models import Status
from statuses.reactions.services import boost, like
from statuses.selectors import visible_or_404
from statuses.services import delete_status, post_status
from tags.services import follow_tag
from taskqueue import outbox
from taskqueue.drain import drain
from taskqueue.models import OutboxEntry
from tests.cast import browser_of, make_user
from tests.outages import redis_away
from users import throttling
from users.audience import Visibility
from users.models import User
from users.services import change_privacy, silence, suspend, unsilence

FORMS = re.compile(r"<form[^>]*(?:action|hx-post)=\"/(?!search/|logout/|language)", re.IGNORECASE)
NOTICE = "Some things are missing right now"


def visiting(user: User) -> Client:
    browser = browser_of(user)
    browser.raise_request_exception = False
    return browser


def reduced(browser: Client, path: str) -> str:
    """The page, which says that it is reduced, and offers nothing that would not work."""
    answer = browser.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    assert answer["X-Degraded"] == "redis"
    assert "no-store" in answer["Cache-Control"]
    page = answer.content.decode()
    assert page.count(NOTICE) == 1
    assert not FORMS.search(page), FORMS.findall(page)
    assert "form=act" not in page
    return page


def whole(browser: Client, path: str) -> str:
    answer = browser.get(path)
    assert answer.status_code == 200
    assert not answer.has_header("X-Degraded")
    page = answer.content.decode()
    assert NOTICE not in page
    return page


def test_home_profile_and_post_can_be_read_and_are_whole_again_afterwards(
    alice: User, bob: User, carol: User
) -> None:
    said = post_status(author=alice, text="Down the rabbit hole")
    stored = visible_or_404(said.pk, viewer=bob)
    post_status(author=bob, text="How deep is it?", reply_to=stored.id)
    like(user=bob, status=stored)
    boost(user=bob, status=stored)
    drain()
    pages = ["/", "/@alice/", "/@alice/with_replies/", f"/@alice/{said.pk}/"]
    browsers = [visiting(alice), visiting(bob), visiting(carol)]
    with redis_away(is_known=False):
        for path in pages:
            for browser in browsers[:2] if path == "/" else [*browsers, Client()]:
                page = reduced(browser, path)
                assert "Down the rabbit hole" in page
                assert page.count('<span class="count">1</span>') >= 2  # likes and boosts, from SQL
        assert "How deep is it?" in reduced(Client(), f"/@alice/{said.pk}/")
        assert reduced(visiting(carol), "/").count("<article") == 0
    for path in pages:
        page = whole(browsers[1], path)
        assert "Down the rabbit hole" in page
        assert "form=act" in page


def test_who_sees_what_holds(alice: User, bob: User, carol: User) -> None:
    """`tests/privacy` has the whole table."""
    for_followers = post_status(author=alice, text="for friends", visibility=Visibility.FOLLOWERS)
    mentioned = post_status(author=alice, text="@bob psst", visibility=Visibility.MENTIONED)
    gone = post_status(author=alice, text="a slip of the pen")
    post_status(author=alice, text="a word about croquet")
    follow(follower=carol, followee=bob)
    boost(user=bob, status=visible_or_404(gone.pk, viewer=bob))
    delete_status(status=gone, by=alice)
    blocks_and_mutes.mute_word(user=bob, phrase="croquet")
    drain()
    with redis_away():
        follower, stranger, visitor = visiting(bob), visiting(carol), Client()
        for path in ("/", "/@alice/", "/@alice/with_replies/"):
            page = reduced(follower, path)
            assert "for friends" in page
            assert "psst" not in page
            assert "slip" not in page + reduced(stranger, path)
            assert "for friends" not in reduced(stranger, path)
        assert "croquet" not in reduced(follower, "/")
        assert "croquet" in reduced(follower, "/@alice/")
        assert "psst" in reduced(follower, f"/@alice/{mentioned.pk}/")
        for status in (for_followers, mentioned, gone):
            for browser in (stranger, visitor):
                assert browser.get(f"/@alice/{status.pk}/").status_code == 404


def test_blocks_mutes_and_private_and_suspended_accounts_hold(
    alice: User, bob: User, carol: User
) -> None:
    """Also those that came during the outage: SQL knows them at once."""
    dinah, hatter = make_user("dinah"), make_user("hatter")
    for reader in (carol, dinah, hatter):
        follow(follower=reader, followee=alice)
    said = post_status(author=alice, text="Down the rabbit hole")
    boost(user=bob, status=visible_or_404(said.pk, viewer=bob))
    for reader in (carol, dinah, hatter):
        follow(follower=reader, followee=bob)
    blocks_and_mutes.block(blocker=alice, blocked=carol)
    blocks_and_mutes.mute(user=dinah, muted=alice)
    drain()
    own = f"/@alice/{said.pk}/"
    with redis_away():
        blocked, muting, other = visiting(carol), visiting(dinah), visiting(hatter)
        assert "rabbit" not in reduced(blocked, "/")
        assert [blocked.get(it).status_code for it in ("/@alice/", own)] == [404, 404]
        assert "rabbit" not in reduced(muting, "/")
        assert "rabbit" in reduced(muting, "/@alice/")
        assert "rabbit" in reduced(other, "/")
        blocks_and_mutes.block(blocker=hatter, blocked=alice)
        for path in ("/", "/@alice/"):
            assert "rabbit" not in reduced(other, path)
        silence(user=alice)
        assert Client().get(own).status_code == 404
        assert "rabbit" in reduced(visiting(bob), own)
        unsilence(user=alice)
        assert "rabbit" in reduced(Client(), own)
        change_privacy(user=alice, is_private=True, default_visibility=Visibility.PUBLIC)
        assert "rabbit" not in reduced(Client(), "/@alice/")
        assert Client().get(own).status_code == 404
        assert "rabbit" in reduced(visiting(bob), own)
        suspend(user=alice)
        assert "rabbit" not in reduced(visiting(bob), "/")
        assert [visiting(bob).get(it).status_code for it in ("/@alice/", own)] == [404, 404]
    drain()
    assert "rabbit" not in whole(visiting(bob), "/")


def test_other_pages_are_a_503_and_what_needs_no_store_works(alice: User) -> None:
    browser = visiting(alice)
    with redis_away():
        for path in ("/explore/", "/notifications/", "/?order=important", "/@alice/followers/"):
            answer = browser.get(path)
            assert answer.status_code == 503, path
            assert answer["Retry-After"]
            assert "Back in a moment" in answer.content.decode()
        as_json = browser.get("/now/?statuses=1", headers={"Accept": "application/json"})
        assert (as_json.status_code, [*as_json.json()]) == (503, ["error", "code"])
        in_place = browser.get("/aside/", headers={"HX-Request": "true"})
        assert in_place.status_code == 503
        assert in_place["HX-Reswap"] == "none"
        assert in_place["Content-Type"] == "text/plain"
        assert browser.get("/settings/").status_code == 200
        assert Client().get("/").status_code == 200
        login = Client(raise_request_exception=False).post(
            "/login/", {"username": "alice", "password": "wrong"}
        )
        assert login.status_code == 503


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_a_post_is_refused_and_what_was_typed_stays_in_the_form(
    alice: User, headers: dict[str, str]
) -> None:
    browser = visiting(alice)
    queued = OutboxEntry.objects.count()
    form = {"text": "Curiouser & curiouser!", "idempotency_key": "once", "warning": "falling"}
    with redis_away():
        answer = browser.post("/statuses/", form, headers=headers)
    page = answer.content.decode()
    assert answer.status_code == 503
    assert answer["Retry-After"]
    assert "Curiouser &amp; curiouser!</textarea>" in page
    assert 'value="falling"' in page
    assert 'value="once"' in page
    assert "be posted right now" in page
    assert not Status.objects.exists()
    assert OutboxEntry.objects.count() == queued
    assert browser.post("/statuses/", form, headers=headers).status_code in (200, 302)
    assert Status.objects.count() == 1


def test_other_writes_are_refused_whole(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, carol: User
) -> None:
    # Nothing is written that could not be counted.
    monkeypatch.setitem(throttling.PACES, "deletion", throttling.Pace(10))
    said = post_status(author=alice, text="Down the rabbit hole")
    drain()
    browser = visiting(carol)
    with redis_away():
        for path in (
            "/@alice/follow/",
            f"/statuses/{said.pk}/like/",
            f"/statuses/{said.pk}/boost/",
        ):
            assert browser.post(path).status_code == 503
        assert visiting(alice).post(f"/statuses/{said.pk}/delete/").status_code == 503
    said.refresh_from_db()
    assert (said.likes_count, said.boosts_count) == (0, 0)
    assert not Follow.objects.filter(follower=carol).exists()


def test_a_log_out_holds_at_once_and_after_redis_is_back(alice: User) -> None:
    browser, thief = visiting(alice), Client()
    whole(browser, "/@alice/")
    thief.cookies = SimpleCookie(browser.cookies.output(header="", sep=";"))
    assert thief.get("/settings/").status_code == 200
    with redis_away():
        assert browser.post("/logout/").status_code == 302
        assert thief.get("/settings/").status_code == 302, "to the log-in"
    drain()
    assert thief.get("/settings/").status_code == 302


def test_an_unfollowed_tag_is_taken_out_later(alice: User, bob: User) -> None:
    follow_tag(user=bob, name="tea")
    post_status(author=make_user("hatter"), text="always #tea time")
    drain()
    browser = visiting(bob)
    assert "time" in whole(browser, "/")
    with redis_away():
        assert "time" in reduced(browser, "/")
        assert browser.post("/tags/tea/unfollow/").status_code == 302
        assert "time" not in reduced(browser, "/")
    drain()
    assert "time" not in whole(browser, "/")


@contextmanager
def redis_dies_after(statement: str) -> Iterator[None]:
    """Once SQL has been told this; it is back at the end."""
    with ExitStack() as stack:
        died: list[str] = []

        def watch(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
            answer = execute(sql, *rest)
            if sql.startswith(statement) and not died:
                died.append(sql)
                stack.enter_context(redis_away(is_known=False))
            return answer

        with connection.execute_wrapper(watch):
            yield
        assert died


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_a_post_that_reached_sql_is_accepted_and_appears_by_itself(
    alice: User, bob: User, headers: dict[str, str]
) -> None:
    reader, author = visiting(bob), visiting(alice)
    assert "rabbit" not in whole(reader, "/")
    with redis_dies_after('UPDATE "users_user"'):
        answer = author.post("/statuses/", {"text": "Down the rabbit hole"}, headers=headers)
        assert answer.status_code == (200 if headers else 302)
        assert "rabbit" in reduced(reader, "/")
    assert outbox.sweep(older_than=timedelta(0))
    drain()
    assert "rabbit" in whole(reader, "/")
    call_command("check_timelines")


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_a_follow_that_reached_sql_is_accepted_and_works_by_itself(
    alice: User, carol: User, headers: dict[str, str]
) -> None:
    post_status(author=alice, text="Down the rabbit hole")
    browser = visiting(carol)
    assert "rabbit" not in whole(browser, "/")
    with redis_dies_after('INSERT INTO "relations_follow"'):
        answer = browser.post("/@alice/follow/", headers=headers)
        assert answer.status_code == (200 if headers else 302)
        assert ("unfollow" in answer.content.decode()) is bool(headers)
        assert "rabbit" in reduced(browser, "/")
    assert outbox.sweep(older_than=timedelta(0))
    drain()
    assert "rabbit" in whole(browser, "/")
    call_command("check_timelines")


def test_a_home_costs_the_same_whatever_is_followed(alice: User, bob: User) -> None:
    others = [make_user(f"other{number}") for number in range(30)]
    for other in others:
        post_status(author=other, text="tea")
    browser = visiting(bob)
    with redis_away(), CaptureQueriesContext(connection) as few:
        reduced(browser, "/")
    for other in others:
        follow(follower=bob, followee=other)
    with redis_away(), CaptureQueriesContext(connection) as many:
        assert reduced(browser, "/").count("<article") == 30
    assert len(many) <= len(few) + 10
    assert len(many) < 40


def test_a_page_reads_on_past_what_is_hidden_and_to_the_next_one(alice: User, bob: User) -> None:
    carroll = make_user("carroll")
    question = post_status(author=carroll, text="?")
    stored = visible_or_404(question.pk, viewer=alice)
    for number in range(70):
        post_status(
            author=alice, text=f"number {number}.", reply_to=stored.id if number % 2 else None
        )
    drain()
    browser = visiting(bob)
    in_order = [f"number {number}." for number in range(68, -1, -2)]
    with redis_away():
        first = reduced(browser, "/")
        way_on = re.search(r'href="([^"]+)" rel="next"', first)
        assert way_on
        second = reduced(browser, way_on[1])
    assert re.findall(r"number \d+\.", first + second) == in_order
