"""Tags in the admin. Who follows one is nobody else's business."""

from django.contrib import admin
from django.db.models import Q
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from web.admin.page import AdminPage
from web.sql.big_tables import link

from .models import Tag


def by_beginning(term: str) -> Q:
    return Q(name__begins_with=term.removeprefix("#").lower())


@admin.register(Tag)
class TagAdmin(AdminPage[Tag]):
    words = _("tag"), _("tags")
    list_display = ("__str__", "uses", "page")
    finds = (by_beginning,)
    search_help_text = _("The beginning of a tag")
    fields = ("name", "written", "uses", "page")

    @admin.display(description=_("on the site"))
    def page(self, tag: Tag) -> SafeString:
        return link(self.view_on_site(tag), tag)

    def view_on_site(self, obj: Tag) -> str:
        return reverse("tag", args=[obj.name])
