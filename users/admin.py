"""Accounts in the admin. Writes go through the services, like the site's own."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from web.refusals import Refusal
from web.sql.big_tables import BoundedPaginator, OwnFilters, link, number_in

from . import events, services
from .invitations import admin as invitations_admin  # noqa: F401 - registers them
from .models import Authenticator, User
from .safety import addresses, second_factor
from .selectors import by_email
from .standing import stream_endings
from .templatetags.avatars import avatar, header_picture

# The beginning of a name may be that of half the site.
MOST_FOUND = 1_000
DATES = ("last_login", "date_joined", "email_confirmed_at", "suspended_at", "leaving_at")
RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")

# Only for those who may change an account.
SECRETS = ("password", "email")


@admin.register(User)
class UserAdmin(OwnFilters, DjangoUserAdmin[User]):
    """`moderation.admin` adds what moderators do with accounts."""

    list_display = (
        *("username", "name", "email", "date_joined"),
        *("is_suspended", "is_silenced", "is_staff", "page"),
    )
    list_filter = ("is_active", "is_silenced", "is_private", "is_staff", "date_joined")
    search_fields = ("username",)  # `get_search_results` says what is found
    search_help_text = "The beginning of a username, an id, or a whole e-mail address"
    ordering = ("-id",)
    show_full_result_count = False
    paginator = BoundedPaginator
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Profile", {"fields": ("name", "bio", "email")}),
        ("Rights", {"fields": RIGHTS}),
        ("Moderation", {"fields": ("is_suspended", "is_silenced", "pictures")}),
        ("Dates", {"fields": DATES}),
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

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[User], search_term: str
    ) -> tuple[QuerySet[User], bool]:
        """By what has an index: names and bios of a million accounts take seconds to look at."""
        term = search_term.strip().removeprefix("@")
        if not term:
            return queryset, False
        if "@" in term and self.has_change_permission(request):
            return queryset.filter(pk__in=by_email(term).values("pk")), False
        named = User.objects.get_queryset().beginning_with(term).values_list("pk", flat=True)
        # Ids, not a subquery: beside an OR, that reads the whole table.
        return queryset.filter(pk__in=[number_in(term) or 0, *named[:MOST_FOUND]]), False

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Setting the password of a staff member would give all their rights."""
        return super().has_change_permission(request, obj) and _may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and _may_touch(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Only the accounts: what goes with them can be a million rows, and needs no permission."""
        users = list(objs)
        may = all(self.has_delete_permission(request, user) for user in users)
        counts = {self.opts.verbose_name_plural: len(users)}
        return list(map(str, users)), counts, set() if may else {self.opts.verbose_name}, []

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

    @admin.display(boolean=True, description="Suspended")
    def is_suspended(self, user: User) -> bool:
        return user.is_suspended

    @admin.display(description="Avatar and header")
    def pictures(self, user: User) -> SafeString:
        shown = [(avatar(user, "xl"),)] if user.avatar else []
        shown += [(header_picture(user),)] if user.header else []
        return format_html_join(" ", "{}", shown)

    @admin.display(description="On the site")
    def page(self, user: User) -> SafeString:
        return link(self.view_on_site(user), user)

    def view_on_site(self, obj: User) -> str:
        return reverse("profile", args=[obj.username])

    def delete_model(self, request: HttpRequest, obj: User) -> None:  # noqa: ARG002 - Django's
        services.delete_account(user=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            self.delete_model(request, user)


@admin.register(Authenticator)
class AuthenticatorAdmin(OwnFilters, admin.ModelAdmin[Authenticator]):
    """For those who lost both app and recovery codes: without it the password is enough."""

    list_display = ("user", "confirmed_at")
    search_fields = ("user__username",)
    fields = readonly_fields = ("user", "created_at", "confirmed_at")

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002 - Django's
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Authenticator | None = None) -> bool:
        may_touch = _may_touch(request, obj.user if obj else None)
        return super().has_delete_permission(request, obj) and may_touch

    def delete_model(self, request: HttpRequest, obj: Authenticator) -> None:  # noqa: ARG002 - Django's
        second_factor.turn_off(user=obj.user)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Authenticator]) -> None:
        for authenticator in queryset:
            if not self.has_delete_permission(request, authenticator):
                words = "You may not take the second factor from staff."
                raise Refusal(words, code="rank", status=403)
            self.delete_model(request, authenticator)


def _may_touch(request: HttpRequest, account: User | None) -> bool:
    has_rights = account is not None and (account.is_staff or account.is_superuser)
    return request.user.is_superuser or not has_rights
