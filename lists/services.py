"""Writing lists: SQL first; the serving copy follows after its commit."""

from collections.abc import Collection

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from relations.selectors import is_block_between
from taskqueue import start
from users.models import AccountGone, User
from users.rows import change_counter, lock_account, lock_accounts
from users.throttling import throttled
from web.refusals import Refusal

from .models import List, ListMember
from .selectors import own_lists_with
from .tasks import forget_list, sync_member

MAX_LISTS = 100
MAX_MEMBERS = 5_000


@throttled("list", by="owner")
def create_list(*, owner: User, name: str, is_private: bool = False) -> List:
    with transaction.atomic():
        lock_account(owner)
        if owner.lists.count() >= MAX_LISTS:
            raise Refusal(
                gettext("You have %(most)s lists, the maximum.") % {"most": MAX_LISTS}, code="limit"
            )
        return _save(List(owner=owner, name=name.strip(), is_private=is_private))


@throttled("list", by="list_.owner_id")
def change_list(*, list_: List, name: str, is_private: bool) -> List:
    list_.name, list_.is_private = name.strip(), is_private
    with transaction.atomic():
        _lock(list_)
        return _save(list_)


@throttled("list", by="list_.owner_id")
def delete_list(*, list_: List) -> None:
    with transaction.atomic():
        if not _lock_list(list_):
            return
        user_ids = list(list_.members.order_by("user_id").values_list("user_id", flat=True))
        for user_id in user_ids:
            change_counter(user_id, "listed_count", -1)
        start.run_on_commit(forget_list, list_.owner_id, list_.pk, user_ids)
        List.objects.filter(pk=list_.pk).delete()


@throttled("member", by="list_.owner_id")
def add_to_list(*, list_: List, user: User) -> bool:
    """Returns False if they were in it already. Raises Refusal and AccountGone."""
    return _add(list_, user)


def _add(list_: List, user: User) -> bool:
    with transaction.atomic():
        _lock(list_, user)
        if list_.members.filter(user=user).exists():
            return False
        if is_block_between(list_.owner_id, user.pk):
            raise Refusal(
                gettext("You blocked %(account)s. Unblock them to add them to a list.")
                % {"account": user},
                code="blocked",
            )
        if list_.members.count() >= MAX_MEMBERS:
            raise Refusal(
                gettext("A list has at most %(most)s members.") % {"most": MAX_MEMBERS},
                code="limit",
            )
        ListMember.objects.create(list=list_, user=user)
        change_counter(user.pk, "listed_count", +1)
        start.run_on_commit(sync_member, list_.pk, user.pk)
    return True


@throttled("member", by="owner")
def sort_into(
    *,
    owner: User,
    user: User,
    list_ids: Collection[int],
    new_list: str = "",
    is_private: bool = False,
) -> None:
    """Makes these the owner's lists that have the user in them, and creates a new one if it has a
    name.

    Raises Refusal, ValidationError and AccountGone. The new list comes first: if it is refused,
    nothing has changed.
    """
    wanted = set(list_ids)
    if new_list.strip():
        wanted.add(create_list(owner=owner, name=new_list, is_private=is_private).pk)
    held = own_lists_with(owner, user)
    for list_ in owner.lists.filter(pk__in=held.symmetric_difference(wanted)):
        if list_.pk in held:
            _remove(list_, user)
        else:
            _add(list_, user)


@throttled("member", by="list_.owner_id")
def remove_from_list(*, list_: List, user: User) -> bool:
    return _remove(list_, user)


def _remove(list_: List, user: User) -> bool:
    with transaction.atomic():
        _lock_list(list_)
        deleted, _ = list_.members.filter(user=user).delete()
        if deleted:
            change_counter(user.pk, "listed_count", -1)
            start.run_on_commit(sync_member, list_.pk, user.pk)
    return bool(deleted)


def _lock(list_: List, *users: User) -> None:
    exists = _lock_list(list_)
    wanted = {list_.owner_id, *(user.pk for user in users)}
    found = {pk for pk, user in lock_accounts(wanted).items() if user.is_active}
    if list_.owner_id not in found:
        raise AccountGone
    if found < wanted or not exists:
        raise Refusal(gettext("This account or list no longer exists."), code="gone")


def _lock_list(list_: List) -> bool:
    """Returns False if it is gone. Call before locking accounts: another order would deadlock."""
    return List.objects.select_for_update().filter(pk=list_.pk).first() is not None


def _save(list_: List) -> List:
    list_.full_clean()
    try:
        with transaction.atomic():
            list_.save()
    except IntegrityError:
        # A double click took the name since we looked: look again, and say so.
        list_.full_clean()
        raise
    return list_
