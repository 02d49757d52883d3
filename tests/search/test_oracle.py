"""Searches of posts three ways, through all that happens: by the window in Redis, by SQL alone, and
by a plain look at every row.

The oracle shares nothing with the search but the tokenizer. It reads queries as they were made, not
as they were written, and decides by its own words who may find what.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, cycle, pairwise

import pytest
from django.http import Http404
from django.test import override_settings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from redistools.client import get_client
from relations.blocks_and_mutes import services as blocks_and_mutes
from relations.models import Block, Follow, Mute
from relations.services import follow, unfollow
from search import posts
from search.models import Entry, Progress
from search.posts import Order, search_posts
from search.query.parsing import parse
from search.query.syntax import BadQuery
from statuses.models import Bookmark, Status
from statuses.reactions.services import bookmark, like
from statuses.services import delete_status, edit_status, post_status
from statuses.store import find_statuses
from statuses.words.entities import find_entities
from statuses.words.terms import places, query_terms
from tests.cast import make_user
from tests.redis_keys import keys_of_the_test
from tests.search.finding import found, index_all
from tests.search.test_query import TYPED
from tests.search.windows import keep_all, small_segments, window
from users.models import User
from users.services import change_privacy, restore, silence, suspend, unsilence
from web import pager
from web.refusals import Refusal

EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "8"))
NAMES = ("ann", "ben", "cem")
# What the end of a story is about: the first only posts before, the second only reads.
AUTHOR, READER = "dan", "eve"
EVERYBODY = (*NAMES, AUTHOR, READER)
numbers = count()

__all__ = ["small_segments", "window"]

WORDS = [
    *("tea", "Tea", "TEAPOT", "café", "cafe", "it's", "don't", "a_b", "10,5", "first", "frost"),
    *("#tea", "#Frost", "#茶", "@ann", "@Ben", "https://example.com/tea?a='b'", "www.example.com"),
    *("咖啡", "一杯咖啡", "咖啡店", "茶", "コーヒー", "커피", "กาแฟ", "ကော်ဖီ", "чай", "शाय"),
    *("\N{HOT BEVERAGE}", "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}", "哈" * 300, "frost " * 90),
]
# Half of the words are one of these, so that most queries find something.
words = st.sampled_from(["tea", "first", "frost", "咖啡", "#tea"]) | st.sampled_from(WORDS)
texts = st.lists(words, min_size=1, max_size=5).map(" ".join).filter(lambda it: len(it) <= 480)
two_words = st.lists(st.sampled_from(WORDS[:-2]), min_size=2, max_size=3).map(" ".join)
people = st.sampled_from(NAMES)
which = st.integers(0, 20)


@dataclass
class Site:
    people: dict[str, User]

    def named(self, text: str) -> str:
        """With the names that people have on this site."""
        return text.replace("@ann", f"@{self.people['ann'].username}")

    def status(self, number: int) -> Status | None:
        alive = list(Status.objects.order_by("pk"))
        return alive[number % len(alive)] if alive else None


Step = tuple[Callable[..., None], tuple[object, ...]]


def post(site: Site, who: str, text: str, visibility: int, language: str, answers: int) -> None:
    answered = site.status(answers) if answers % 3 == 0 else None
    post_status(
        author=site.people[who],
        text=site.named(text),
        visibility=visibility,
        language=language,
        reply_to=answered.pk if answered and answered.visibility == 0 else None,
    )


def edit(site: Site, number: int, text: str) -> None:
    if status := site.status(number):
        edit_status(status=status, by=status.author, text=site.named(text))


def delete(site: Site, number: int) -> None:
    if status := site.status(number):
        delete_status(status=status, by=status.author)


def keep(site: Site, who: str, number: int) -> None:
    if status := site.status(number):
        bookmark(user=site.people[who], status=find_statuses([status.pk])[status.pk])


def like_it(site: Site, who: str, number: int) -> None:
    if status := site.status(number):
        like(user=site.people[who], status=find_statuses([status.pk])[status.pk])


def choose(site: Site, who: str, is_private: bool, searchable: bool) -> None:
    change_privacy(
        user=User.objects.get(pk=site.people[who].pk),
        is_private=is_private,
        default_visibility=0,
        posts_are_searchable=searchable,
    )


def judge(site: Site, who: str, number: int) -> None:
    (suspend, restore, silence, unsilence)[number % 4](
        user=User.objects.get(username=site.people[who].username)
    )


def meet(site: Site, who: str, whom: str, number: int) -> None:
    one, other = site.people[who], site.people[whom]
    if one == other:
        return
    match number % 5:
        case 0:
            blocks_and_mutes.block(blocker=one, blocked=other)
        case 1:
            blocks_and_mutes.unblock(blocker=one, blocked=other)
        case 2:
            blocks_and_mutes.mute(user=one, muted=other)
        case 3:
            unfollow(follower=one, followee=other)
        case _ if not Block.objects.filter(blocker__in=[one, other]).exists():
            follow(follower=one, followee=other)


def index(_site: Site) -> None:
    index_all()


def keep_window(_site: Site) -> None:
    """Fills it, and puts right what was noticed."""
    keep_all()


def lose(_site: Site, number: int) -> None:
    """A key of the window."""
    if held := sorted(keys_of_the_test("search:*")):
        get_client().delete(held[number * 7 % len(held)])


visibilities = st.sampled_from([0, 0, 0, 0, 1, 2, 3])
languages = st.sampled_from(["en", "zh", ""])
steps = st.one_of(
    *[st.tuples(st.just(post), st.tuples(people, texts, visibilities, languages, which))] * 2,
    st.tuples(st.just(edit), st.tuples(which, texts)),
    st.tuples(st.just(delete), st.tuples(which)),
    st.tuples(st.just(keep), st.tuples(people, which)),
    st.tuples(st.just(like_it), st.tuples(people, which)),
    *[st.tuples(st.just(choose), st.tuples(people, st.booleans(), st.booleans()))] * 2,
    *[st.tuples(st.just(judge), st.tuples(people, which))] * 2,
    *[st.tuples(st.just(meet), st.tuples(people, people, which))] * 3,
    st.tuples(st.just(index), st.tuples()),
    st.tuples(st.just(keep_window), st.tuples()),
    st.tuples(st.just(lose), st.tuples(which)),
)


@dataclass(frozen=True)
class Asked:
    """A query as it was made: one of each of the needed, none of the refused, and filters."""

    needed: list[list[str]]
    refused: list[str]
    filters: list[str]

    def written(self, site: Site) -> str:
        parts = [" OR ".join(some) for some in self.needed]
        parts += [f"-{it}" for it in self.refused] + self.filters
        for name in EVERYBODY:
            parts = [it.replace(f":{name}", f":{site.people[name].username}") for it in parts]
        return site.named(" ".join(parts))


one_word = st.one_of(
    *[words.filter(lambda it: " " not in it)] * 3,
    st.lists(words, min_size=2, max_size=3).map(lambda some: f'"{" ".join(some)}"'),
    people.map("from:{}".format),
    people.map("to:{}".format),
    st.sampled_from(["lang:en", "lang:zh", "has:link", "has:reply", "has:media", "咖", "คา", "te"]),
).filter(lambda it: len(it) < 60)
asked = st.builds(
    Asked,
    st.lists(st.lists(one_word, min_size=1, max_size=2), min_size=1, max_size=2),
    st.lists(one_word, max_size=1),
    st.lists(
        st.sampled_from(
            [
                *("from:me", "in:bookmarks", "filter:follows", "min_likes:1"),
                *("since:2024-01-02", "until:2024-01-02"),
            ]
        ),
        max_size=1,
    ),
)


def about(text: str) -> list[Asked]:
    """Queries that find this text, or just don't: a word of it, and two in a row refused."""
    one, other, *_ = text.split()
    return [
        Asked([[one]], [], []),
        Asked([[other], [f"from:{AUTHOR}"]], [], []),
        Asked([[one]], [f'"{one} {other}"'], []),
        Asked([[f'"{one} {other}"']], [], []),
    ]


