"""Appeals of suspended members, who can't log in.

The page that tells them that they are suspended comes after the right password. It brings a form
with a signed token, which says who they are for a while, and is good for nothing else.
"""

from django.core import signing
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.translation import gettext

from users.models import User
from web.refusals import Refusal

from ..models import Measure
from .forms import AppealForm
from .selectors import suspension_of
from .services import refusal

SALT = "moderation.appeals.suspended"
LIFE_SECONDS = 60 * 60


def appeal_of_suspended(request: HttpRequest, account: User) -> str:
    """HTML for the page: the form, or what became of the appeal."""
    measure = suspension_of(account)
    if measure is None:
        return ""
    context = {
        "appeal": getattr(measure, "appeal", None),
        "may_appeal": not refusal(measure, account),
        "form": AppealForm(),
        "token": signing.dumps([account.pk, measure.pk], salt=SALT),
    }
    return render_to_string("moderation/appeals/_suspended.html", context, request)


def suspended_by(token: str) -> tuple[Measure, User]:
    """Raises Refusal if the token is broken or too old, or the suspension over."""
    try:
        user_id, measure_id = signing.loads(token, salt=SALT, max_age=LIFE_SECONDS)
    except signing.BadSignature:
        raise _too_late() from None
    account = User.objects.filter(pk=user_id).first()
    measure = suspension_of(account) if account else None
    if account is None or measure is None or measure.pk != measure_id:
        raise _too_late()
    return measure, account


def _too_late() -> Refusal:
    return Refusal(gettext("This took too long. Log in again."), code="token", status=403)
