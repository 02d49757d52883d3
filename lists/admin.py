"""Lists in the admin: read, and deleted through the same service as on the site."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from users.admin.finding import by_account
from users.models import User
from web.admin.finding import by_number
from web.admin.leads import lead
from web.admin.page import AdminPage

from . import services
from .models import List, ListMember


@admin.register(List)
class ListAdmin(AdminPage[List]):
    words = _("list"), _("lists")
    allows = ("delete",)
    list_display = ("name", "owner", "is_private", "created_at")
    list_filter = ("is_private",)
    finds = (by_account("owner"), by_number())
    search_help_text = _("The whole name of the owner, or the id of a list")
    fields = ("owner", "name", "is_private", "created_at")

    def remove(self, row: List) -> None:
        services.delete_list(list_=row)


@admin.register(ListMember)
class ListMemberAdmin(AdminPage[ListMember]):
    """Owners alone put people into their lists."""

    words = _("member of a list"), _("members of lists")
    list_display = ("user", "list", "owner")
    list_select_related = ("list__owner",)
    finds = (by_account("user"), by_number("list"))
    search_help_text = _("The whole name of an account, or the id of a list")
    fields = ("user", "list", "owner")

    @admin.display(description=_("owner"))
    def owner(self, member: ListMember) -> User:
        return member.list.owner


lead(User, to=List, query=lambda user: {"q": user.username})
lead(User, to=ListMember, query=lambda user: {"q": user.username}, words=_("in lists of others"))
lead(List, to=ListMember, query=lambda list_: {"q": list_.pk}, words=_("members"))
