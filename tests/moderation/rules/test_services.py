"""Who changes rules, and that all processes know."""

import pytest
from django.core.exceptions import ValidationError

from moderation.models import Rule
from moderation.rules.current import document
from moderation.rules.services import add_rule, remove_rule, switch_rule
from redistools.shared_document.observer import Observer
from staff.models import AuditEntry
from tests.moderation.rules.conftest import AddRule
from users.models import User
from web.refusals import Refusal


def test_another_process_follows(rule: AddRule) -> None:
    other = Observer(document)
    rule("words", "casino")
    assert any(other.now().on_text("Casino!"))


def test_every_change_is_in_the_audit_log(rule: AddRule, mod: User) -> None:
    made = rule("words", "casino")
    switch_rule(rule=made, by=mod, is_on=False)
    remove_rule(rule=made, by=mod)
    entries = AuditEntry.objects.filter(kind="moderation.rule").order_by("pk")
    assert [it.action for it in entries] == ["added", "changed", "deleted"]
    assert {it.by_username for it in entries} == {"mod_ann"}


def test_a_member_changes_no_rule(rule: AddRule, carol: User) -> None:
    made = rule("words", "casino")
    with pytest.raises(Refusal):
        add_rule(rule=Rule(kind="words", pattern="other"), by=carol)
    with pytest.raises(Refusal):
        switch_rule(rule=made, by=carol, is_on=False)
    with pytest.raises(Refusal):
        remove_rule(rule=made, by=carol)
    assert Rule.objects.get().is_on


def test_a_second_rule_of_the_same_is_refused(rule: AddRule) -> None:
    rule("words", "casino")
    with pytest.raises(ValidationError):
        rule("words", " CASINO ")
    assert Rule.objects.count() == 1
