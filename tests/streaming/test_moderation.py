"""What streams show after a moderator's measure, to those who listen and to those who come back."""

import pytest

from moderation.models import Kind
from moderation.services import take
from statuses.services import post_status
from tests.cast import make_user
from tests.streaming.conftest import Listen
from users.models import User

SAMPLE = "/1.1/statuses/sample.json"
FILTER = "/1.1/statuses/filter.json"


@pytest.fixture
def boss(transactional_db: None) -> User:
    return make_user("boss", is_staff=True, is_superuser=True)


def test_a_cover_and_a_deletion_arrive_while_one_listens(
    listen: Listen, alice: User, boss: User
) -> None:
    stream = listen(FILTER, params={"track": "pills"})
    status = post_status(author=alice, text="Buy pills")
    stream.wait(lambda it: it.ids)
    take(Kind.MARK_SENSITIVE, status, by=boss, reason="because")
    stream.wait(lambda it: len(it.ids) == 2)
    assert ["possibly_sensitive" in it for it in stream.messages if "text" in it] == [False, True]
    take(Kind.DELETE_STATUS, status, by=boss, reason="because")
    stream.wait(lambda it: it.deleted == [status.pk])


def test_who_comes_back_gets_it_covered(listen: Listen, alice: User, boss: User) -> None:
    first = post_status(author=alice, text="hello").pk
    status = post_status(author=alice, text="Buy pills")
    take(Kind.MARK_SENSITIVE, status, by=boss, reason="because")
    stream = listen(FILTER, params={"track": "pills", "since_id": first})
    stream.wait(lambda it: it.ids)
    assert [it["possibly_sensitive"] for it in stream.messages if "text" in it] == [True]


def test_the_silenced_leave_public_streams(
    listen: Listen, alice: User, bob: User, boss: User
) -> None:
    first = post_status(author=bob, text="hello").pk
    post_status(author=alice, text="red, before")
    take(Kind.SILENCE, alice, by=boss, reason="because")
    alice.refresh_from_db()
    stream = listen(FILTER, params={"track": "red", "since_id": first})
    post_status(author=alice, text="red, silenced")
    live = post_status(author=bob, text="red, by bob").pk
    stream.wait(lambda it: live in it.ids)
    assert stream.ids == [live]
    take(Kind.UNSILENCE, alice, by=boss, reason="because")
    alice.refresh_from_db()
    again = post_status(author=alice, text="red, again").pk
    stream.wait(lambda it: again in it.ids)


def test_the_streams_of_the_suspended_end(
    listen: Listen, alice: User, carol: User, boss: User
) -> None:
    stream = listen(SAMPLE)  # with a token of carol, who is staff
    take(Kind.SUSPEND, carol, by=boss, reason="because")
    assert stream.ended.wait(10)
