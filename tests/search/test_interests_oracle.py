"""Whatever happens to people and to Redis, those found by interests are those of a naive reading of
SQL, with the sets in Redis and without.
"""

import os
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as search
from hypothesis import strategies as st

from redistools.client import get_client
from redistools.serving_copy import stores
from relations.blocks_and_mutes.services import block, unblock
from relations.models import Block, Follow
from relations.services import follow, unfollow
from search.interests import finding
from search.interests.asking import Asked, asked_for
from search.interests.checking import TermSets
from tags.interests.services import change_interests
from taskqueue.drain import drain
from tests.cast import make_user
from tests.redis_keys import keys_of_the_test
from users import services
from users.models import User

# `make test-long` takes 150.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "8"))
TAGS = ["a", "b", "c", "d", "e", "é", "茶"]
LANGUAGES = ["en", "zh", "eo"]
PEOPLE = 7

tags = st.lists(st.sampled_from(TAGS), max_size=6, unique=True)
profiles = st.tuples(tags, st.lists(st.sampled_from(LANGUAGES), max_size=3, unique=True))
queries = st.tuples(
    tags, st.lists(st.sampled_from(LANGUAGES), max_size=2, unique=True), st.integers(1, 6)
)
people = st.integers(0, PEOPLE - 1)
pairs = st.tuples(people, people).filter(lambda pair: pair[0] != pair[1])
two = ["follow", "unfollow", "block", "unblock"]
one = ["suspend", "restore", "silence", "unsilence", "request_deletion", "keep_account"]
deeds = st.one_of(
    st.tuples(st.just("put"), st.tuples(people, profiles)),
    st.tuples(st.just("put"), st.tuples(people, profiles)),
    st.tuples(st.sampled_from(two), pairs),
    st.tuples(st.sampled_from(one), people),
    st.tuples(st.just("delete"), people),
    st.tuples(st.just("lose"), st.integers(0, 5)),
    st.tuples(st.just("ask"), queries),
)


def naive(viewer: User | None, asked: Asked) -> list[str]:
    """Looks at everybody."""
    found = []
    for user in User.objects.filter(is_active=True):
        has = {it.tag.name for it in user.interests.select_related("tag")} & set(asked.tags)
        speaks = {it.code for it in user.spoken_languages.all()}
        if not asked.tags or len(has) < asked.least or not speaks >= set(asked.languages):
            continue
        if not (viewer and _is_between(viewer, user)) and _may_find(viewer, user):
            found.append((len(has), user.followers_count, user.pk, user.username))
    return [name for *_, name in sorted(found, reverse=True)]


def _is_between(viewer: User, user: User) -> bool:
    pair = [viewer.pk, user.pk]
    return Block.objects.filter(blocker__in=pair, blocked__in=pair).exists()


def _may_find(viewer: User | None, user: User) -> bool:
    follows = viewer and Follow.objects.filter(follower=viewer, followee=user).exists()
    return bool(follows) or not user.is_silenced


def found(viewer: User | None, asked: Asked) -> list[str]:
    ids = finding.find(asked, viewer=viewer, limit=100)
    assert [it.user_id for it in finding.matches_of(ids, asked)] == ids
    names = dict(User.objects.values_list("pk", "username"))
    return [names[it] for it in ids]


def asked_by(query: tuple[list[str], list[str], int]) -> Asked:
    names, codes, least = query
    return asked_for([f"#{it}" for it in names] + [f"lang:{it}" for it in codes], least=least)


def begin(life: list[tuple[list[str], list[str]]]) -> list[User]:
    User.objects.all().delete()
    if old := keys_of_the_test():
        get_client().delete(*old)
    cast = [make_user(f"user{n}", followers_count=n % 3) for n in range(PEOPLE)]
    for user, (names, codes) in zip(cast, life, strict=True):
        change_interests(user=user, names=names, languages=codes)
    return cast


def happen(cast: list[User], deed: str, about: Any) -> None:
    if deed == "lose":
        for name in keys_of_the_test("*s:*")[about::3]:
            get_client().delete(name)
    elif deed == "ask":
        found(None, asked_by(about))
    elif deed == "put":
        names, codes = about[1]
        change_interests(user=cast[about[0]], names=names, languages=codes)
    elif deed == "delete":
        services.delete_account(user=cast.pop(about))
    elif deed in one:
        getattr(services, deed)(user=cast[about])
    else:
        first, second = cast[about[0]], cast[about[1]]
        {
            "follow": lambda: follow(follower=first, followee=second),
            "unfollow": lambda: unfollow(follower=first, followee=second),
            "block": lambda: block(blocker=first, blocked=second),
            "unblock": lambda: unblock(blocker=first, blocked=second),
        }[deed]()


def is_possible(cast: list[User], deed: str, about: Any) -> bool:
    if deed in ("lose", "ask"):
        return True
    who = about if isinstance(about, tuple) else (about,)
    numbers = [it for it in who if isinstance(it, int)]
    if max(numbers) >= len(cast) or len(cast) < 4:
        return False
    rows = [User.objects.get(pk=cast[it].pk) for it in numbers]
    may = deed in ("restore", "keep_account") or all(it.is_active for it in rows)
    blocks = Block.objects.filter(blocker__in=rows, blocked__in=rows).exists()
    return may and not (deed == "follow" and blocks)


@search(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    begun=st.lists(profiles, min_size=PEOPLE, max_size=PEOPLE),
    life=st.lists(deeds, min_size=4, max_size=14),
    asked=st.lists(queries, min_size=4, max_size=8),
)
@pytest.mark.usefixtures("transactional_db")
def test_those_found_are_those_of_a_naive_reading(
    begun: list[tuple[list[str], list[str]]],
    life: list[tuple[str, Any]],
    asked: list[tuple[list[str], list[str], int]],
) -> None:
    with patch.object(finding, "FEW", 0):
        cast = begin(begun)
        for deed, about in life:
            if is_possible(cast, deed, about):
                happen(cast, deed, about)
        drain()
        for query in map(asked_by, asked):
            for viewer in (None, cast[0]):
                right = naive(viewer, query)
                assert found(viewer, query) == right, (viewer, query)
                with patch.object(finding, "FEW", 500):
                    assert found(viewer, query) == right, (viewer, query)
        for store in stores():
            if isinstance(store, TermSets):
                rows = [None] if store.about.rows is None else list(store.about.rows())
                assert not list(store.differences(rows))
