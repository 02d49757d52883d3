"""Works out whom somebody may like to follow, and keeps it for them."""

import time
from collections.abc import Iterable, Sequence
from itertools import islice

from relations import store as edges
from relations.blocks_and_mutes import viewpoint
from users.models import User

from ..models import Dismissal
from ..readable import first_few, languages_of_account
from . import store
from .reasons import Candidate
from .sources import SOURCES, Reader
from .store import Kept

# Whom the reader followed last: what these follow is looked at, here and when a page is read.
FRIENDS = 30
# Kept for a reader, and at most from one source, so that each has its turn.
MOST, MOST_OF_EACH = 60, 30


def work_out(user: User, languages: Sequence[str]) -> Kept:
    """Some ten round trips, however many the user follows; and queries for what others have not
    asked for lately: two for each tag, two for each language.
    """
    view = viewpoint.viewpoint_of(user.pk).unwanted(viewpoint.this_moment())
    newest = edges.newest_following(user.pk, below=None, limit=FRIENDS)
    hidden = newest.suspended | view
    friends = [it.user_id for it in newest.edges if it.user_id not in hidden]
    offers = _offers(Reader(user.pk, languages, friends))
    offered = {it.user_id for offer in offers for it in offer}
    followed = edges.follows(user.pk, offered) if offered else set()
    left_out = {user.pk, *hidden, *followed, *dismissed_by(user.pk)}
    candidates = _chosen(offers, left_out)
    kept = Kept(candidates, friends, list(languages), int(time.time()))
    store.keep(user.pk, kept)
    # One who was dismissed meanwhile may have been put back.
    store.drop(user.pk, dismissed_by(user.pk) - left_out)
    return kept


def for_visitors(languages: Sequence[str]) -> list[Candidate]:
    return _chosen(_offers(Reader(None, languages)), set())


def work_out_again(user_id: int) -> None:
    """In a task: no browser says which languages the user reads, but an earlier one has said it."""
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None:
        return
    kept = store.kept_for(user_id)
    work_out(user, first_few([*languages_of_account(user), *(kept.languages if kept else ())]))


def dismissed_by(user_id: int) -> set[int]:
    return set(Dismissal.objects.filter(user=user_id).values_list("person", flat=True))


def _offers(reader: Reader) -> list[list[Candidate]]:
    return [list(source(reader)) for source in SOURCES]


def _chosen(offers: Iterable[Iterable[Candidate]], left_out: set[int]) -> list[Candidate]:
    """The first that offers somebody says why."""
    chosen: dict[int, Candidate] = {}
    for offer in offers:
        new = (it for it in offer if it.user_id not in left_out and it.user_id not in chosen)
        for candidate in islice(new, MOST_OF_EACH):
            chosen.setdefault(candidate.user_id, candidate)
    return list(chosen.values())[:MOST]
