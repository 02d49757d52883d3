"""What comes up for a reader is the same on the home page, in the important order and in the home
stream: for whatever was said, and whatever the reader mutes. `oracle.py` says what that is.
"""

import os
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as search
from hypothesis import strategies as st

from redistools import keys
from redistools.client import get_client
from relations import store as edges
from relations.blocks_and_mutes.services import block, mute, mute_thread, mute_word
from relations.blocks_and_mutes.viewpoint import viewpoint_of
from relations.services import follow, hide_boosts
from statuses.models import Status
from statuses.reactions import services as reactions
from statuses.selectors import show
from statuses.services import post_status
from streaming.asked.listener import Listener
from streaming.asked.matching import Filter, matches
from streaming.engine.open_stream import OpenStream
from streaming.engine.visible import shown_now
from streaming.event import StreamEvent
from streaming.formats import Lines
from tags import store as tag_follows
from tags.services import follow_tag
from taskqueue.drain import drain
from tests.cast import make_user
from tests.timelines.important_home import stored, walk
from tests.timelines.oracle import Record
from timelines import selectors
from timelines.reading import home_paging
from timelines.reading.home_rules import hidden_in_sql
from users.audience import Visibility
from users.models import User
from users.services import silence, suspend

# `make test-long` takes 150.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "25"))
OTHERS = 6
WORDS = ["tea", "coffee", "one"]

others = st.integers(0, OTHERS - 1)
# Nobody follows an account that is suspended.
followees = st.sets(st.integers(0, OTHERS - 2), min_size=2, max_size=4)
numbers = st.integers(0, 1_000)
wishes = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["mute", "block"]), others),
        st.tuples(st.sampled_from(["hide boosts", "hide boosts", "mute a thread"]), numbers),
        st.tuples(st.sampled_from(["hide", "fold"]), st.sampled_from(WORDS)),
    ),
    max_size=4,
)


class Site:
    """People who have talked to each other at random. One is silenced by now, another suspended."""

    def __init__(self) -> None:
        self.chance = Random(7)
        self.others = [make_user(f"user{number}") for number in range(OTHERS)]
        self.said: list[Status] = []
        for _ in range(40):
            self.talk(self.chance.choice(self.others))
        silence(user=self.others[-2])
        suspend(user=self.others[-1])
        drain()

    def talk(self, author: User, about: Status | None = None) -> None:
        """Post, or answer something; some of the others boost it."""
        said = [about.pk] if about else [it.pk for it in self.said]
        seen = [it.id for it in show(said, viewer=author).statuses]
        status = post_status(
            author=author,
            text=self.chance.choice(["tea", "coffee", "#one tea", "#one", "@user1 coffee"]),
            reply_to=self.chance.choice(seen if about and seen else [None, *seen]),
            visibility=self.chance.choice([*[Visibility.PUBLIC] * 3, Visibility.FOLLOWERS]),
        )
        self.said.append(status)
        if status.visibility == Visibility.PUBLIC:
            for other in self.chance.sample(self.others, 2):
                reactions.boost(user=other, status=stored(status))

    def new_reader(self, followed: set[int]) -> User:
        """They have said something, too, and others have answered."""
        reader = make_user(f"reader{User.objects.count()}")
        for number in followed:
            follow(follower=reader, followee=self.others[number])
        follow_tag(user=reader, name="one")
        friend = self.others[min(followed)]
        follow(follower=friend, followee=reader)
        self.talk(reader)
        self.talk(friend, about=self.said[-1])
        return reader


def wish(reader: User, kind: str, what: Any, site: Site) -> None:
    if kind == "mute":
        mute(user=reader, muted=site.others[what])
    elif kind == "block":
        block(blocker=reader, blocked=site.others[what])
    elif kind == "hide boosts":
        followed = sorted(edges.following_ids(reader.pk))
        for followee_id in followed[what % max(len(followed), 1) :][:1]:
            hide_boosts(follower=reader, followee=User.objects.get(pk=followee_id))
    elif kind == "mute a thread":
        said = site.said[what % len(site.said)]
        mute_thread(user=reader, thread=said.thread_id or said.pk)
    else:
        mute_word(user=reader, phrase=what, action=kind)


def streamed(reader: User) -> set[int]:
    """What a client gets that opens the home stream now, and missed everything."""
    authors = frozenset([*edges.following_ids(reader.pk), reader.pk])
    tags = frozenset(tag_follows.followed_names(reader.pk))
    stream = OpenStream(
        *(Lines(), Filter(authors=authors, tags=tags)),
        listener=Listener(user_id=reader.pk, session_key="of a browser"),
        stream_name="home",
        home_of=reader.pk,
    )
    stream.viewpoint = viewpoint_of(reader.pk)
    wanted = [it for it in events() if matches(stream.wanted, it.facts)]
    wanted = [it for it in wanted if not it.is_private or it.facts.author_id in authors]
    shown = [it for it in wanted if stream.shows(it)]
    return {it.facts.id for it in shown_now(shown, viewer_id=reader.pk, for_everybody=False)}


def events() -> list[StreamEvent]:
    client: Any = get_client()  # untyped in redis-py
    return [
        event
        for log, is_private in ((keys.event_log(), False), (keys.private_log(), True))
        for entry in client.xrange(log)
        if (event := StreamEvent.from_log(*entry, is_private=is_private)).has_status
    ]


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("transactional_db")
def test_page_order_and_stream_show_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    # A page shows each status once, a stream as often as it comes.
    monkeypatch.setattr(home_paging, "NEAR", 0)
    site = Site()

    # Without shrinking, which takes minutes: an example is short.
    @search(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(followed=followees, wishes=wishes)
    def compare(followed: set[int], wishes: list[tuple[str, Any]]) -> None:
        reader = site.new_reader(followed)
        for kind, what in wishes:
            wish(reader, kind, what, site)
        drain()
        assert_the_same(reader)

    compare()


def assert_the_same(reader: User) -> None:
    page = selectors.home(reader, limit=1_000)
    record = Record()
    assert [it.id for it in page] == record.home(reader.pk)
    assert streamed(reader) == {it.id for it in page if not it.folded}
    order = walk(reader)
    assert {it.id for it in order} <= {it.id for it in page}
    statuses = {(it.status.id, it.folded) for it in page}
    assert sorted((it.status.id, it.folded) for it in order) == sorted(statuses)
    assert hidden_in_sql(reader, record.rows.keys()).isdisjoint(it.id for it in page)
