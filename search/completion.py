"""Names and tags for a user who is typing a post: `@ma…`, `#ber…`."""

from collections.abc import Callable, Collection, Iterator, Sequence

from relations.blocks_and_mutes import viewpoint
from timelines.index.mentions import addressees_and
from users.models import User
from users.names.folding import terms_of
from users.names.index import matching
from users.selectors import in_order
from users.standing import suspension
from users.store import Person

from .people import anybody, followed, named, popular_first

SHOWN = 8
# Somebody waits for each keystroke: of a short beginning, not everybody is compared.
CANDIDATES = 1_000


def people(viewer: User, beginning: str) -> list[Person]:
    """Looks for exactly this name, then people whom the viewer addresses or follows, then anybody.
    Two round trips, and up to five queries by index.
    """
    terms = terms_of(beginning)
    if not terms:
        return []
    addressees, (view, version) = addressees_and(
        viewer.pk, viewpoint.command(viewer.pk), suspension.version_command()
    )
    hidden = viewpoint.viewpoint_in(view, viewer.pk).blocked | suspension.suspended_at(version)
    most = SHOWN + min(len(hidden), CANDIDATES)
    sources: list[Callable[[], list[int]]] = [
        lambda: named(beginning),
        lambda: _among(addressees, terms),
        lambda: followed(terms, viewer, most),
        lambda: anybody(terms, most, candidates=CANDIDATES),
    ]
    return in_order(_first(sources, hidden | {viewer.pk}))


def _among(addressees: Sequence[int], terms: Sequence[str]) -> list[int]:
    if not addressees:
        return []
    rows = matching(terms).filter(user__in=addressees)
    found = set(popular_first(rows, len(addressees)))
    return [it for it in addressees if it in found]


def _first(sources: Sequence[Callable[[], list[int]]], hidden: Collection[int]) -> list[int]:
    """Stops asking sources once there are enough."""
    found: dict[int, None] = {}
    for user_id in _in_turn(sources, found):
        if user_id not in hidden:
            found[user_id] = None
    return list(found)[:SHOWN]


def _in_turn(sources: Sequence[Callable[[], list[int]]], found: Collection[int]) -> Iterator[int]:
    for source in sources:
        if len(found) >= SHOWN:
            return
        yield from source()
