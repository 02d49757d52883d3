"""Accounts and statuses in the admin, with what moderators do about them."""

from typing import cast

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from statuses.admin import StatusAdmin
from statuses.models import Status
from users.admin import UserAdmin
from users.models import User

from ..actions import actions_on
from ..selectors import visible_statuses
from .measuring import TakesMeasures

admin.site.unregister([User, Status])


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

    def status_id_of(self, chosen: Status) -> int:
        return chosen.pk
