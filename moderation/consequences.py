"""What moderators know and note, where others ask."""

from statuses.publication.events import changed, deleted_by_others, posted
from users.events import (
    about_to_join,
    about_to_publish,
    about_to_use_email,
    described,
    suspension_answerable,
    suspension_explained,
)
from users.models import User
from web.pages.staff_places import places_for_staff

from .appeals.selectors import suspension_of
from .appeals.suspended import appeal_of_suspended
from .queue.place import queue_for
from .rules import enforcing
from .services import note_deletion

deleted_by_others.then(note_deletion)
suspension_answerable.then(appeal_of_suspended)
places_for_staff.then(queue_for)
about_to_publish.then(enforcing.refuse_text)
about_to_use_email.then(enforcing.refuse_email)
described.then(enforcing.look_at_described)
about_to_join.then(enforcing.refuse_or_report_newcomer)
posted.then(enforcing.look_at_posted)
changed.then(enforcing.look_at_changed)


@suspension_explained.then
def why_suspended(account: User) -> str:
    measure = suspension_of(account)
    return measure.reason if measure else ""
