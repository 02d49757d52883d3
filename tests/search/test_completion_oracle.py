"""Whatever happens to people, the first who are offered are those of a naive ranking of SQL."""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as search
from hypothesis import strategies as st

from redistools.client import get_client
from redistools.serving_copy import stores
from relations.blocks_and_mutes.services import block, unblock
from relations.models import Block, Follow
from relations.services import follow, unfollow
from search.completion import lists, offering, ranking
from statuses.models import Mention
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import make_user
from tests.redis_keys import keys_of_the_test
from users import services
from users.models import User
from users.names.folding import words_of
from web.plain_text import plain

# `make test-long` takes 150.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "8"))
NAMES = [
    "",
    "Ana Annan",
    "Änne",
    "\u0410\u041d\u041d\u0410",
    "山田太郎",
    "山本",
    "अनु",
    "Ωμέγα",
    "anna",
    "\uff21\uff2e\uff2e",
    "Nils An",
]
USERNAMES = [
    "an",
    "ann",
    "anna",
    "anna_b",
    "anton",
    "b_an",
    "bea",
    "ben",
    "benj",
    "yama",
    "nan",
    "x",
]
BEGINNINGS = [
    "@a",
    "@an",
    "@ann",
    "@anna",
    "@b",
    "@ben",
    "@山",
    "@太",
    "@ан",
    "@n",
    "@an ann",
    "@x",
]

people = st.integers(0, len(USERNAMES) - 1)
pairs = st.tuples(people, people).filter(lambda pair: pair[0] != pair[1])
two = ["follow", "unfollow", "block", "unblock", "address"]
one = ["suspend", "restore", "silence", "unsilence"]
deeds = st.one_of(
    st.tuples(st.sampled_from(two), pairs),
    st.tuples(st.sampled_from(one), people),
    st.tuples(st.just("rename"), st.tuples(people, st.sampled_from(NAMES))),
    st.tuples(st.just("delete"), people),
    st.tuples(st.just("lose"), st.integers(0, 10)),
    st.tuples(st.just("ask"), st.tuples(people, st.sampled_from(BEGINNINGS))),
)


@pytest.fixture(autouse=True)
def tiny_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [
        (lists, "SHARED_BY", 2),
        (lists, "KEPT", 4),
        (lists, "LEAST", 2),
        (ranking, "FEW", 3),
        (offering, "SHOWN", 3),
    ]
    for where, name, size in sizes:
        monkeypatch.setattr(where, name, size)


def naive(viewer: User, query: str) -> list[str]:
    terms = plain(query.removeprefix("@")).split()
    apart = {
        it
        for pair in Block.objects.values_list("blocker", "blocked")
        if viewer.pk in pair
        for it in pair
    }
    found = [it for it in User.objects.filter(is_active=True) if it.pk not in {viewer.pk, *apart}]
    found = [it for it in found if _is_found(it, terms) or it.username == query[1:]]
    followed = set(Follow.objects.filter(follower=viewer).values_list("followee_id", flat=True))
    addressed = list(
        Mention.objects.filter(author=viewer).order_by("status").values_list("user_id", flat=True)
    )
    latest = {user_id: place for place, user_id in enumerate(addressed)}

    def closeness(user: User) -> tuple[Any, ...]:
        if user.username == query[1:]:
            return (3,)
        if user.pk in latest:
            return 2, latest[user.pk]
        if user.pk in followed:
            return 1, user.followers_count, user.pk
        return 0, user.followers_count, user.pk

    shown = [it for it in found if closeness(it) > (1,) or not it.is_silenced]
    return [it.username for it in sorted(shown, key=closeness, reverse=True)[: offering.SHOWN]]


def _is_found(user: User, terms: list[str]) -> bool:
    words = words_of(username=user.username, name=user.name)
    return all(any(word.startswith(term) for word in words) for term in terms)


def begin(followers: list[int]) -> list[User]:
    for model in (Mention, User):
        model._default_manager.all().delete()
    if old := keys_of_the_test():
        get_client().delete(*old)
    return [
        make_user(name, followers_count=n) for name, n in zip(USERNAMES, followers, strict=True)
    ]


def happen(cast: list[User], deed: str, about: Any) -> None:
    if deed == "lose":
        for name in keys_of_the_test("names:*")[about::3]:
            get_client().delete(name)
    elif deed == "ask":
        offering.people(cast[about[0]], about[1])
    elif deed == "rename":
        services.change_profile(user=cast[about[0]], name=about[1], bio="")
    elif deed == "address":
        post_status(author=cast[about[0]], text=f"@{cast[about[1]].username}")
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
    if deed == "lose":
        return True
    who = (
        [about] if deed in one or deed == "delete" else [it for it in about if isinstance(it, int)]
    )
    if max(who) >= len(cast) or len(cast) < 6:
        return False
    rows = [User.objects.get(pk=cast[it].pk) for it in who]
    active = all(it.is_active for it in rows) or deed == "restore"
    blocks = Block.objects.filter(blocker__in=rows, blocked__in=rows).exists()
    return active and not (deed == "follow" and blocks)


@search(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    followers=st.lists(
        st.sampled_from([0, 0, 1, 5, 19, 20, 21, 22, 100, 104, 112]),
        min_size=len(USERNAMES),
        max_size=len(USERNAMES),
    ),
    life=st.lists(deeds, min_size=6, max_size=20),
)
@pytest.mark.usefixtures("transactional_db")
def test_the_first_offered_are_those_of_a_naive_ranking(
    followers: list[int], life: list[tuple[str, Any]]
) -> None:
    cast = begin(followers)
    viewers = cast[0], cast[-1]
    for number, (deed, about) in enumerate(life):
        if deed == "delete" and about in (0, len(cast) - 1):
            continue
        if is_possible(cast, deed, about):
            happen(cast, deed, about)
            drain()
        some = BEGINNINGS[number % 3 :: 3]
        for viewer in viewers:
            for beginning in some:
                offered = [it.username for it in offering.people(viewer, beginning)]
                assert offered == naive(viewer, beginning), (viewer.username, beginning)
    (kept,) = [it for it in stores() if it.kind == "names"]
    assert [*map(str, kept.differences([None]))] == []
