"""Who works on a case. It is theirs for a while, so that no two decide about it.

A lease in SQL, on the row that is locked to decide: it is taken by one update with a condition,
and nothing has to release it when a browser is closed.
"""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from users.models import User
from web.refusals import Refusal

from .models import Case

HELD_FOR = timedelta(minutes=15)


def hold(case: Case, *, by: User) -> bool:
    """Takes or renews it. Returns False if somebody else holds it, or it is closed."""
    now = timezone.now()
    return _hold(case, by, Q(held_by=None) | Q(held_by=by) | Q(held_until__lte=now))


def take_over(case: Case, *, by: User) -> None:
    """Administrators need not wait until the lease ends. Raises Refusal."""
    if by.is_superuser:
        _hold(case, by, Q())
    elif not hold(case, by=by):
        refuse_others(Case.objects.select_related("held_by").get(pk=case.pk), by=by)


def let_go(case: Case, *, by: User) -> bool:
    mine = Case.objects.filter(pk=case.pk, held_by=by)
    return bool(mine.update(held_by=None, held_until=None))


def refuse_others(case: Case, *, by: User) -> None:
    if not case.is_open:
        words = gettext("Somebody has decided this case meanwhile.")
        raise Refusal(words, code="meanwhile", status=409)
    if case.is_held() and case.held_by_id != by.pk and case.held_by:
        words = gettext("%(name)s is working on this case.") % {
            "name": case.held_by.get_full_name()
        }
        raise Refusal(words, code="held", status=409)


def _hold(case: Case, by: User, condition: Q) -> bool:
    rows = Case.objects.filter(condition, pk=case.pk, is_open=True)
    changed = rows.update(held_by=by, held_until=timezone.now() + HELD_FOR)
    return bool(changed)
