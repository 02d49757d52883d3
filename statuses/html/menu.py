"""What can be done with a status beyond the buttons beneath it."""

from typing import NamedTuple

from django.utils import timezone

from users.models import User

from ..reading.history import may_still_be_edited
from ..reading.shown import ShownStatus
from ..selectors import moderates


class Menu(NamedTuple):
    is_member: bool = False
    may_edit: bool = False
    may_delete: bool = False
    may_report: bool = False
    may_moderate: bool = False


def menu_for(viewer: User | None, entry: ShownStatus) -> Menu:
    """A menu may stand open for longer than a status can be edited; the service decides. The admin
    of moderators has only what everybody sees, or what was reported.
    """
    if viewer is None:
        return Menu()
    if viewer.pk == entry.status.author_id:
        may_edit = may_still_be_edited(entry.status.posted_at, timezone.now())
        return Menu(is_member=True, may_edit=may_edit, may_delete=True)
    is_moderator = moderates(viewer)
    return Menu(
        is_member=True,
        may_delete=is_moderator,
        may_report=True,
        may_moderate=is_moderator and (viewer.is_superuser or entry.is_boostable),
    )
