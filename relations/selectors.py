"""Reading follows: pages of people."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from heapq import nlargest
from typing import NamedTuple

from redistools.client import get_client
from redistools.scripts import Batch
from users import store as users
from users.models import User
from users.selectors import in_order
from users.store import Person

from . import store as edges
from . import viewpoint
from .store import Edge, Page

PEOPLE_PER_PAGE = 50
# How far a page looks past suspended accounts: at most this many reads, each longer than the one
# before.
ROUNDS, MOST_AT_ONCE = 8, 500
# Suggestions come from the newest accounts only, so that we never sort all of them.
NEWCOMERS = 1_000


@dataclass(frozen=True)
class People:
    """A page of people; `followed` are those whom the viewer follows."""

    shown: list[Person]
    followed: set[int]
    older: int | None
    """The cursor of the next page, if there is one."""


def followers(
    account: User,
    *,
    viewer: User | None = None,
    max_id: int | None = None,
) -> People:
    """Who follows the account, the newest first. `max_id` is the cursor of the page before."""
    return people_page(partial(edges.newest_followers, account.pk), viewer, max_id)


def following(
    account: User,
    *,
    viewer: User | None = None,
    max_id: int | None = None,
) -> People:
    """Whom the account follows, the newest first. `max_id` is the cursor of the page before."""
    return people_page(partial(edges.newest_following, account.pk), viewer, max_id)


def suggestions(viewer: User | None, *, limit: int) -> People:
    """New accounts that the viewer does not follow yet, those with the most followers first."""
    newcomers = User.objects.filter(is_active=True, is_silenced=False).order_by("-pk")
    if viewer is not None:
        newcomers = newcomers.exclude(pk=viewer.pk).exclude(follows_got__follower=viewer)
    # Two queries: joined in one, PostgreSQL would read all accounts.
    some = newcomers.values_list("followers_count", "pk")[:NEWCOMERS]
    best = User.objects.filter(pk__in=[pk for _, pk in nlargest(limit, some)])
    chosen = best.order_by("-followers_count", "-pk")
    return People([users.person_of(user) for user in chosen], followed=set(), older=None)


class Bond(NamedTuple):
    """What ties a reader to somebody."""

    follows: bool = False
    hides_boosts: bool = False


def bond_with(viewer: User | None, account: User) -> Bond:
    """One round trip."""
    if viewer is None or viewer.pk == account.pk:
        return Bond()
    batch = Batch(get_client())
    edges.add_follow_reads(batch, viewer.pk, [account.pk])
    batch.add(*viewpoint.command(viewer.pk))
    followed, text = batch.run()
    view = viewpoint.viewpoint_in(text, viewer.pk)
    return Bond(
        follows=bool(edges.read_follows(followed, viewer.pk, [account.pk])),
        hides_boosts=account.pk in view.boosts_hidden,
    )


def is_following(viewer: User | None, account: User) -> bool:
    return bond_with(viewer, account).follows


def people_page(read: Callable[..., Page], viewer: User | None, max_id: int | None) -> People:
    """`read(below=…, limit=…)` finds them, the newest first."""
    shown, older = _visible(read, max_id)
    user_ids = [edge.user_id for edge in shown]
    followed = edges.follows(viewer.pk, user_ids) if viewer and user_ids else set()
    return People(in_order(user_ids), followed, older)


def _visible(read: Callable[..., Page], below: int | None) -> tuple[list[Edge], int | None]:
    """A page without suspended accounts, full if it can be, and the cursor of the next.

    If thousands in a row are suspended, the page ends early, and the next one continues.
    """
    visible: list[Edge] = []
    # One more than is shown: is there another page?
    asked = PEOPLE_PER_PAGE + 1
    for _ in range(ROUNDS):
        page = read(below=below, limit=asked)
        visible += [edge for edge in page.edges if edge.user_id not in page.suspended]
        if len(visible) > PEOPLE_PER_PAGE:
            shown = visible[:PEOPLE_PER_PAGE]
            return shown, shown[-1].row_id
        if len(page.edges) < asked:
            return visible, None
        below, asked = page.edges[-1].row_id, min(2 * asked, MOST_AT_ONCE)
    return visible, below
