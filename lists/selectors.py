"""Reading lists: who sees them, who owns them, who is in them."""

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower
from django.http import Http404

from relations.selectors import PEOPLE_PER_PAGE, People
from users import selectors as users
from users.models import User

from .models import List


def lists_of(owner: User) -> QuerySet[List]:
    return owner.lists.order_by(Lower("name"), "pk")


def list_or_404(list_id: int, *, viewer: User | None) -> List:
    """Public lists and the viewer's own. Private lists of others seem not to exist."""
    public = Q(is_private=False, owner__is_active=True)
    visible = public if viewer is None else public | Q(owner=viewer)
    list_ = List.objects.select_related("owner").filter(visible, pk=list_id).first()
    if list_ is None:
        raise Http404("There is no such list.")
    return list_


def own_list(list_id: int, *, owner: User) -> List:
    """Raises Http404, or PermissionDenied for somebody else's public list."""
    list_ = list_or_404(list_id, viewer=owner)
    if list_.owner_id != owner.pk:
        raise PermissionDenied("Only its owner may change a list.")
    return list_


def list_members(list_: List, *, max_id: int | None = None) -> People:
    """The members, newest first, without suspended accounts. One query and one round trip."""
    visible = list_.members.filter(user__is_active=True)
    rows = visible.order_by("-pk").values_list("pk", "user_id")
    page = list((rows if max_id is None else rows.filter(pk__lt=max_id))[: PEOPLE_PER_PAGE + 1])
    shown = page[:PEOPLE_PER_PAGE]
    people = users.in_order([user_id for _, user_id in shown])
    older = shown[-1][0] if len(page) > len(shown) else None
    return People(people, followed=set(), older=older)


def member_or_404(list_: List, username: str) -> User:
    found = User.objects.filter(listed_in__list=list_, username=username, is_active=True)
    member = found.first()
    if member is None:
        raise Http404(f"There is no @{username} in the list.")
    return member
