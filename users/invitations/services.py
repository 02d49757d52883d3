"""Who may sign up: everybody, those with an invitation, or nobody, as the site is set."""

from datetime import datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from configuration.current import site
from configuration.site import SignUp
from web.refusals import Refusal

from .models import Invitation

# No code is longer; SQL is not asked about what can't be one.
LONGEST_CODE = 32


def make_invitation(
    *, by: Any, note: str = "", most_uses: int = 1, ends_at: datetime | None = None
) -> Invitation:
    """Raises PermissionDenied and ValidationError."""
    if not by.has_perm("users.add_invitation"):
        raise PermissionDenied(gettext("Only administrators invite people."))
    made = Invitation(note=note, most_uses=most_uses, ends_at=ends_at, made_by=by)
    made.full_clean()
    made.save(force_insert=True)
    return made


def revoke_invitation(*, invitation: Invitation, by: Any) -> bool:
    """False if it was revoked already."""
    if not by.has_perm("users.change_invitation"):
        raise PermissionDenied(gettext("Only administrators revoke invitations."))
    valid = Invitation.objects.filter(pk=invitation.pk, revoked_at=None)
    return bool(valid.update(revoked_at=timezone.now()))


def refuse_sign_up(code: str) -> None:
    """Raises Refusal if nobody can sign up now, or not with this invitation. At most one query."""
    who = site().sign_up
    if who == SignUp.CLOSED:
        words = gettext("Nobody can sign up at the moment.")
        raise Refusal(words, code="sign_up_closed", status=403)
    if who == SignUp.INVITED:
        _refuse_invitation(code)


def use_invitation(code: str) -> None:
    """For one sign-up, with whose transaction it is counted: what fails uses nothing up, and of two
    at once only as many come in as may.
    """
    refuse_sign_up(code)
    if site().sign_up != SignUp.INVITED:
        return
    found = Invitation.objects.usable(timezone.now()).filter(code=code)
    if not found.update(uses=F("uses") + 1):
        raise _used_up()


def _refuse_invitation(code: str) -> None:
    if not code:
        words = gettext("To sign up you need an invitation: open the link that you were sent.")
        raise Refusal(words, code="invitation_needed", status=403)
    now = timezone.now()
    found = Invitation.objects.filter(code=code).first() if len(code) <= LONGEST_CODE else None
    if found is None or found.revoked_at is not None:
        words = gettext("This invitation is not valid. Check the link, or ask for another one.")
        raise Refusal(words, code="invitation_wrong", status=403)
    if found.ends_at is not None and found.ends_at <= now:
        words = gettext("This invitation has expired. Ask for another one.")
        raise Refusal(words, code="invitation_expired", status=403)
    if found.uses >= found.most_uses:
        raise _used_up()


def _used_up() -> Refusal:
    words = gettext("This invitation has been used up. Ask for another one.")
    return Refusal(words, code="invitation_used_up", status=403)
