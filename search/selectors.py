"""What a search for people and tags finds, and the searches that somebody keeps. `posts.py` finds
posts.
"""

from typing import NamedTuple

from django.db.models import QuerySet
from django.http import Http404

from relations.selectors import People, known_to
from users.models import User

from . import people, tags
from .models import RecentSearch, SavedSearch
from .tags import FoundTag

PEOPLE_PER_PAGE = 20
TAGS = 40
# Beyond it a longer query finds more than pages do.
MOST_PAGES = 10


class FoundPeople(NamedTuple):
    people: People
    next_page: int | None = None


def find_people(query: str, *, viewer: User | None, page: int = 1) -> FoundPeople:
    """Nobody by a `#tag`. Two round trips, seven queries."""
    if query.startswith("#"):
        return FoundPeople(People([]))
    found = people.find(query, viewer=viewer, limit=MOST_PAGES * PEOPLE_PER_PAGE)
    first = (page - 1) * PEOPLE_PER_PAGE
    shown, rest = found[first : first + PEOPLE_PER_PAGE], found[first + PEOPLE_PER_PAGE :]
    return FoundPeople(known_to(viewer, shown), page + 1 if rest else None)


def find_tags(query: str) -> list[FoundTag]:
    """None by a `@name`. One round trip, one query."""
    return [] if query.startswith("@") else tags.find(query, limit=TAGS)


def saved_searches(user: User) -> QuerySet[SavedSearch]:
    return user.saved_searches.order_by("-pk")


def own_search(search_id: int, *, owner: User) -> SavedSearch:
    """Raises 404, also for those of others."""
    if found := owner.saved_searches.filter(pk=search_id).first():
        return found
    raise Http404


def recent_searches(user: User) -> QuerySet[RecentSearch]:
    return user.recent_searches.order_by("-searched_at", "-pk")
