"""What a search finds."""

from typing import NamedTuple

from relations.blocks_and_mutes.viewpoint import viewpoint_of
from relations.selectors import People, known_to
from users.models import User

from . import people, tags
from .tags import FoundTag

PEOPLE_PER_PAGE = 20
TAGS = 8
TAGS_ALONE = 40
# Beyond it a longer query finds more than pages do.
MOST_PAGES = 10
# Longer queries are cut: no name is that long.
LONGEST_QUERY = 100


class Results(NamedTuple):
    people: People
    tags: list[FoundTag]
    next_page: int | None = None

    @property
    def is_empty(self) -> bool:
        return not self.people.shown and not self.tags


def search(query: str, *, viewer: User | None, page: int = 1) -> Results:
    """`@…` finds people only, `#…` tags only. Three round trips, five queries."""
    if query.startswith("#"):
        return Results(People([]), tags.find(query, limit=TAGS_ALONE))
    found = people_named(query, viewer=viewer, limit=MOST_PAGES * PEOPLE_PER_PAGE)
    first = (page - 1) * PEOPLE_PER_PAGE
    shown, rest = found[first : first + PEOPLE_PER_PAGE], found[first + PEOPLE_PER_PAGE :]
    wants_tags = page == 1 and not query.startswith("@")
    return Results(
        known_to(viewer, shown),
        tags.find(query, limit=TAGS) if wants_tags else [],
        page + 1 if rest else None,
    )


def people_named(query: str, *, viewer: User | None, limit: int) -> list[int]:
    """Best first, without people with a block between them and the viewer."""
    hidden = viewpoint_of(viewer.pk).blocked if viewer else frozenset()
    return people.find(query, viewer=viewer, hidden=hidden, limit=limit)
