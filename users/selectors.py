"""Reading users."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from django.db.models import F, QuerySet
from django.db.models.functions import Lower
from django.http import Http404

from . import edges, store
from .edges import Edge, Page
from .models import User
from .store import Profile

PEOPLE_PER_PAGE = 50
# How far a page looks past suspended accounts: more and more of them at a time, so many times.
ROUNDS, MOST_AT_ONCE = 8, 500
# Suggestions come from so many of the newest accounts, so that they never sort all of them.
NEWCOMERS = 1_000


@dataclass(frozen=True)
class People:
    """A page of people; `followed` are those whom the viewer follows."""

    profiles: list[Profile]
    followed: set[int]
    older: int | None
    """The cursor of the next page, if there is one."""


def by_username(username: str) -> User:
    """In any case. Raises User.DoesNotExist."""
    return User.objects.get_by_natural_key(username)


def active_account(username: str) -> User:
    """In any case. Raises User.DoesNotExist for a suspended account too."""
    account = by_username(username)
    if not account.is_active:
        raise User.DoesNotExist
    return account


def account_or_404(username: str) -> User:
    try:
        return active_account(username)
    except User.DoesNotExist:
        raise Http404(f"There is no @{username} here.") from None


def by_email(email: str) -> QuerySet[User]:
    """Several accounts may share an address."""
    return confirmed_first(User.objects.alias(folded=Lower("email")).filter(folded=email.lower()))


def confirmed_first(accounts: QuerySet[User]) -> QuerySet[User]:
    """Those whose owners have shown that they read the mailbox, then the others; the oldest first.

    Thus whoever signs up with somebody else's address can't crowd out its owner.
    """
    return accounts.order_by(F("email_confirmed_at").asc(nulls_last=True), "pk")


def profiles(user_ids: Collection[int]) -> dict[int, Profile]:
    """From Redis; what it lacks is rebuilt from SQL first. Ids without an account are left out."""
    found = store.read_users(user_ids)
    missing = set(user_ids) - found.keys()
    if not missing:
        return found
    # Rebuilding locks rows (on SQLite: every writer), so ids of deleted accounts must not cause it.
    alive = list(User.objects.filter(pk__in=missing).values_list("pk", flat=True))
    if not alive:
        return found
    store.refresh_users(alive)
    return found | store.read_users(alive)


def followers(
    account: User,
    *,
    viewer: User | None = None,
    max_id: int | None = None,
) -> People:
    """Who follows the account, the newest first. `max_id` is the cursor of the page before."""
    return _people(partial(edges.newest_followers, account.pk), viewer, max_id)


def following(
    account: User,
    *,
    viewer: User | None = None,
    max_id: int | None = None,
) -> People:
    """Whom the account follows, the newest first. `max_id` is the cursor of the page before."""
    return _people(partial(edges.newest_following, account.pk), viewer, max_id)


def suggestions(viewer: User | None, *, limit: int) -> People:
    """Of the newest accounts those with the most followers whom the viewer does not follow yet."""
    newcomers = User.objects.filter(is_active=True).order_by("-pk")
    if viewer is not None:
        newcomers = newcomers.exclude(pk=viewer.pk).exclude(follows_got__follower=viewer)
    some = User.objects.filter(pk__in=newcomers.values("pk")[:NEWCOMERS])
    chosen = some.order_by("-followers_count", "-pk")[:limit]
    return People([store.profile_of(user) for user in chosen], followed=set(), older=None)


def is_following(viewer: User | None, account: User) -> bool:
    if viewer is None or viewer.pk == account.pk:
        return False
    return account.pk in edges.follows(viewer.pk, [account.pk])


def may_suspend(by: User, account: User) -> bool:
    """Moderators may, but nobody themselves; only superusers those who have rights."""
    has_rights = account.is_staff or account.is_superuser
    may_touch = by.is_superuser or not has_rights
    return by.pk != account.pk and may_touch and by.has_perm("users.change_user")


def in_order(user_ids: Collection[int]) -> list[Profile]:
    """The profiles in the order of the ids."""
    found = profiles(user_ids)
    return [found[user_id] for user_id in user_ids if user_id in found]


def _people(read: Callable[..., Page], viewer: User | None, max_id: int | None) -> People:
    shown, older = _visible(read, max_id)
    user_ids = [edge.user_id for edge in shown]
    followed = edges.follows(viewer.pk, user_ids) if viewer and user_ids else set()
    return People(in_order(user_ids), followed, older)


def _visible(read: Callable[..., Page], below: int | None) -> tuple[list[Edge], int | None]:
    """A page without suspended accounts, full if it can be, and the cursor of the next.

    Where thousands in a row are suspended the page ends short of them, and the next goes on.
    """
    visible: list[Edge] = []
    # One more than is shown tells whether there is another page.
    asked = PEOPLE_PER_PAGE + 1
    for _ in range(ROUNDS):
        page = read(below=below, limit=asked)
        visible += [edge for edge in page.edges if edge.user_id not in page.suspended]
        if len(visible) > PEOPLE_PER_PAGE:
            shown = visible[:PEOPLE_PER_PAGE]
            return shown, shown[-1].follow_id
        if len(page.edges) < asked:
            return visible, None
        below, asked = page.edges[-1].follow_id, min(2 * asked, MOST_AT_ONCE)
    return visible, below
