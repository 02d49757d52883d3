"""Asking for a second look at a measure, and answering."""

from contextlib import suppress
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from notifications.tasks import reconcile_groups
from taskqueue import start
from users.models import User
from users.rows import lock_accounts
from users.throttling import throttled
from web.refusals import Refusal

from ..models import AccountWarning, Appeal, Kind, Measure
from ..services import acknowledge, refuse, take
from .notices import group_of
from .selectors import APPEALABLE, may_answer

APPEALED_WITHIN = timedelta(days=30)


@throttled("appeal", by="account")
def appeal(*, measure: Measure, account: User, words: str) -> Appeal:
    """Once for each measure. Raises Refusal and ValidationError."""
    made = Appeal(measure=measure, account=account, words=words.strip())
    made.clean_fields(exclude={it.name for it in made._meta.fields} - {"words"})
    with transaction.atomic():
        if account.pk not in lock_accounts([account.pk]):
            raise Refusal(gettext("This account no longer exists."), code="gone")
        if why_not := refusal(measure, account):
            raise Refusal(why_not, code="appeal", status=403)
        made.save(force_insert=True)
    return made


def refusal(measure: Measure, account: User) -> str:
    """Why the account can't appeal; empty if it can."""
    if measure.account_id != account.pk or measure.kind not in APPEALABLE:
        return gettext("You can't appeal against this.")
    if Appeal.objects.filter(measure=measure).exists():
        return gettext("You have appealed already.")
    if measure.created_at < timezone.now() - APPEALED_WITHIN:
        return gettext("An appeal is possible for 30 days; this is older.")
    return ""


def answer(*, appeal: Appeal, by: User, is_accepted: bool, words: str) -> None:
    """Accepting takes the measure back, where that is possible. Raises Refusal and
    ValidationError.
    """
    with transaction.atomic():
        lock_accounts([appeal.account_id])
        rows = Appeal.objects.select_for_update(no_key=True, of=["self"]).filter(is_open=True)
        found = rows.select_related("measure", "account").filter(pk=appeal.pk).first()
        if found is None:
            raise Refusal(gettext("Somebody has answered meanwhile."), code="meanwhile", status=409)
        refuse(by, found.account)
        if why_not := may_answer(by, found):
            raise Refusal(why_not, code="own_measure", status=403)
        _write(found, by, is_accepted=is_accepted, words=words)
        if is_accepted:
            _take_back(found, by)
        start.on_commit(reconcile_groups, [group_of(found.measure, "appeal")])


def _write(appeal: Appeal, by: User, *, is_accepted: bool, words: str) -> None:
    appeal.answer = words.strip()
    if not appeal.answer and not is_accepted:
        raise ValidationError({"words": gettext("Say why.")}, code="reason")
    appeal.clean_fields(exclude={it.name for it in appeal._meta.fields} - {"answer"})
    appeal.is_open, appeal.is_accepted = False, is_accepted
    appeal.answered_by, appeal.answered_by_username = by, by.username
    appeal.answered_at = timezone.now()
    appeal.save()


def _take_back(appeal: Appeal, by: User) -> None:
    """A deleted post can't come back. Somebody may have restored the account before."""
    if appeal.measure.kind == Kind.SUSPEND:
        with suppress(Refusal), transaction.atomic():
            reason = f"Appeal {appeal.pk} accepted."
            take(Kind.RESTORE, appeal.account, by=by, reason=reason)
    if appeal.measure.kind == Kind.WARN:
        for warning in AccountWarning.objects.filter(measure=appeal.measure):
            acknowledge(warning=warning)
