from collections.abc import Collection

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Lower
from django.http import Http404
from django.utils.translation import gettext

from web.refusals import Refusal

from . import rows, store
from .models import User, UserQuerySet
from .store import Person

UNCONFIRMED = "unconfirmed"


def by_username(username: str) -> User:
    return User.objects.get_by_natural_key(username)


def account_or_404(username: str) -> User:
    """Case does not matter. Suspended accounts seem not to exist. One query."""
    return active_or_404(username, rows.named([username]))


def active_or_404(username: str, found: Collection[User]) -> User:
    for account in found:
        if account.is_active:
            return account
    raise Http404(f"There is no @{username} here.")


def by_email(email: str) -> UserQuerySet:
    """Several accounts may share an address."""
    accounts = User.objects.get_queryset().alias(folded=Lower("email"))
    return confirmed_first(accounts.filter(folded=email.lower()))


def name_for(typed: str) -> str:
    """The username behind what was typed: a name, or an address that exactly one account has
    confirmed.

    Suspended accounts count only if there is no other. One query for any address, known or not.
    """
    if "@" not in typed:
        return typed
    owners = by_email(typed).filter(email_confirmed_at__isnull=False)
    first = list(owners.order_by(F("suspended_at").asc(nulls_first=True), "pk")[:2])
    others = [owner for owner in first if not owner.is_suspended] or first
    return others[0].username if len(others) == 1 else typed


def confirmed_first(accounts: UserQuerySet) -> UserQuerySet:
    """The oldest first. So signing up with somebody else's address can't crowd out its owner."""
    return accounts.order_by(F("email_confirmed_at").asc(nulls_last=True), "pk")


def refuse_unconfirmed(user: User) -> None:
    """Raises Refusal if only confirmed addresses may write here, and this one is not."""
    if settings.POSTING_NEEDS_CONFIRMED_EMAIL and user.email_confirmed_at is None:
        raise Refusal(
            gettext("Confirm your e-mail address first: follow the link in the mail we sent you."),
            code=UNCONFIRMED,
            status=403,
        )


def people(user_ids: Collection[int]) -> dict[int, Person]:
    """From Redis; what it lacks is rebuilt from SQL first. Ids without an account are left out."""
    return with_missing(user_ids, store.read_users(user_ids))


def with_missing(user_ids: Collection[int], found: dict[int, Person]) -> dict[int, Person]:
    missing = set(user_ids) - found.keys()
    if not missing:
        return found
    # Rebuilding locks rows (on SQLite: every writer), so don't do it for ids of deleted accounts.
    alive = list(User.objects.filter(pk__in=missing).values_list("pk", flat=True))
    if not alive:
        return found
    store.refresh_users(alive)
    return found | store.read_users(alive)


def outranks(by: User, account: User) -> bool:
    """Nobody decides about themselves, and only superusers decide about staff."""
    has_rights = account.is_staff or account.is_superuser
    return by.pk != account.pk and (by.is_superuser or not has_rights)


def in_order(user_ids: Collection[int]) -> list[Person]:
    found = people(user_ids)
    return [found[user_id] for user_id in user_ids if user_id in found]
