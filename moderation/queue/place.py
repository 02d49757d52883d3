"""The way to the queue, in the navigation of those who moderate."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from users.models import User
from web.events import StaffPlace

from .selectors import open_count


def queue_for(user: User) -> StaffPlace | None:
    """One query, and two for the rights: the staff alone pay for them."""
    if not user.has_perm("moderation.view_report"):
        return None
    return StaffPlace(
        reverse("moderation_queue"), "shield-alert", _("Moderation"), open_count(user)
    )