End = Callable[[Site, str], None]


def hide(site: Site, _reader: str) -> None:
    choose(site, AUTHOR, is_private=False, searchable=False)


def lock(site: Site, _reader: str) -> None:
    choose(site, AUTHOR, is_private=True, searchable=True)


def mute(site: Site, reader: str) -> None:
    blocks_and_mutes.mute(user=site.people[reader], muted=site.people[AUTHOR])


def block(site: Site, reader: str) -> None:
    blocks_and_mutes.block(blocker=site.people[AUTHOR], blocked=site.people[reader])


def suspend_author(site: Site, _reader: str) -> None:
    judge(site, AUTHOR, 0)


def silence_author(site: Site, _reader: str) -> None:
    judge(site, AUTHOR, 2)


def nothing(_site: Site, _reader: str) -> None:
    pass


# One story ends with each, and starts over.
ENDS: list[End] = [nothing, mute, hide, block, lock, suspend_author, silence_author]
OF_THE_READER = (mute, block)
ends = cycle(ENDS)


def says(site: Site, row: Status, part: str) -> bool:
    """Has the row what one part of a query asks for?"""
    name, _, value = part.partition(":")
    username = site.people[value].username if value in site.people else ""
    match name:
        case "from":
            return row.author.username == username
        case "to":
            return row.reply_to_author is not None and row.reply_to_author.username == username
        case "lang":
            return row.language == value
        case "has":
            links = [it for it in find_entities(row.text) if it.kind == "link"]
            return {"link": bool(links), "reply": row.reply_to_id is not None}.get(value, False)
    return has_in_a_row(row.text, site.named(part).strip('"'))


