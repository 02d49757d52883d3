"""Accounts in the admin. Writes go through the services, like the site's own."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import Q
from django.db.models.functions import Lower
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from web.admin.filters import dates_of
from web.admin.finding import MOST_FOUND, Finder, by_number
from web.admin.page import AdminPage
from web.sql.big_tables import link

from .. import events, services
from ..models import User
from ..safety import addresses
from ..selectors import by_email
from ..standing import stream_endings
from ..templatetags.avatars import avatar, header_picture

DATES = ("last_login", "date_joined", "email_confirmed_at", "suspended_at", "leaving_at")
RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")

# Only for those who may change an account.
SECRETS = ("password", "email")

admin.site.unregister(Group)


def by_name(term: str) -> Q:
    """By the beginning: names and bios of a million accounts take seconds to look at."""
    named = User.objects.get_queryset().beginning_with(term.removeprefix("@"))
    ids = list(named.order_by(Lower("username")).values_list("pk", flat=True)[:MOST_FOUND])
    return Q(pk__in=ids) if ids else Q()


def by_address(term: str) -> Q:
    ids = list(by_email(term).values_list("pk", flat=True)[:MOST_FOUND]) if "@" in term else []
    return Q(pk__in=ids) if ids else Q()


@admin.register(User)
class UserAdmin(AdminPage[User], DjangoUserAdmin[User]):
    """`moderation.admin` adds what moderators do with accounts."""

    words = _("user"), _("users")
    allows = ("add", "change", "delete")
    finds = (by_number(), by_name)

    list_display = (
        *("username", "name", "email", "date_joined"),
        *("is_suspended", "is_silenced", "is_staff", "page"),
    )
    list_filter = (dates_of("date_joined"), "is_active", "is_silenced", "is_private", "is_staff")
    indexed_filters = ("is_active", "is_silenced", "is_staff")
    search_fields = AdminPage.search_fields
    search_help_text = _("The beginning of a username, an id, or a whole e-mail address")
    ordering = AdminPage.ordering
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Profile"), {"fields": ("name", "bio", "email")}),
        (_("Rights"), {"fields": RIGHTS}),
        (_("Moderation"), {"fields": ("is_suspended", "is_silenced", "pictures")}),
        (_("Dates"), {"fields": DATES}),
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("username", "email", "usable_password", "password1", "password2"),
            },
        ),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Usernames never change: addresses of pages hold them. Only superusers give rights."""
        fixed = (*DATES, "is_suspended", "is_silenced", "pictures", *(("username",) if obj else ()))
        return fixed if request.user.is_superuser else (*fixed, *RIGHTS)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Those who may only look see neither the address nor anything of the password."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return fieldsets
        return [
            (title, options | {"fields": [it for it in options["fields"] if it not in SECRETS]})
            for title, options in fieldsets
        ]

    def get_list_display(self, request: HttpRequest) -> Any:
        hidden = () if self.has_change_permission(request) else ("email",)
        return [it for it in self.list_display if it not in hidden]

    def finds_for(self, request: HttpRequest) -> list[Finder]:
        more = [by_address] if self.has_change_permission(request) else []
        return [*self.finds, *more]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Setting the password of a staff member would give all their rights."""
        return super().has_change_permission(request, obj) and may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and may_touch(request, obj)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and "email" in form.changed_data:
            User.objects.filter(pk=obj.pk).update(email_confirmed_at=None)
            addresses.drop_change(user=obj)
        if change and "is_staff" in form.changed_data:
            stream_endings.end_streams_of_user(obj.pk)  # clients that may still listen reconnect
        if not change:
            events.names_changed(obj.pk, [])
        renamed = not {"username", "name"}.isdisjoint(form.changed_data)
        services.refresh_after_commit(obj, renamed=renamed)

    @admin.display(boolean=True, description=_("suspended"))
    def is_suspended(self, user: User) -> bool:
        return user.is_suspended

    @admin.display(description=_("avatar and header"))
    def pictures(self, user: User) -> SafeString:
        shown = [(avatar(user, "xl"),)] if user.avatar else []
        shown += [(header_picture(user),)] if user.header else []
        return format_html_join(" ", "{}", shown)

    @admin.display(description=_("on the site"))
    def page(self, user: User) -> SafeString:
        return link(self.view_on_site(user), user)

    def view_on_site(self, obj: User) -> str:
        return reverse("profile", args=[obj.username])

    def remove(self, row: User) -> None:
        services.delete_account(user=row)


@admin.register(Group)
class GroupAdmin(AdminPage[Group], DjangoGroupAdmin):
    words = _("group"), _("groups")
    allows = ("add", "change", "delete")
    ordering = ("name",)
    search_fields = ("name",)

    def remove(self, row: Group) -> None:
        row.delete()


def may_touch(request: HttpRequest, account: User | None) -> bool:
    has_rights = account is not None and (account.is_staff or account.is_superuser)
    return request.user.is_superuser or not has_rights
