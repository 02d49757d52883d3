"""Changing rules: SQL first, then the copy that all processes follow."""

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from staff import audit
from staff.models import Action
from taskqueue import start
from users.models import User
from web.refusals import Refusal

from .. import tasks
from ..models import Report
from .models import Rule

# All of them are read by every process.
MOST_RULES = 10_000


def add_rule(*, rule: Rule, by: User) -> Rule:
    """Raises Refusal and ValidationError."""
    _refuse(by)
    rule.by = by
    rule.full_clean(exclude={"by"})
    if Rule.objects.count() >= MOST_RULES:
        words = gettext("There are %(most)s rules already: remove some first.")
        raise ValidationError(words % {"most": MOST_RULES})
    try:
        with transaction.atomic():
            rule.save(force_insert=True)
            _changed(rule, Action.ADDED, by)
    except IntegrityError as error:  # a double click
        raise ValidationError(gettext("There is this rule already.")) from error
    return rule


def switch_rule(*, rule: Rule, by: User, is_on: bool) -> bool:
    """False if it was so already. Raises Refusal."""
    _refuse(by)
    with transaction.atomic():
        changed = Rule.objects.filter(pk=rule.pk, is_on=not is_on).update(is_on=is_on)
        if changed:
            change = audit.change("is_on", not is_on, is_on)
            _changed(rule, Action.CHANGED, by, change)
    return bool(changed)


def remove_rule(*, rule: Rule, by: User) -> None:
    """Reports that it made stay. Raises Refusal."""
    _refuse(by)
    with transaction.atomic():
        _changed(rule, Action.DELETED, by)
        Report.objects.filter(rule=rule).update(rule=None)
        Rule.objects.filter(pk=rule.pk).delete()


def _refuse(by: User) -> None:
    if not by.has_perm("moderation.change_rule"):
        raise Refusal(gettext("Only moderators may do this."), code="forbidden", status=403)


def _changed(rule: Rule, action: Action, by: User, *changes: audit.Change) -> None:
    audit.write(action, rule, by=by, changes=changes)
    start.run_on_commit(tasks.refresh_rules)
