"""Searches of posts three ways, through all that happens: by the window in Redis, by SQL alone, and
by a plain look at every row (`oracle.py`).
"""

import os
from contextlib import suppress
from itertools import count, cycle, pairwise

import pytest
from django.http import Http404
from django.test import override_settings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from relations.services import follow
from search import posts
from search.models import Entry, Progress
from search.posts import Order, search_posts
from search.query.parsing import parse
from search.query.syntax import BadQuery
from statuses.models import Status
from tests.cast import make_user
from tests.search.finding import found, index_all
from tests.search.lives import (
    AUTHOR,
    EVERYBODY,
    NAMES,
    OF_THE_READER,
    READER,
    Site,
    Step,
    ends,
    people,
    post,
    steps,
    texts,
    two_words,
)
from tests.search.oracle import Asked, about, asked, plainly_found
from tests.search.test_query import TYPED
from tests.search.windows import keep_all, small_segments, window
from users.models import User
from web import pager
from web.refusals import Refusal

EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "8"))
numbers = count()

__all__ = ["small_segments", "window"]


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
