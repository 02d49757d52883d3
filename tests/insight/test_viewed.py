"""What people read most, and nobody's reading."""

import pytest
from django.test import Client

from insight import selectors
from insight.recording import middleware
from insight.recording.sending import flush
from insight.structures import viewed
from insight.structures.viewed import Memory
from redistools import keys
from relations.blocks_and_mutes.services import block
from statuses.models import Status
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.redis_keys import contents_of, keys_of_the_test
from users.audience import Visibility
from users.models import User
from users.services import change_privacy

pytestmark = pytest.mark.usefixtures("measuring")


def read(status: Status, *browsers: Client) -> None:
    for browser in browsers:
        answer = browser.get(f"/@{status.author.username}/{status.pk}/")
        assert answer.status_code == 200
    flush()


def ids_shown(viewer: User | None = None) -> list[int]:
    return [it.status.id for it in selectors.most_viewed_posts(viewer)]


def visitors(count: int) -> list[Client]:
    return [Client(headers={"user-agent": f"browser {it}"}) for it in range(count)]


def test_what_more_people_read_comes_first(alice: User, bob: User) -> None:
    quiet, loud = (post_status(author=alice, text=it) for it in ("quiet", "loud"))
    read(quiet, browser_of(bob))
    read(loud, browser_of(bob), *visitors(2))
    assert ids_shown() == ids_shown(bob) == [loud.pk, quiet.pk]


def test_one_who_reads_it_again_and_again_counts_once(alice: User, bob: User) -> None:
    steady, pushed = (post_status(author=alice, text=it) for it in ("steady", "pushed"))
    read(pushed, *[browser_of(bob)] * 10)
    read(steady, *visitors(2))
    assert ids_shown() == [steady.pk, pushed.pk]


def test_what_not_everybody_may_see_is_never_counted(alice: User, bob: User) -> None:
    for visibility in (Visibility.UNLISTED, Visibility.FOLLOWERS):
        read(post_status(author=alice, text="quiet", visibility=visibility), browser_of(bob))
    change_privacy(user=alice, is_private=True, default_visibility=Visibility.PUBLIC)
    drain()
    read(post_status(author=alice, text="for followers"), browser_of(bob))
    assert viewed.top(viewed.POSTS, limit=10) == []


def test_what_is_private_or_deleted_later_is_shown_to_nobody(alice: User, bob: User) -> None:
    said, gone = (post_status(author=alice, text=it) for it in ("said", "gone"))
    for status in (said, gone):
        read(status, browser_of(bob))
    delete_status(status=gone, by=alice)
    assert ids_shown(bob) == [said.pk]
    change_privacy(user=alice, is_private=True, default_visibility=Visibility.PUBLIC)
    drain()
    assert ids_shown(bob) == ids_shown() == [], "bob follows alice, and could see it elsewhere"


def test_a_viewer_does_not_see_whom_they_blocked(alice: User, carol: User) -> None:
    said = post_status(author=alice, text="said")
    read(said, *visitors(1))
    block(blocker=carol, blocked=alice)
    assert (ids_shown(), ids_shown(carol)) == ([said.pk], [])


def test_tags_that_nobody_wrote_are_not_shown(alice: User, bob: User) -> None:
    post_status(author=alice, text="some #Tea")
    drain()
    for tag in ("tea", "made_up_by_a_visitor"):
        browser_of(bob).get(f"/tags/{tag}/")
    flush()
    assert [it.written for it in selectors.most_viewed_tags()] == ["Tea"]


def test_parts_of_pages_that_scripts_ask_for_are_no_views(alice: User, bob: User) -> None:
    said = post_status(author=alice, text="said")
    browser_of(bob).get(f"/@alice/{said.pk}/", headers={"HX-Request": "true"})
    browser_of(bob).head(f"/@alice/{said.pk}/")
    flush()
    assert ids_shown() == []


def test_redis_does_not_learn_who_read_what(alice: User) -> None:
    reader = make_user("bookworm", pk=7_654_321)
    read(post_status(author=alice, text="said"), browser_of(reader))
    measured = ("series", "timings", "slowest", "levels", "viewed")
    held = contents_of([it for it in keys_of_the_test() if keys.kind(it) in measured])
    assert {keys.kind(name) for name in held} >= {"viewed", "series"}
    assert str(reader.pk) not in repr(held)
    assert "bookworm" not in repr(held)


def test_a_memory_that_is_full_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewed, "MOST_REMEMBERED", 3)
    memory = Memory()
    assert [memory.is_new("alice", it) for it in (1, 1, 2, 3, 1)] == [True, False, True, True, True]
    assert middleware.memory is not memory
