"""Searches as streams follow them. A live search finds what its results would show next."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils import timezone
from django.utils.translation import gettext

from statuses.models import StatusQuerySet
from statuses.stored import StoredStatus
from statuses.words.terms import Place, QueryTerms
from streaming.asked.searches import CutStatus, register
from users.models import User
from web.refusals import Refusal

from .index.documents import document, flat
from .index.wanted import Wanted
from .index.writing import findable
from .models import SavedSearch
from .query.meaning import meaning_of
from .query.parsing import parse
from .query.syntax import ME, FilterName, Query

# New posts have no likes yet; the others ask for what streams don't know, or for the past.
LATER_OR_NEVER: tuple[FilterName, ...] = ("until", "min_likes", "filter", "in")
# The beginning of a term, by which single signs are found.
BEGUN = "^"


@dataclass(frozen=True)
class FollowedSearch:
    wanted: Wanted

    @cached_property
    def anchors(self) -> frozenset[str]:
        """One term of each alternative of the part whose terms are the longest: most likely, few
        posts have those.
        """
        choices = [frozenset(map(_anchor, some)) for some in self.wanted.needed]
        return max(choices, key=lambda some: (min(map(len, some)), sorted(some)))

    def fits(self, document: Sequence[Place]) -> bool:
        return self.wanted.fits(document)


class Searches:
    """The seam that streams know."""

    def read(self, query: str, *, reader: User) -> FollowedSearch:
        read = parse(query)
        meaning = meaning_of(read, viewer=reader)
        if not can_be_live(read):
            words = gettext("This search is not live: it asks for more than new posts say.")
            raise Refusal(words, code="query")
        return FollowedSearch(meaning.wanted)

    def cut(self, status: StoredStatus) -> CutStatus:
        cut = document(status)
        return CutStatus(cut, anchors_in(cut))

    def findable(self, rows: StatusQuerySet) -> StatusQuerySet:
        return findable(rows)


def followed_by(search: SavedSearch) -> FollowedSearch:
    """Raises Refusal."""
    return Searches().read(search.query, reader=search.user)


def can_be_live(query: Query) -> bool:
    """A post is found as soon as it is there, by what it says."""
    if any(any(query.filters(name)) for name in LATER_OR_NEVER):
        return False
    if any(it.value == ME for it in query.filters("from")):
        return False
    return all(str(it.value) <= timezone.now().date().isoformat() for it in query.filters("since"))


def anchors_in(document: Sequence[Place]) -> frozenset[str]:
    terms = frozenset(flat(document))
    return terms | {BEGUN + term[0] for term in terms}


def _anchor(asked: QueryTerms) -> str:
    if asked.is_open:
        return max([*asked.terms[:-1], BEGUN + asked.terms[-1][0]], key=len)
    return max(asked.terms, key=len)


register(Searches())
