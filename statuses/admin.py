"""Statuses in the admin: found and read. `moderation.admin` adds what moderators do with them.

Likes and bookmarks are nobody else's business, and not here.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from redistools.ids import first_id_at, time_of
from users.admin.finding import by_account
from users.models import User
from web.admin.filters import dates_of
from web.admin.finding import by_number
from web.admin.leads import lead
from web.admin.page import AdminPage
from web.sql.big_tables import link

from .models import Status

# Which languages are offered: those of this number of newest statuses.
LOOKED_AT = 1_000

Choices = Sequence[tuple[str, str]]


class LanguageFilter(admin.SimpleListFilter):
    title = _("language")
    parameter_name = "language"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        shown = model_admin.get_queryset(request).order_by("-id")
        newest = shown.values_list("language", flat=True)[:LOOKED_AT]
        return [(language, language) for language in sorted(set(newest) - {""})]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Only known languages reach the query: PostgreSQL takes no text with a NUL in it."""
        language = (self.value() or "").replace("\0", "")
        return queryset.filter(language=language) if language else queryset


class KindFilter(admin.SimpleListFilter):
    title = _("kind")
    parameter_name = "kind"

    def lookups(self, _request: HttpRequest, _model_admin: Any) -> Choices:
        return [
            ("post", gettext("Posts")),
            ("reply", gettext("Replies")),
            ("boost", gettext("Boosts")),
        ]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Status]) -> QuerySet[Status]:
        match self.value():
            case "post":
                return queryset.filter(reply_to__isnull=True, boost_of__isnull=True)
            case "reply":
                return queryset.filter(reply_to__isnull=False)
            case "boost":
                return queryset.filter(boost_of__isnull=False)
        return queryset


@admin.register(Status)
class StatusAdmin(AdminPage[Status]):
    """Nobody puts words into somebody else's mouth. Moderators delete them, and say why."""

    words = _("post"), _("posts")
    list_display = ("__str__", "kind", "author", "created_at", "language", "visibility", "page")
    list_filter = (
        dates_of("pk", time_of=time_of, value_at=first_id_at),
        *(LanguageFilter, KindFilter, "visibility", "is_sensitive"),
    )
    finds = (by_account("author"), by_number())
    search_help_text = _("The whole name of the author, or the id of a post")
    fields = (
        *("kind", "author", "text", "warning", "visibility", "is_sensitive", "language"),
        *("latitude", "longitude", "about", "created_at", "edited_at"),
        *("likes_count", "boosts_count", "replies_count"),
    )

    @admin.display(description=_("kind"))
    def kind(self, status: Status) -> str:
        if status.boost_of_id is not None:
            return gettext("boost")
        return gettext("post") if status.reply_to_id is None else gettext("reply")

    @admin.display(description=_("answers or boosts"))
    def about(self, status: Status) -> SafeString:
        """And the post that began the thread."""
        above = dict.fromkeys(filter(None, (status.counted_at, status.thread_id)))
        pages = ((reverse("admin:statuses_status_change", args=[it]), it) for it in above)
        return format_html_join(", ", '<a href="{}">{}</a>', pages)

    @admin.display(description=_("on the site"))
    def page(self, status: Status) -> SafeString:
        return link(self.view_on_site(status), status.pk)

    def view_on_site(self, obj: Status) -> str:
        return reverse("status", args=[obj.author.username, obj.pk])


lead(User, to=Status, query=lambda user: {"q": user.username})
