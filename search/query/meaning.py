"""What a query means to its reader: the terms to look for, and what else has to hold."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time

from django.utils.translation import gettext

from redistools.ids import first_id_at
from statuses.stored import StoredStatus
from statuses.words.terms import QueryTerms, query_terms
from users.models import User
from web.cursors import HIGHEST_ID

from ..index.documents import document, filter_term
from ..index.wanted import Bounds, Wanted
from .filters import NARROWING, PERSONAL
from .syntax import ME, Atom, BadQuery, Clause, Filter, Query, needs_login


@dataclass(frozen=True)
class Meaning:
    wanted: Wanted
    bounds: Bounds
    min_likes: int = 0
    only_followed: bool = False
    # These are found even if nobody else finds them.
    only_own: bool = False
    only_bookmarks: bool = False

    def fits(self, status: StoredStatus) -> bool:
        return self.wanted.fits(document(status))


def meaning_of(query: Query, *, viewer: User | None) -> Meaning:
    """Raises BadQuery if it needs a reader and there is none, or says nothing to look for."""
    _refuse_visitors(query, viewer)
    wanted = _wanted(query, viewer)
    found = Meaning(
        wanted,
        _bounds(query),
        min_likes=max((int(str(it.value)) for it in query.filters("min_likes")), default=0),
        only_followed=any(query.filters("filter")),
        only_own=any(map(_is_me, query.filters("from"))),
        only_bookmarks=any(query.filters("in")),
    )
    if not wanted.needed and not found.only_bookmarks:
        words = gettext("Add what to look for: a word, a #tag, or from: and a username.")
        raise BadQuery(words, column=0, length=max(1, len(str(query))))
    return found


def _refuse_visitors(query: Query, viewer: User | None) -> None:
    for it in (it for clause in query.clauses for it in clause.alternatives):
        if viewer is None and isinstance(it, Filter) and (_is_me(it) or it.name in PERSONAL):
            raise needs_login(it)


def _is_me(it: Filter) -> bool:
    return it.name in ("from", "to") and it.value == ME


def _wanted(query: Query, viewer: User | None) -> Wanted:
    """Leaves out what has no terms, such as a dash."""
    clauses = [(it.is_negated, tuple(_terms(it, viewer))) for it in query.clauses]
    return Wanted(
        needed=tuple(terms for is_negated, terms in clauses if terms and not is_negated),
        refused=tuple(it for is_negated, terms in clauses if is_negated for it in terms),
    )


def _terms(clause: Clause, viewer: User | None) -> Iterator[QueryTerms]:
    for it in clause.alternatives:
        if found := _asked_by(it, viewer):
            yield found


def _asked_by(it: Atom, viewer: User | None) -> QueryTerms | None:
    if not isinstance(it, Filter):
        return query_terms(it.text)
    if it.name in NARROWING:
        return None
    value = viewer.username.lower() if viewer and _is_me(it) else str(it.value)
    return QueryTerms((filter_term(it.name, value),))


def _bounds(query: Query) -> Bounds:
    """Days begin at midnight, in UTC. That of `since` is part of it, that of `until` is not."""
    since = [_first_id(it) for it in query.filters("since")]
    until = [_first_id(it) for it in query.filters("until")]
    return Bounds(max(since, default=0) - 1, min(*until, HIGHEST_ID + 1, HIGHEST_ID + 1))


def _first_id(it: Filter) -> int:
    midnight = datetime.combine(datetime.fromisoformat(str(it.value)), time(), UTC)
    return min(first_id_at(midnight), HIGHEST_ID)
