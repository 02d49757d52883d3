"""What a block does to lists, and an account that leaves."""

from django.db.models import F

from relations.events import blocked
from taskqueue import start
from users.events import before_leaving, whose_counters_change
from users.models import User

from .models import ListMember
from .tasks import forget_list, forget_member, part


@blocked.then
def leave_lists(one_id: int, other_id: int) -> None:
    start.run_on_commit(part, one_id, other_id)


@whose_counters_change.then
def members(user: User) -> list[int]:
    return list(ListMember.objects.filter(list__owner=user).values_list("user_id", flat=True))


@before_leaving.then
def remove_lists(user: User) -> None:
    start.parts_on_commit(forget_member, user.listed_in.values_list("list_id", flat=True), user.pk)
    for list_ in user.lists.all():
        listed = list(list_.members.values_list("user_id", flat=True))
        User.objects.filter(pk__in=listed).update(listed_count=F("listed_count") - 1)
        start.run_on_commit(forget_list, user.pk, list_.pk, listed)
