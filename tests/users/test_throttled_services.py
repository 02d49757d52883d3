"""Every service that people write with counts by itself, for every caller."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.conf import settings as site

from access import tokens
from chats import membership, starting
from chats import services as messages
from chats.models import Chat, Message
from explore.people import services as people
from lists import services as lists
from lists.models import List
from moderation import reporting
from moderation.appeals import services as appeals
from moderation.models import Kind, Measure
from notifications import services as notifications
from redistools.client import get_client
from redistools.rate_limit import RateLimit
from relations import services as relations
from relations.blocks_and_mutes import services as blocks_and_mutes
from search import services as searches
from search.models import SavedSearch
from statuses import services as statuses
from statuses.models import Status
from statuses.reactions import services as reactions
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from tags import services as tags
from tags.interests import services as interests
from tests.chats import talking
from tests.member import PASSWORD
from users import services as users
from users import throttling
from users.export import services as export
from users.models import User
from users.safety import addresses
from web.refusals import Refusal


class Scene(NamedTuple):
    """Alice writes."""

    alice: User
    carol: User
    status: Status
    stored: StoredStatus
    list_: List
    search: SavedSearch
    measure: Measure
    pair: Chat
    group: Chat
    said: Message


COMPLAINT: Any = {"category": "spam", "words": ""}

SERVICES: dict[Callable[..., Any], tuple[throttling.Writing, Callable[[Scene], dict[str, Any]]]] = {
    statuses.post_status: ("post", lambda it: {"author": it.alice, "text": "hello"}),
    statuses.edit_status: ("edit", lambda it: {"status": it.status, "by": it.alice, "text": "x"}),
    statuses.delete_status: ("deletion", lambda it: {"status": it.status, "by": it.alice}),
    reactions.boost: ("boost", lambda it: {"user": it.alice, "status": it.stored}),
    reactions.unboost: ("undo", lambda it: {"user": it.alice, "status_id": it.stored.id}),
    reactions.like: ("like", lambda it: {"user": it.alice, "status": it.stored}),
    reactions.unlike: ("undo", lambda it: {"user": it.alice, "status_id": it.stored.id}),
    reactions.bookmark: ("bookmark", lambda it: {"user": it.alice, "status": it.stored}),
    reactions.unbookmark: ("undo", lambda it: {"user": it.alice, "status_id": it.stored.id}),
    relations.follow: ("follow", lambda it: {"follower": it.alice, "followee": it.carol}),
    relations.unfollow: ("unfollow", lambda it: {"follower": it.alice, "followee": it.carol}),
    relations.accept: ("request", lambda it: {"follower": it.carol, "followee": it.alice}),
    relations.refuse: ("request", lambda it: {"follower": it.carol, "followee": it.alice}),
    relations.remove_follower: ("request", lambda it: {"follower": it.carol, "followee": it.alice}),
    relations.hide_boosts: (
        "boosts_hidden",
        lambda it: {"follower": it.alice, "followee": it.carol},
    ),
    blocks_and_mutes.block: ("block", lambda it: {"blocker": it.alice, "blocked": it.carol}),
    blocks_and_mutes.unblock: ("undo", lambda it: {"blocker": it.alice, "blocked": it.carol}),
    blocks_and_mutes.mute: ("mute", lambda it: {"user": it.alice, "muted": it.carol}),
    blocks_and_mutes.unmute: ("undo", lambda it: {"user": it.alice, "muted": it.carol}),
    blocks_and_mutes.mute_thread: ("mute", lambda it: {"user": it.alice, "thread": it.stored.id}),
    blocks_and_mutes.unmute_thread: ("undo", lambda it: {"user": it.alice, "thread": it.stored.id}),
    blocks_and_mutes.mute_word: ("mute", lambda it: {"user": it.alice, "phrase": "tea"}),
    blocks_and_mutes.unmute_word: ("undo", lambda it: {"user": it.alice, "word_id": 1}),
    people.dismiss: ("dismissal", lambda it: {"user": it.alice, "person": it.carol}),
    people.undo_dismissal: ("undo", lambda it: {"user": it.alice, "person": it.carol}),
    lists.create_list: ("list", lambda it: {"owner": it.alice, "name": "Friends"}),
    lists.change_list: (
        "list",
        lambda it: {"list_": it.list_, "name": "Foes", "is_private": False},
    ),
    lists.delete_list: ("list", lambda it: {"list_": it.list_}),
    lists.add_to_list: ("member", lambda it: {"list_": it.list_, "user": it.carol}),
    lists.remove_from_list: ("member", lambda it: {"list_": it.list_, "user": it.carol}),
    lists.sort_into: (
        "member",
        lambda it: {"owner": it.alice, "user": it.carol, "list_ids": [it.list_.pk]},
    ),
    tags.follow_tag: ("tag", lambda it: {"user": it.alice, "name": "tea"}),
    tags.follow_tags: ("tag", lambda it: {"user": it.alice, "names": ["tea"]}),
    interests.add_interests: ("tag", lambda it: {"user": it.alice, "names": ["tea"]}),
    interests.change_interests: (
        "tag",
        lambda it: {"user": it.alice, "names": ["tea"], "languages": ["en"]},
    ),
    searches.save_search: ("search", lambda it: {"user": it.alice, "query": "tea"}),
    searches.rename_search: ("search", lambda it: {"search": it.search, "name": "Tea"}),
    searches.notify_of_search: ("search", lambda it: {"search": it.search, "wanted": True}),
    searches.delete_search: ("search", lambda it: {"search": it.search}),
    searches.forget_searches: ("search", lambda it: {"user": it.alice}),
    tokens.create_token: ("token", lambda it: {"user": it.alice, "name": "mine"}),
    reporting.report_status: (
        "report",
        lambda it: {"reporter": it.alice, "status": it.stored, **COMPLAINT},
    ),
    reporting.report_account: (
        "report",
        lambda it: {"reporter": it.alice, "account": it.carol, **COMPLAINT},
    ),
    appeals.appeal: (
        "appeal",
        lambda it: {"measure": it.measure, "account": it.alice, "words": "Please."},
    ),
    notifications.mark_read: ("notifications", lambda it: {"user": it.alice}),
    notifications.choose_kinds: ("notifications", lambda it: {"user": it.alice, "wanted": []}),
    messages.send: ("message", lambda it: {"chat": it.pair, "author": it.alice, "text": "hi"}),
    messages.edit_message: ("edit", lambda it: {"message": it.said, "by": it.alice, "text": "x"}),
    messages.delete_message: ("deletion", lambda it: {"message": it.said, "by": it.alice}),
    messages.hide_message: ("deletion", lambda it: {"message": it.said, "by": it.alice}),
    messages.react: ("reaction", lambda it: {"message": it.said, "by": it.alice, "emoji": "🎉"}),
    messages.take_back: ("undo", lambda it: {"message": it.said, "by": it.alice, "emoji": "🎉"}),
    messages.mark_read: ("reading", lambda it: {"chat": it.pair, "user": it.alice, "up_to": 1}),
    starting.chat_with: ("chat", lambda it: {"user": it.alice, "other": it.carol}),
    starting.begin_with_stranger: (
        "stranger",
        lambda it: {"pair": it.pair.pair, "user": it.alice, "other": it.carol},
    ),
    starting.begin_group: ("chat", lambda it: {"user": it.alice, "title": "Coffee"}),
    starting.accept: ("chat", lambda it: {"chat": it.pair, "user": it.alice}),
    starting.decline: ("chat", lambda it: {"chat": it.pair, "user": it.alice}),
    starting.choose_who_writes: ("privacy", lambda it: {"user": it.alice, "who_writes": 2}),
    membership.add_member: (
        "chat",
        lambda it: {"chat": it.group, "user": it.carol, "by": it.alice},
    ),
    membership.remove_member: (
        "chat",
        lambda it: {"chat": it.group, "user": it.carol, "by": it.alice},
    ),
    membership.leave: ("chat", lambda it: {"chat": it.group, "user": it.alice}),
    membership.change_group: (
        "chat",
        lambda it: {"chat": it.group, "by": it.alice, "title": "Cake", "who_adds": 1},
    ),
    membership.set_aside: (
        "chat",
        lambda it: {"chat": it.group, "user": it.alice, "is_muted": True},
    ),
    users.change_profile: ("profile", lambda it: {"user": it.alice, "name": "Al", "bio": ""}),
    users.change_privacy: (
        "privacy",
        lambda it: {"user": it.alice, "is_private": True, "default_visibility": 0},
    ),
    users.change_appearance: (
        "appearance",
        lambda it: {"user": it.alice, "language": "", "theme": "dark"},
    ),
    users.change_password: ("password", lambda it: {"user": it.alice, "password": PASSWORD}),
    export.ask_for_export: ("export", lambda it: {"user": it.alice}),
    addresses.ask_for_change: ("email", lambda it: {"user": it.alice, "email": "al@example.com"}),
}
WORDS = {"post": "You're posting too fast. Try again in", "edit": "You're editing too fast."}


@pytest.fixture
def scene(alice: User, carol: User) -> Scene:
    status = statuses.post_status(author=alice, text="hello")
    other = statuses.post_status(author=carol, text="hello")
    stored = find_statuses([other.pk])[other.pk]
    list_ = lists.create_list(owner=alice, name="Tea")
    search = SavedSearch.objects.create(user=alice, query="coffee")
    measure = Measure.objects.create(kind=Kind.WARN, account=alice, username="alice")
    pair = talking.pair(alice, carol)
    group = starting.begin_group(user=alice, title="Tea", others=[carol])
    said = talking.say(pair, alice)
    return Scene(alice, carol, status, stored, list_, search, measure, pair, group, said)


@pytest.mark.parametrize("service", SERVICES, ids=lambda it: f"{it.__module__}.{it.__name__}")
def test_a_service_refuses_when_it_is_too_often(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, service: Callable[..., Any]
) -> None:
    kind, arguments = SERVICES[service]
    monkeypatch.setitem(throttling.PACES, kind, throttling.Pace(1))
    RateLimit(get_client(), f"write_{kind}", limit=1, window=3600).hit(str(scene.alice.pk))
    with pytest.raises(Refusal) as refused:
        service(**arguments(scene))
    assert (refused.value.status, refused.value.code) == (429, "too_often")
    assert 0 < refused.value.retry_after <= 3600
    assert refused.value.words.startswith(WORDS.get(kind, "Too many attempts. Try again in"))


@pytest.mark.parametrize("service", SERVICES, ids=lambda it: f"{it.__module__}.{it.__name__}")
def test_a_service_counts_what_it_did(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, service: Callable[..., Any]
) -> None:
    kind, arguments = SERVICES[service]
    monkeypatch.setitem(throttling.PACES, kind, throttling.Pace(2))
    service(**arguments(scene))
    limit = RateLimit(get_client(), f"write_{kind}", limit=2, window=3600)
    assert limit.hit(str(scene.alice.pk)).remaining == 0


def test_all_services_with_a_limit_are_tried_here() -> None:
    found = set()
    for path in Path(site.BASE_DIR).glob("[a-z]*/**/*.py"):
        if "throttled(" in (source := path.read_text()):
            functions = [
                it for it in ast.walk(ast.parse(source)) if isinstance(it, ast.FunctionDef)
            ]
            module = ".".join(path.relative_to(site.BASE_DIR).with_suffix("").parts)
            found |= {f"{module}.{it.name}" for it in functions if is_throttled(it)}
    assert found == {f"{it.__module__}.{it.__name__}" for it in SERVICES}


def is_throttled(function: ast.FunctionDef) -> bool:
    calls = [it.func for it in function.decorator_list if isinstance(it, ast.Call)]
    return any(isinstance(it, ast.Name) and it.id == "throttled" for it in calls)


def test_every_pace_has_a_service() -> None:
    assert {kind for kind, _ in SERVICES.values()} == throttling.PACES.keys()


def test_what_fails_does_not_count(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(throttling.PACES, "follow", throttling.Pace(1))
    for _ in range(3):
        with pytest.raises(Refusal, match="follow yourself"):
            relations.follow(follower=alice, followee=alice)


def test_programs_that_write_for_many_have_no_limit(alice: User, carol: User) -> None:
    paces = dict(throttling.PACES)
    with throttling.unlimited():
        assert not any(it.limit for it in throttling.PACES.values())
        for number in range(40):
            statuses.post_status(author=alice, text=f"number {number}")
    assert paces == throttling.PACES
