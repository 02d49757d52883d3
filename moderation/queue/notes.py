"""What moderators tell each other. It never enters Redis, and no member reads it."""

from django.db.models import Q, QuerySet

from users.models import User

from ..models import Case, Note
from ..services import refuse
from . import claims

MOST_SHOWN = 50


def add_note(*, case: Case, by: User, text: str) -> Note:
    """Raises Refusal and ValidationError."""
    refuse(by, case.account)
    note = Note(case=case, account=case.account, by=by, by_username=by.username, text=text.strip())
    note.clean_fields(exclude={it.name for it in note._meta.fields} - {"text"})
    note.save(force_insert=True)
    claims.hold(case, by=by)
    return note


def notes_on(case: Case) -> QuerySet[Note]:
    """Those on other cases of the account too, the newest first."""
    which = Q(case=case) | Q(account=case.account_id, account__isnull=False)
    return Note.objects.filter(which).select_related("by").order_by("-pk")[:MOST_SHOWN]
