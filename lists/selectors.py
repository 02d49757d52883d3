"""Reading lists: who sees them, who owns them, who is in them."""

from functools import partial

from django.db.models import Count, Exists, Q, QuerySet
from django.db.models.functions import Lower
from django.http import Http404
from django.utils.translation import gettext

from relations.selectors import People, blocks_between, people_page
from relations.store import Edge, EdgePage
from users.models import User
from users.standing.suspension import suspended_ids
from web.refusals import Refusal

from .models import List, ListMember


def lists_of(owner: User) -> QuerySet[List]:
    return owner.lists.order_by(Lower("name"), "pk")


def shown_lists(owner: User, *, viewer: User | None) -> QuerySet[List]:
    lists = lists_of(owner)
    return lists if viewer == owner else lists.filter(is_private=False)


def own_lists_with(owner: User, user: User) -> set[int]:
    members = ListMember.objects.filter(list__owner=owner, user=user)
    return set(members.values_list("list_id", flat=True))


def list_or_404(list_id: int, *, viewer: User | None) -> List:
    """Finds public lists and the viewer's own, with `members_count`. Other private lists, and those
    of people with a block between them and the viewer, seem not to exist.
    """
    visible = Q(is_private=False, owner__is_active=True)
    if viewer is not None:
        visible = visible & ~Exists(blocks_between(viewer, "owner")) | Q(owner=viewer)
    lists = List.objects.select_related("owner").annotate(members_count=Count("members"))
    list_ = lists.filter(visible, pk=list_id).first()
    if list_ is None:
        raise Http404("There is no such list.")
    return list_


def own_list(list_id: int, *, owner: User) -> List:
    list_ = list_or_404(list_id, viewer=owner)
    if list_.owner_id != owner.pk:
        raise Refusal(gettext("Only its owner may change a list."), code="not_yours", status=403)
    return list_


def list_members(list_: List, *, viewer: User | None, max_id: int | None = None) -> People:
    return people_page(partial(_newest_members, list_), viewer, max_id)


def _newest_members(list_: List, *, below: int | None, limit: int) -> EdgePage:
    rows = list_.members.order_by("-pk").values_list("pk", "user_id")
    older = rows if below is None else rows.filter(pk__lt=below)
    return EdgePage([Edge(*pair) for pair in older[:limit]], suspended_ids())


def member_or_404(list_: List, username: str) -> User:
    found = User.objects.filter(listed_in__list=list_, username=username, is_active=True)
    member = found.first()
    if member is None:
        raise Http404(f"There is no @{username} in the list.")
    return member
