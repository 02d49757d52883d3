"""Accounts in the admin. Writes go through the services, like the site's own."""

from typing import Any, Literal, cast

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from . import endings, services
from .login.steps import SECOND_FACTOR
from .login.views import log_out
from .models import Authenticator, User
from .safety import addresses, second_factor
from .selectors import may_suspend

DATES = ("last_login", "date_joined", "email_confirmed_at", "suspended_at", "leaving_at")
RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")

Verb = Literal["suspend", "restore"]
CHANGES = {"suspend": (services.suspend, "suspended"), "restore": (services.restore, "restored")}


@admin.register(User)
class UserAdmin(DjangoUserAdmin[User]):
    list_display = ("username", "name", "email", "date_joined", "is_active", "is_staff")
    list_filter = ("is_active", "is_staff", "is_superuser", "date_joined")
    search_fields = ("username", "name", "email")
    date_hierarchy = "date_joined"
    ordering = ("-date_joined",)
    actions = ("suspend", "restore")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Profile", {"fields": ("name", "bio", "email")}),
        ("Rights", {"fields": RIGHTS}),
        (
            "Suspension",
            {
                "fields": ("is_suspended",),
                "description": "Accounts are suspended and restored in the list of users: "
                "select them there, and choose an action.",
            },
        ),
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
        fixed = (*DATES, "is_suspended", *(("username",) if obj else ()))
        return fixed if request.user.is_superuser else (*fixed, *RIGHTS)

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
            endings.end_streams_of_user(obj.pk)  # clients that may still listen reconnect
        renamed = not {"username", "name"}.isdisjoint(form.changed_data)
        services.refresh_after_commit(obj, renamed=renamed)

    @admin.display(boolean=True, description="Suspended")
    def is_suspended(self, user: User) -> bool:
        return user.is_suspended

    @admin.action(permissions=["change"], description="Suspend selected accounts")
    def suspend(self, request: HttpRequest, users: QuerySet[User]) -> HttpResponse | None:
        return self._moderate(request, users, "suspend")

    @admin.action(permissions=["change"], description="Restore selected accounts")
    def restore(self, request: HttpRequest, users: QuerySet[User]) -> HttpResponse | None:
        return self._moderate(request, users, "restore")

    def _moderate(
        self, request: HttpRequest, users: QuerySet[User], verb: Verb
    ) -> HttpResponse | None:
        """Asks first, and changes none of the accounts if one of them may not be touched."""
        moderator = cast("User", request.user)
        if refused := [str(user) for user in users if not may_suspend(moderator, user)]:
            text = f"Nothing was changed: you may not {verb} {', '.join(refused)}."
            self.message_user(request, text, messages.ERROR)
            return None
        if "confirmed" not in request.POST:
            return self._ask(request, users, verb)
        self._settle(request, users, moderator, verb)
        return None

    def _ask(self, request: HttpRequest, users: QuerySet[User], verb: Verb) -> HttpResponse:
        context = self.admin_site.each_context(request) | {
            "title": f"{verb.capitalize()} accounts",
            "opts": self.opts,
            "verb": verb,
            "users": users,
        }
        return TemplateResponse(request, "admin/users/user/confirm_suspension.html", context)

    def _settle(
        self, request: HttpRequest, users: QuerySet[User], moderator: User, verb: Verb
    ) -> None:
        change, done = CHANGES[verb]
        with transaction.atomic():
            changed = [user for user in users if change(user=user, by=moderator)]
            for user in changed:
                self.log_change(request, user, f"{done.capitalize()}.")
        names = ", ".join(map(str, changed)) or "Nobody"
        self.message_user(request, f"{done.capitalize()}: {names}.", messages.SUCCESS)

    def delete_model(self, request: HttpRequest, obj: User) -> None:  # noqa: ARG002 - Django's
        services.delete_account(user=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            self.delete_model(request, user)


@admin.register(Authenticator)
class AuthenticatorAdmin(admin.ModelAdmin[Authenticator]):
    """For somebody who has lost both the app and the recovery codes: delete it, and the password
    alone is enough again. The secret is never shown.
    """

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
                raise PermissionDenied("You may not take the second factor from staff.")
            self.delete_model(request, authenticator)


def _may_touch(request: HttpRequest, account: User | None) -> bool:
    has_rights = account is not None and (account.is_staff or account.is_superuser)
    return request.user.is_superuser or not has_rights


def may_enter(request: HttpRequest) -> bool:
    """Staff; those with a second factor only in a session that was opened with it."""
    user = cast("User", request.user)
    if not (user.is_active and user.is_staff):
        return False
    return bool(request.session.get(SECOND_FACTOR)) or not second_factor.is_on(user)


def log_in_on_the_site(request: HttpRequest, extra_context: object = None) -> HttpResponse:  # noqa: ARG001 - Django's
    """The admin has no login of its own: only the site's is throttled."""
    if admin.site.has_permission(request):
        return redirect("admin:index")
    if request.user.is_authenticated and request.user.is_staff:
        raise PermissionDenied("Log out, and in again with a code: you use two-factor log-in.")
    if request.user.is_authenticated:
        raise PermissionDenied("Only staff may enter the admin.")
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


def change_password_on_the_site(request: HttpRequest, extra_context: object = None) -> HttpResponse:  # noqa: ARG001 - Django's
    """As with the login: somebody at an open session must not guess the password here."""
    return redirect("password_change")


def log_out_of_the_site(request: HttpRequest, extra_context: object = None) -> HttpResponse:  # noqa: ARG001 - Django's
    """The site's own log-out ends open streams as well."""
    return log_out(request)


# A site class of our own, for these views, would have to be wired through INSTALLED_APPS.
admin.site.has_permission = may_enter  # type: ignore[method-assign] # on purpose, see above
admin.site.login = log_in_on_the_site  # type: ignore[method-assign] # on purpose, see above
admin.site.logout = log_out_of_the_site  # type: ignore[method-assign, assignment] # as above
admin.site.password_change = change_password_on_the_site  # type: ignore[method-assign, assignment] # as above
