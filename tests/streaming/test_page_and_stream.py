"""A home's page and its stream show the same: over everything that a home can hold, and
everything that its reader can mute.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from redistools import keys
from redistools.client import get_client
from relations.blocks_and_mutes.services import mute, mute_thread, mute_word
from relations.blocks_and_mutes.viewpoint import viewpoint_of
from relations.models import Follow, Mute, MutedWord, ThreadMute
from relations.services import follow, hide_boosts
from relations.tasks import sync_viewpoints
from statuses.models import Status
from statuses.reactions.services import boost
from statuses.services import post_status
from statuses.store import find_statuses
from streaming.asked.listener import Listener
from streaming.asked.matching import Filter, matches
from streaming.engine.open_stream import OpenStream
from streaming.event import StreamEvent
from streaming.formats import Lines
from taskqueue.drain import drain
from tests.cast import make_user
from tests.statuses.trees import answer
from timelines.reading import home_paging
from timelines.selectors import home
from users.models import User

EVERYTHING = 1_000


class Scene(NamedTuple):
    """Bob reads. He follows alice and dave; carol is a stranger."""

    people: dict[str, User]
    roots: dict[str, Status]
    """Where threads begin, by author."""

    names: dict[int, str]
    """What each status is."""

    @property
    def bob(self) -> User:
        return self.people["bob"]


@pytest.fixture
def scene(alice: User, bob: User, carol: User) -> Scene:
    people = {"alice": alice, "bob": bob, "carol": carol, "dave": make_user("dave")}
    follow(follower=bob, followee=people["dave"])
    roots = {name: post_status(author=who, text="a root") for name, who in people.items()}
    names = {it.pk: f"a root by {name}" for name, it in roots.items()}
    scene = Scene(people, roots, names)
    for author in people:
        _say(scene, author, "teapot", None)
        for answered in (None, *people):
            _say(scene, author, "coffee", answered)
    drain()
    return scene


def _say(scene: Scene, author: str, word: str, answered: str | None) -> None:
    """And everybody else whom bob may read boosts it."""
    who, root = scene.people[author], scene.roots.get(answered or "")
    status = answer(who, root, word) if root else post_status(author=who, text=word)
    scene.names[status.pk] = f"{word} by {author}, to {answered or 'nobody'}"
    for booster in {"alice", "bob", "dave"} - {author}:
        boost(user=scene.people[booster], status=find_statuses([status.pk])[status.pk])
        entry = Status.objects.get(author=scene.people[booster], boost_of=status)
        scene.names[entry.pk] = f"{scene.names[status.pk]}, boosted by {booster}"


# What he does not want to see.
WISHES: dict[str, Callable[[Scene], object]] = {
    "nothing": lambda _: None,
    "a word": lambda it: mute_word(user=it.bob, phrase="teapot"),
    "a word, folded": lambda it: mute_word(user=it.bob, phrase="teapot", action="fold"),
    "a thread of the reader's": lambda it: mute_thread(user=it.bob, thread=it.roots["bob"].pk),
    "a thread of another's": lambda it: mute_thread(user=it.bob, thread=it.roots["alice"].pk),
    "somebody followed": lambda it: mute(user=it.bob, muted=it.people["dave"]),
    "a stranger": lambda it: mute(user=it.bob, muted=it.people["carol"]),
    "boosts": lambda it: hide_boosts(follower=it.bob, followee=it.people["alice"]),
}


def on_the_page(scene: Scene) -> set[int]:
    """Folded posts are there, but not to be read."""
    return {it.id for it in home(scene.bob, limit=EVERYTHING) if not it.folded}


def in_the_stream(scene: Scene) -> set[int]:
    authors = frozenset(scene.people[it].pk for it in ("alice", "bob", "dave"))
    stream = OpenStream(
        *(Lines(), Filter(authors=authors)),
        listener=Listener(user_id=scene.bob.pk, session_key="of a browser"),
        stream_name="home",
        home_of=scene.bob.pk,
    )
    stream.viewpoint = viewpoint_of(scene.bob.pk)
    events = [it for it in published() if matches(stream.wanted, it.facts)]
    return {it.facts.id for it in events if stream.shows(it)}


def published() -> Iterator[StreamEvent]:
    client: Any = get_client()  # untyped in redis-py
    for log in (keys.event_log(), keys.private_log()):
        for entry in client.xrange(log):
            event = StreamEvent.from_log(*entry)
            if event.has_status:
                yield event


def want_everything(scene: Scene) -> None:
    for table in (Mute, MutedWord, ThreadMute):
        table.objects.all().delete()
    Follow.objects.update(hides_boosts=False)
    sync_viewpoints.call([scene.bob.pk])


def drift(scene: Scene, wishes: Sequence[str]) -> Iterator[str]:
    for wish in wishes:
        WISHES[wish](scene)
    drain()
    page, stream = on_the_page(scene), in_the_stream(scene)
    assert len(page) > 5
    for it in page ^ stream:
        where = "page" if it in page else "stream"
        yield f"with {' and '.join(wishes)} muted, only on the {where}: {scene.names[it]}"
    want_everything(scene)


def test_a_page_and_its_stream_show_the_same(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    # A page shows each status once, a stream as often as it comes.
    monkeypatch.setattr(home_paging, "NEAR", 0)
    each = [[wish] for wish in WISHES]
    found = [line for wishes in (*each, [*WISHES]) for line in drift(scene, wishes)]
    assert not found, "\n".join(sorted(found))
