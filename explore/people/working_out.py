"""Works out whom somebody may like to follow, and keeps it for them."""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import Self

from redistools.chunks import chunks
from relations import store as edges
from relations.blocks_and_mutes import viewpoint
from users.models import User

from ..models import Dismissal
from ..readable import first_few, languages_of_account
from . import store
from .reasons import Candidate
from .sources import LAST_RESORTS, SOURCES, Reader
from .store import Kept

# Whom the reader followed last: what these follow is looked at, here and when a page is read.
FRIENDS = 30
# Kept for a reader, and at most from one source.
MOST, MOST_OF_EACH = 60, 30
# This many of one source, then of the next: the few of a panel have the best reason.
TURN = 3


@dataclass(frozen=True)
class Offers:
    fitting: list[list[Candidate]]
    last: list[list[Candidate]]

    @classmethod
    def to(cls, reader: Reader) -> Self:
        return cls([[*it(reader)] for it in SOURCES], [[*it(reader)] for it in LAST_RESORTS])

    def __iter__(self) -> Iterator[Candidate]:
        return chain.from_iterable([*self.fitting, *self.last])

    def chosen(self, left_out: Collection[int]) -> list[Candidate]:
        """The first that offers somebody says why."""
        seen = set(left_out)
        fitting = [[*islice(_new(it, seen), MOST_OF_EACH)] for it in self.fitting]
        turns = zip_longest(*(chunks(it, TURN) for it in fitting), fillvalue=())
        last = [[*islice(_new(it, seen), MOST)] for it in self.last]
        return [*chain.from_iterable(chain(*turns)), *chain(*last)][:MOST]


def _new(offer: Iterable[Candidate], seen: set[int]) -> Iterator[Candidate]:
    for candidate in offer:
        if candidate.user_id not in seen:
            seen.add(candidate.user_id)
            yield candidate


def work_out(user: User, languages: Sequence[str]) -> Kept:
    """Some ten round trips, however many the user follows; and queries for what others have not
    asked for lately: two for each tag, two for each language.
    """
    view = viewpoint.viewpoint_of(user.pk).unwanted(viewpoint.this_moment())
    newest = edges.newest_following(user.pk, below=None, limit=FRIENDS)
    hidden = newest.suspended | view
    friends = [it.user_id for it in newest.edges if it.user_id not in hidden]
    offers = Offers.to(Reader(user.pk, languages, friends))
    offered = {it.user_id for it in offers}
    followed = edges.follows(user.pk, offered) if offered else set()
    left_out = {user.pk, *hidden, *followed, *dismissed_by(user.pk)}
    candidates = offers.chosen(left_out)
    kept = Kept(candidates, friends, list(languages), int(time.time()))
    store.keep(user.pk, kept)
    # One who was dismissed meanwhile may have been put back.
    store.drop(user.pk, dismissed_by(user.pk) - left_out)
    return kept


def for_visitors(languages: Sequence[str]) -> list[Candidate]:
    return Offers.to(Reader(None, languages)).chosen(set())


def work_out_again(user_id: int) -> None:
    """In a task: no browser says which languages the user reads, but an earlier one has said it."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None:
        return
    kept = store.kept_for(user_id)
    work_out(user, first_few([*languages_of_account(user), *(kept.languages if kept else ())]))


def dismissed_by(user_id: int) -> set[int]:
    return set(Dismissal.objects.filter(user=user_id).values_list("person", flat=True))
