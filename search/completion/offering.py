"""People for a user who is typing a post or a search: `@ma…`."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from relations.blocks_and_mutes import viewpoint
from timelines.index.mentions import addressees_and
from users.models import User
from users.names.folding import terms_of, words_of
from users.names.index import matching
from users.selectors import in_order
from users.standing import suspension
from users.store import Person

from ..people import first_of_all, followed, named, popular_first
from .lists import Run
from .names import NAMES

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
        NAMES.command(longest),
    )
    blocked = viewpoint.viewpoint_in(view, viewer.pk).blocked | {viewer.pk}
    most = SHOWN + len(blocked)
    sources: list[Callable[[], Iterable[Run]]] = [
        lambda: _alone(named(beginning)),
        lambda: _alone(_among(addressees, terms)),
        lambda: _alone(followed(terms, viewer, most)),
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


def _alone(user_ids: Iterable[int]) -> Iterator[Run]:
    return ([it] for it in user_ids)


def _anybody(terms: Sequence[str], listed: str | None, most: int) -> Iterator[Run]:
    """Goes on in SQL where a list ends."""
    found = first_of_all(terms, listed)
    yield from found.runs
    if not found.whole:
        yield from _alone(NAMES.ranking.first(terms, most))


def _first(
    sources: Sequence[Callable[[], Iterable[Run]]], hidden: Collection[int]
) -> dict[int, int]:
    """People, and which run they belong to. Stops asking once there are enough."""
    found: dict[int, int] = {}
    runs = (run for source in sources for run in source())
    for number, run in enumerate(runs):
        for user_id in run:
            if user_id not in hidden:
                found.setdefault(user_id, number)
        if len(found) >= SHOWN:
            break
    return found


def _verified(runs: Mapping[int, int], terms: Sequence[str], listed: str) -> list[Person]:
    """Without those who have other names by now; then the list is loaded again."""
    found = in_order(runs)
    right = [it for it in found if _is_named(it, terms)]
    if len(right) < len(runs):
        NAMES.forget(listed)
    right.sort(key=lambda it: (runs[it.id], -it.followers, -it.id))
    return right[:SHOWN]


def _is_named(person: Person, terms: Sequence[str]) -> bool:
    words = words_of(username=person.username, name=person.name)
    return all(any(word.startswith(term) for word in words) for term in terms)
