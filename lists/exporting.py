"""Lists, for the export of an account's data."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from users.export.register import Row, exports, leave_out, walk
from users.models import User

from .models import List


@exports("lists", title=_("Lists"), covers=["lists.List.owner"])
def lists(user: User) -> Iterator[Row]:
    for list_ in walk(List.objects.filter(owner=user)):
        members = list_.members.filter(user__is_active=True).order_by("pk")
        yield {
            "name": list_.name,
            "is_private": list_.is_private,
            "since": list_.created_at,
            "members": list(members.values_list("user__username", flat=True)),
        }


leave_out("lists.ListMember.user", because="The lists of others are theirs, and may be private.")