def has_in_a_row(text: str, part: str) -> bool:
    wanted = query_terms(part)
    said = places(text, find_entities(text))
    if wanted is None:
        return True
    for start in range(len(said)):
        there = said[start : start + len(wanted.terms)]
        if len(there) == len(wanted.terms) and all(
            any(
                term.startswith(it) if wanted.is_open and it == wanted.terms[-1] else term == it
                for term in place
            )
            for it, place in zip(wanted.terms, there, strict=True)
        ):
            return True
    return False


def may_find(site: Site, row: Status, viewer: User | None, filters: Sequence[str]) -> bool:
    author = row.author
    if not author.is_active:
        return False
    if viewer and viewer != author:
        between = Block.objects.filter(blocker=author, blocked=viewer)
        if (between | Block.objects.filter(blocker=viewer, blocked=author)).exists():
            return False
    if "from:me" in filters:
        return author == viewer
    if "in:bookmarks" in filters:
        kept = Bookmark.objects.filter(user=viewer, status=row).exists()
        return kept and Status.objects.visible_to(viewer).filter(pk=row.pk).exists()
    if viewer and Mute.objects.filter(user=viewer, muted=author).exists():
        return False
    is_listed = row.visibility == 0 and not author.is_private and not author.is_silenced
    return is_listed and author.posts_are_searchable


def plainly_found(site: Site, query: Asked, viewer: User | None) -> list[str]:
    return [
        row.text
        for row in Status.objects.select_related("author", "reply_to_author").order_by("-pk")
        if row.boost_of_id is None
        and may_find(site, row, viewer, query.filters)
        and all(any(says(site, row, it) for it in some) for some in query.needed)
        and not any(says(site, row, it) for it in query.refused)
        and ("min_likes:1" not in query.filters or row.likes_count >= 1)
        and "until:2024-01-02" not in query.filters
        and (
            "filter:follows" not in query.filters
            or Follow.objects.filter(follower=viewer, followee=row.author).exists()
        )
    ]


@pytest.mark.usefixtures("transactional_db")
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(TYPED)
def test_no_text_is_too_much_for_the_index(typed: str) -> None:
    with suppress(BadQuery):
        search_posts(parse(typed), viewer=None)


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posts, "PAGE_SIZE", 2)
    monkeypatch.setattr(posts, "MOST_AT_ONCE", 3)
    monkeypatch.setattr(pager, "MOST_AT_ONCE", 3)


def fresh_site() -> Site:
    Status.objects.all().delete()
    Entry.objects.all().delete()
    Progress.objects.all().delete()
    number = next(numbers)
    return Site({name: make_user(f"{name}{number}") for name in EVERYBODY})


def found_both_ways(query: str, viewer: User | None, order: Order = "latest") -> list[str]:
    by_window = found(query, viewer, order)
    with override_settings(SEARCH_WINDOW=0):
        by_sql = found(query, viewer, order)
    assert by_window == by_sql, f"{query}: the window finds something else than SQL"
    return by_window


@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("transactional_db", "small_segments")
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(
    st.lists(texts, min_size=6, max_size=9),
    two_words,
    st.lists(steps, min_size=3, max_size=12),
    st.lists(asked, min_size=4, max_size=10),
    people,
)
def test_searches_find_what_a_look_at_every_row_finds(
    past: list[str], last: str, life: list[Step], queries: list[Asked], reader: str
) -> None:
    site, end = fresh_site(), next(ends)
    reader = READER if end in OF_THE_READER else reader
    for text, who in zip(past, cycle(NAMES), strict=False):
        post(site, who, text, visibility=0, language="en", answers=1)
    for one, other in pairwise(NAMES):
        follow(follower=site.people[one], followee=site.people[other])
    index_all()
    keep_all()
    for act, details in life:
        with suppress(Refusal, Http404):  # who is hidden from whom can't be answered
            act(site, *details)
    post(site, AUTHOR, last, visibility=0, language="en", answers=1)
    index_all()
    end(site, reader)
    member = User.objects.get(pk=site.people[reader].pk)
    viewer = member if member.is_active and (len(past) % 4 or reader == READER) else None
    pairs = [
        (it.written(site), plainly_found(site, it, viewer))
        for it in queries + about(last)
        if viewer or not it.filters
    ]
    for written, right in pairs:
        early = found(written, viewer)
        assert set(early) <= set(right), f"{written}: too much, before it is indexed"
    index_all()
    for written, right in pairs:
        assert found_both_ways(written, viewer) == right, written
        assert sorted(found_both_ways(written, viewer, "top")) == sorted(right), written
