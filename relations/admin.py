"""Follows in the admin, and requests to follow: between the two, nobody else changes them."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from redistools.ids import first_id_at, time_of
from users.admin.finding import by_either
from users.models import User
from web.admin.filters import dates_of
from web.admin.leads import lead
from web.admin.page import AdminPage

from .models import Follow, FollowRequest

ONE_OF_THE_TWO = _("The whole username of one of the two")


@admin.register(Follow)
class FollowAdmin(AdminPage[Follow]):
    words = _("follow"), _("follows")
    list_display = ("__str__", "follower", "followee", "created_at")
    list_filter = (dates_of("pk", time_of=time_of, value_at=first_id_at),)
    finds = (by_either(Follow.objects.all(), "follower", "followee"),)
    search_help_text = ONE_OF_THE_TWO
    fields = ("follower", "followee", "created_at", "hides_boosts")

    @admin.display(description=_("created at"))
    def created_at(self, follow: Follow) -> object:
        return follow.created_at


@admin.register(FollowRequest)
class FollowRequestAdmin(AdminPage[FollowRequest]):
    words = _("request to follow"), _("requests to follow")
    list_display = ("__str__", "follower", "followee", "created_at")
    list_filter = (dates_of("pk", time_of=time_of, value_at=first_id_at),)
    finds = (by_either(FollowRequest.objects.all(), "follower", "followee"),)
    search_help_text = ONE_OF_THE_TWO
    fields = ("follower", "followee", "created_at")

    @admin.display(description=_("created at"))
    def created_at(self, request: FollowRequest) -> object:
        return request.created_at


for model in (Follow, FollowRequest):
    lead(User, to=model, query=lambda user: {"q": user.username})
