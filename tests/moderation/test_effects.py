"""What readers see after a measure: at once on pages, and in the log that streams are made of."""

import json
from collections import Counter
from typing import Any

import pytest
from django.test import Client

from explore.people.selectors import suggestions
from lists.services import add_to_list, create_list
from moderation.models import Kind
from moderation.services import take
from redistools import keys
from redistools.client import get_client
from relations.services import follow
from statuses import store
from statuses import tasks as status_tasks
from statuses.models import Status
from statuses.reactions.services import boost
from statuses.selectors import visible_or_404
from statuses.services import edit_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of
from upkeep.checking import differences
from users.models import User
from web.templatetags.icons import icon

WHY = "because"


def cover(words: str) -> str:
    """What is before a text that is folded away."""
    return f'<details class="cw"><summary>{icon("eye-off")}\n<span dir="auto">{words}</span>'


COVER = cover("Marked as sensitive")


@pytest.fixture
def fan(bob: User, dave: User) -> User:
    """bob follows dave."""
    follow(follower=bob, followee=dave)
    return bob


def log(name: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    entries: Any = get_client().xrange(name or keys.event_log())
    return [(fields["kind"], json.loads(fields["body"])) for _, fields in entries]


def page(user: User | None, address: str) -> str:
    browser = browser_of(user) if user else Client()
    return browser.get(address).content.decode()


def in_agreement() -> bool:
    drain()
    return not list(differences(None, Counter()))


def test_a_deleted_post_is_gone_everywhere(fan: User, spam: Status, mod: User) -> None:
    assert "pills" in page(fan, "/")
    take(Kind.DELETE_STATUS, spam, by=mod, reason=WHY)
    for address in ("/", "/explore/", "/@dave/"):
        assert "pills" not in page(fan, address)
    assert Client().get(f"/@dave/{spam.pk}/").status_code == 404
    assert [kind for kind, _ in log()] == ["delete"]
    assert in_agreement()


def test_a_marked_post_is_covered_on_every_page_until_it_is_unmarked(
    fan: User, spam: Status, mod: User
) -> None:
    addresses = ["/", "/explore/", "/@dave/", f"/@dave/{spam.pk}/"]
    for address in addresses:
        assert COVER not in page(fan, address)
    take(Kind.MARK_SENSITIVE, spam, by=mod, reason=WHY)
    for address in addresses:
        assert COVER in page(fan, address)
    assert in_agreement()
    take(Kind.UNMARK_SENSITIVE, spam, by=mod, reason=WHY)
    for address in addresses:
        assert COVER not in page(fan, address)
    assert in_agreement()
    assert "sensitive" not in get_client().hgetall(keys.status(spam.pk))


def test_search_engines_and_previews_do_not_get_a_covered_text(spam: Status, mod: User) -> None:
    take(Kind.MARK_SENSITIVE, spam, by=mod, reason=WHY)
    head, _, _ = page(None, f"/@dave/{spam.pk}/").partition("</head>")
    assert "pills" not in head
    assert 'content="Marked as sensitive"' in head


def test_the_warning_of_the_author_goes_first(dave: User, mod: User) -> None:
    status = post_status(author=dave, text="pills", warning="medicine")
    take(Kind.MARK_SENSITIVE, status, by=mod, reason=WHY)
    found = page(None, f"/@dave/{status.pk}/")
    assert cover("medicine") in found
    assert COVER not in found


def test_streams_learn_of_the_cover_each_time_it_changes_and_once(
    dave: User, spam: Status, mod: User
) -> None:
    for mark in (True, False, True):
        kind = Kind.MARK_SENSITIVE if mark else Kind.UNMARK_SENSITIVE
        take(kind, spam, by=mod, reason=WHY)
        status_tasks.publish_edit.func(spam.pk, dave.pk)
        ((event, body),) = log()
        assert (event, body["id"], "sensitive" in body) == ("edit", str(spam.pk), mark)


def test_an_edit_keeps_the_cover(dave: User, spam: Status, mod: User) -> None:
    take(Kind.MARK_SENSITIVE, spam, by=mod, reason=WHY)
    edit_status(status=spam, by=dave, text="Buy tea")
    found = page(None, f"/@dave/{spam.pk}/")
    assert COVER in found
    assert "Buy tea" in found


def test_a_cover_that_redis_lost_comes_back(spam: Status, mod: User) -> None:
    take(Kind.MARK_SENSITIVE, spam, by=mod, reason=WHY)
    get_client().delete(keys.status(spam.pk))
    assert COVER in page(None, "/explore/")
    drain()
    get_client().hdel(keys.status(spam.pk), "sensitive")
    assert not in_agreement()
    store.refresh_statuses([spam.pk])
    assert in_agreement()


def test_who_is_silenced_is_seen_by_followers_only(
    alice: User, fan: User, carol: User, dave: User, spam: Status, mod: User
) -> None:
    follow(follower=carol, followee=fan)
    boost(user=fan, status=visible_or_404(spam.pk, viewer=fan))
    list_ = create_list(owner=carol, name="Sellers")
    add_to_list(list_=list_, user=dave)
    addresses = ["/explore/", "/@dave/", f"/@dave/{spam.pk}/"]
    strangers: list[tuple[User | None, str]] = [(carol, "/"), (carol, f"/lists/{list_.pk}/")]
    strangers += [(who, it) for who in (None, alice, carol) for it in addresses]
    followers: list[tuple[User | None, str]] = [
        (fan, it) for it in ("/", "/@dave/", f"/@dave/{spam.pk}/")
    ]
    for who, address in strangers + followers:
        assert "pills" in page(who, address), (who, address)

    take(Kind.SILENCE, dave, by=mod, reason=WHY)
    for who, address in strangers:
        assert "pills" not in page(who, address), (who, address)
    for who, address in followers:
        assert "pills" in page(who, address), (who, address)
    assert "pills" in page(dave, "/")
    assert get_client().hget(keys.user(dave.pk), "limited") == "1"
    assert "silenced" not in page(dave, "/").lower()
    assert dave.pk not in {it.person.id for it in suggestions(alice, limit=50)}
    assert in_agreement()

    take(Kind.UNSILENCE, dave, by=mod, reason=WHY)
    for who, address in strangers + followers:
        assert "pills" in page(who, address), (who, address)
    assert in_agreement()


def test_what_the_silenced_say_is_for_homes_alone(
    fan: User, carol: User, dave: User, mod: User
) -> None:
    take(Kind.SILENCE, dave, by=mod, reason=WHY)
    dave.refresh_from_db()
    post_status(author=dave, text="more pills")
    assert log() == []
    assert [kind for kind, _ in log(keys.private_log())] == ["follow", "follow", "post"]
    assert "more pills" in page(fan, "/")
    assert "more pills" not in page(carol, "/explore/")
    take(Kind.UNSILENCE, dave, by=mod, reason=WHY)
    assert "more pills" in page(carol, "/explore/")


def test_the_suspended_vanish_and_come_back(fan: User, dave: User, spam: Status, mod: User) -> None:
    take(Kind.SUSPEND, dave, by=mod, reason=WHY)
    assert Client().get("/@dave/").status_code == 404
    assert "pills" not in page(fan, "/")
    assert in_agreement()
    take(Kind.RESTORE, dave, by=mod, reason=WHY)
    assert "pills" in page(fan, "/")
    assert in_agreement()
