"""Whatever happens to posts and their authors, the tags that are offered first are those of a naive
count in SQL.
"""

import os
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as search
from hypothesis import strategies as st

from redistools import keys
from redistools.client import get_client
from redistools.serving_copy import stores
from search import tags
from search.completion import lists, ranking
from statuses.models import Status, Tagging
from statuses.services import delete_status, edit_status, post_status
from tags.models import Tag
from tests.cast import make_user
from tests.redis_keys import keys_of_the_test
from tests.search.finding import count_tags
from users import services
from users.audience import Visibility
from users.models import User

# `make test-long` takes 150.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "8"))
NAMES = ["an", "ann", "anna", "annan", "anton", "ante", "b", "ben", "bento", "山", "山田", "山本"]
BEGINNINGS = ["a", "an", "ann", "b", "be", "山"]
AUTHORS = 3
SHOWN = 3

texts = st.lists(st.sampled_from(NAMES), min_size=1, max_size=6).map(
    lambda names: " ".join(f"#{name}" for name in names)
)
people = st.integers(0, AUTHORS - 1)
deeds = st.one_of(
    st.tuples(st.just("post"), st.tuples(people, texts)),
    st.tuples(st.just("whisper"), st.tuples(people, texts)),
    st.tuples(st.just("edit"), st.tuples(st.integers(0, 50), texts)),
    st.tuples(st.just("remove"), st.integers(0, 50)),
    st.tuples(st.sampled_from(["suspend", "restore", "silence", "unsilence"]), people),
    st.tuples(st.sampled_from(["hide", "show"]), people),
    st.tuples(st.just("lose"), st.integers(0, 2)),
)


@pytest.fixture(autouse=True)
def tiny_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[tuple[Any, str, Any]] = [
        (lists, "SHARED_BY", 2),
        (lists, "KEPT", 4),
        (lists, "LEAST", 2),
        (ranking, "FEW", 3),
        (ranking, "_STEPS", [1, 2, 4, 7, 12, 2**31]),
    ]
    for where, name, size in sizes:
        monkeypatch.setattr(where, name, size)


def naive(beginning: str) -> list[str]:
    public = Status.objects.filter(visibility=Visibility.PUBLIC, author__is_active=True)
    seen = public.filter(author__is_private=False, author__is_silenced=False)
    counts = Counter(Tagging.objects.filter(status__in=seen).values_list("tag_id", flat=True))
    found = Tag.objects.filter(name__startswith=beginning, pk__in=counts)
    used = sorted(found, key=lambda it: (counts[it.pk], it.pk), reverse=True)
    return [it.name for it in used][:SHOWN]


def happen(deed: str, about: Any) -> None:
    if deed in ("post", "whisper"):
        say(deed, *about)
    elif deed == "lose":
        for name in keys_of_the_test("tag_names:*")[about::3]:
            get_client().delete(name)
    elif deed in ("edit", "remove"):
        change(deed, about)
    elif deed in ("hide", "show"):
        services.change_privacy(
            user=author(about), is_private=deed == "hide", default_visibility=Visibility.PUBLIC
        )
    else:
        getattr(services, deed)(user=author(about))


def author(number: int) -> User:
    return User.objects.order_by("pk")[number]


def say(deed: str, number: int, text: str) -> None:
    audience = Visibility.PUBLIC if deed == "post" else Visibility.FOLLOWERS
    if author(number).is_active:
        post_status(author=author(number), text=text, visibility=audience)


def change(deed: str, about: Any) -> None:
    said = list(Status.objects.filter(author__is_active=True).order_by("pk"))
    number, text = about if deed == "edit" else (about, "")
    if not said:
        return
    status = said[number % len(said)]
    if deed == "edit":
        edit_status(status=status, by=status.author, text=text)
    else:
        delete_status(status=status, by=status.author)


@search(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(life=st.lists(deeds, min_size=6, max_size=20), first=st.lists(texts, max_size=12))
@pytest.mark.usefixtures("transactional_db")
def test_the_first_offered_are_those_of_a_naive_count(
    first: list[str], life: list[tuple[str, Any]]
) -> None:
    for model in (Status, Tagging, Tag, User):
        model._default_manager.all().delete()
    if old := keys_of_the_test():
        get_client().delete(*old)
    for number in range(AUTHORS):
        make_user(f"author{number}")
    for deed, about in [*(("post", (0, text)) for text in first), *life]:
        happen(deed, about)
        count_tags()
        get_client().unlink(keys.trending("tags"))
        for beginning in BEGINNINGS:
            offered = [it.name for it in tags.find(beginning, limit=SHOWN)]
            assert offered == naive(beginning), beginning
    for store in stores():
        if store.kind in ("tag_uses", "tag_names"):
            rows = list(Tag.objects.all()) if store.kind == "tag_uses" else [None]
            assert [*map(str, store.differences(rows))] == []
