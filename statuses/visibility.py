"""Who may see a status: one decision for every page. In SQL it is `StatusQuerySet.visible_to`."""

from users.models import User
from users.suspension import Suspended

from .store import StoredStatus


def may_see(
    viewer: User | None,  # noqa: ARG001 - decides once accounts can be private, or blocked
    status: StoredStatus,
    *,
    suspended: Suspended,
) -> bool:
    return status.author_id not in suspended.ids
