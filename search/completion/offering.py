"""Names and tags for a user who is typing a post or a search: `@ma…`, `#ber…`."""

from collections.abc import Callable, Collection, Iterator, Sequence

from relations.blocks_and_mutes import viewpoint
from timelines.index.mentions import addressees_and
from users.models import User
from users.names.folding import terms_of, words_of
from users.names.index import matching
from users.selectors import in_order
from users.standing import suspension
from users.store import Person

from ..people import first_of_all, followed, named, popular_first
from . import lists
from .ranking import best

SHOWN = 8


def people(viewer: User, beginning: str) -> list[Person]:
    """Looks for exactly this name, then people whom the viewer addresses or follows, then anybody.
    Two round trips and up to three queries, as a rule; what is not needed is not asked.
    """
    terms = terms_of(beginning)
    if not terms:
        return []
    longest = max(terms, key=len)
    addressees, (view, version, listed) = addressees_and(
        viewer.pk,
        viewpoint.command(viewer.pk),
        suspension.version_command(),
        lists.command(longest),
    )
    blocked = viewpoint.viewpoint_in(view, viewer.pk).blocked | {viewer.pk}
    most = SHOWN + len(blocked)
    sources: list[Callable[[], Iterator[int]]] = [
        lambda: iter(named(beginning)),
        lambda: iter(_among(addressees, terms)),
        lambda: iter(followed(terms, viewer, most)),
        lambda: _anybody(terms, listed, most),
    ]
    found = _first(sources, blocked | suspension.suspended_at(version))
    return _verified(found, terms, longest)


def _among(addressees: Sequence[int], terms: Sequence[str]) -> list[int]:
    if not addressees:
        return []
    rows = matching(terms).filter(user__in=addressees)
    found = set(popular_first(rows, len(addressees)))
    return [it for it in addressees if it in found]


def _anybody(terms: Sequence[str], listed: str | None, most: int) -> Iterator[int]:
    """Goes on in SQL where a list ends."""
    found = first_of_all(terms, listed)
    yield from found.ids
    if not found.whole:
        yield from (it.user_id for it in best(terms, most))


def _first(sources: Sequence[Callable[[], Iterator[int]]], hidden: Collection[int]) -> list[int]:
    """Stops asking once there are enough."""
    found: dict[int, None] = {}
    for source in sources:
        for user_id in source():
            if user_id not in hidden:
                found[user_id] = None
            if len(found) == SHOWN:
                return list(found)
    return list(found)


def _verified(user_ids: Collection[int], terms: Sequence[str], listed: str) -> list[Person]:
    """Without those who have other names by now; then the list is loaded again."""
    found = in_order(user_ids)
    right = [it for it in found if _is_named(it, terms)]
    if len(right) < len(user_ids):
        lists.forget(listed)
    return right


def _is_named(person: Person, terms: Sequence[str]) -> bool:
    words = words_of(username=person.username, name=person.name)
    return all(any(word.startswith(term) for word in words) for term in terms)
