"""What moderators know and note, where others ask."""

from statuses.publication.events import deleted_by_others
from users.events import suspension_answerable, suspension_explained
from users.models import User
from web.events import places_for_staff

from .appeals.selectors import suspension_of
from .appeals.suspended import appeal_of_suspended
from .queue.place import queue_for
from .services import note_deletion

deleted_by_others.then(note_deletion)
suspension_answerable.then(appeal_of_suspended)
places_for_staff.then(queue_for)


@suspension_explained.then
def why_suspended(account: User) -> str:
    measure = suspension_of(account)
    return measure.reason if measure else ""
