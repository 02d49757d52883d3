"""What moderators know and note, where others ask."""

from statuses.publication.events import deleted_by_others
from users.events import suspension_explained

from .selectors import why_suspended
from .services import note_deletion

deleted_by_others.then(note_deletion)
suspension_explained.then(why_suspended)
