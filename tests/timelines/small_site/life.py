"""What all rules of the small site share: who lives there, and how things go wrong."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest
from django.db import transaction
from django.http import Http404
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from redistools.loaded_set import Loaded
from statuses.models import Status
from statuses.selectors import visible_or_404
from statuses.stored import StoredStatus
from timelines import store
from timelines.collecting import collect
from users.audience import Visibility
from users.models import AccountGone, User
from web.refusals import Refusal

T = TypeVar("T")
Pair = tuple[int, int]

PEOPLE = 5

people = st.integers(0, PEOPLE - 1)
pairs = st.tuples(people, people)
numbers = st.integers(0, 10**6)
texts = st.sampled_from(["something", "#one", "#One #two", "@user1 #two", "@user1 @USER2"])
tags = st.sampled_from(["one", "TWO", "three"])
# Mostly none is chosen, and it is the author's usual one.
audiences = st.sampled_from([None, None, None, *Visibility])


class Life(RuleBasedStateMachine):
    users: list[User]

    def status_for(self, who: int, number: int) -> StoredStatus | None:
        """One of all statuses, if this reader may see it. A boost outlives its original for a
        moment, and for as long does the original's hash: SQL is asked.
        """
        for status_id in pick(number, ids()):
            if exists_with_its_original(status_id):
                try:
                    return visible_or_404(status_id, viewer=self.users[who])
                except Http404:
                    return None
        return None


def pick(number: int, things: Collection[T]) -> list[T]:
    """One of them, or none if there is none."""
    return [list(things)[number % len(things)]] if things else []


def ids() -> list[int]:
    return list(Status.objects.order_by("id").values_list("id", flat=True))


def exists_with_its_original(status_id: int) -> bool:
    original_id = Status.objects.get(pk=status_id).boost_of_id
    return original_id is None or Status.objects.filter(pk=original_id).exists()


def later() -> datetime:
    """When every lease has run out and every retry is due. Later with each call."""
    return datetime.now(UTC) + timedelta(days=1)


@contextmanager
def dying_after_the_commit(dies: bool = True) -> Iterator[None]:
    """The process is killed before it does any of what follows its commit. What the site refuses,
    such as following somebody who is suspended, or what these do themselves, changes nothing.
    """
    with pytest.MonkeyPatch.context() as patch:
        if dies:
            patch.setattr(transaction, "on_commit", lambda *_args, **_kwargs: None)
        try:
            with suppress(AccountGone):
                yield
        except Refusal as refusal:
            if refusal.code not in REFUSALS:
                raise


REFUSALS = ("blocked", "gone", "private", "self")


@contextmanager
def after_collecting(action: Callable[[], object]) -> Iterator[None]:
    """The action is done once, between the two halves of a build."""
    waiting = [action]

    def collect_and_wait(author_ids: Collection[int], *, limit: int) -> Loaded:
        newest = collect(author_ids, limit=limit)
        while waiting:
            waiting.pop()()
        return newest

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "collect", collect_and_wait)
        yield
