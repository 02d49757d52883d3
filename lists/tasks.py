"""What follows a change of a list, or a block. Ids in; running a task twice changes nothing."""

from django.db import transaction
from django.db.models import Q

from redistools import serving_copy
from relations.selectors import is_block_between
from taskqueue import start
from taskqueue.task import task
from users.rows import change_counter, lock_accounts
from web.pages.page_versions import drop_all_pages_now

from . import store
from .events import member_changed
from .models import List, ListMember
from .serving_copy import LISTS


@task()
def sync_member(list_id: int, user_id: int) -> None:
    for list_ in List.objects.filter(pk=list_id):
        is_member = store.refresh_edge(list_, user_id)
        member_changed(list_, user_id, is_member=is_member)


@task()
def forget_member(list_ids: list[int], user_id: int) -> None:
    for list_ in List.objects.filter(pk__in=list_ids):
        store.refresh_edge(list_, user_id)
    drop_all_pages_now()


@task()
def forget_list(owner_id: int, list_id: int, user_ids: list[int]) -> None:
    store.forget_list(owner_id=owner_id, list_id=list_id, user_ids=user_ids)
    serving_copy.forget(LISTS, [List(pk=list_id, owner_id=owner_id)])


@task()
def part(one_id: int, other_id: int) -> None:
    """Takes two people out of each other's lists, unless the block between them is gone."""
    theirs = Q(list__owner_id=one_id, user_id=other_id) | Q(list__owner_id=other_id, user_id=one_id)
    with transaction.atomic():
        lock_accounts([one_id, other_id])
        if not is_block_between(one_id, other_id):
            return
        for member in ListMember.objects.filter(theirs):
            start.run_on_commit(sync_member, member.list_id, member.user_id)
            change_counter(member.user_id, "listed_count", -1)
            member.delete()
