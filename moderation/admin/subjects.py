"""Accounts and statuses in the admin, with what moderators do about them."""

from typing import Any, cast

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from statuses.admin import StatusAdmin
from statuses.models import Status
from users.admin import UserAdmin
from users.models import User
from web.sql.big_tables import BoundedPaginator

from ..actions import actions_on
from ..selectors import visible_statuses
from .measuring import TakesMeasures

# At how many of the newest posts moderators look with a filter, and how many of them are found.
FEWER, FEWER_FOUND = 2_000, 500
UNFILTERED = {"p", "q", "on"}

admin.site.unregister([User, Status])


class FewerPages(BoundedPaginator):
    most_rows = FEWER_FOUND


@admin.register(User)
class ModeratedUserAdmin(TakesMeasures, UserAdmin):
    offers = actions_on(User)

    def status_id_of(self, _chosen: User) -> None:
        return None


@admin.register(Status)
class ModeratedStatusAdmin(TakesMeasures, StatusAdmin):
    offers = actions_on(Status)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Status]:
        return visible_statuses(cast("User", request.user)).order_by(*self.ordering)

    def looks_at(self, request: HttpRequest) -> int:
        """Of each post is asked whether they may see it: of many, PostgreSQL reads all accounts."""
        all_of_them: int = super().looks_at(request)
        return all_of_them if request.user.is_superuser else FEWER

    def get_paginator(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        is_filtered = not request.user.is_superuser and not UNFILTERED.issuperset(request.GET)
        pages = FewerPages if is_filtered else self.paginator
        return pages(*args, **kwargs)

    def status_id_of(self, chosen: Status) -> int:
        return chosen.pk
