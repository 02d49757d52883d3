"""How accounts learn of what moderators did to their posts, and of the answer to an appeal."""

from datetime import datetime
from typing import Literal

from notifications.grouping.facts import Fact, tells
from notifications.grouping.kinds import Group, position_of
from redistools.ids import first_id_at

from ..models import Appeal, Kind, Measure

Notice = Literal["measure", "appeal"]


def group_of(measure: Measure, kind: Notice) -> Group:
    return Group(measure.account_id or 0, kind, measure.pk)


@tells("measure")
def deletion(group: Group, _up_to: int | None) -> Fact | None:
    """Warnings and suspensions are told elsewhere, other measures not at all."""
    deleted = Measure.objects.filter(account=group.recipient_id, kind=Kind.DELETE_STATUS)
    measure = deleted.filter(pk=group.subject).first()
    return _fact("measure", measure.created_at, group) if measure else None


@tells("appeal")
def answer(group: Group, _up_to: int | None) -> Fact | None:
    answered = Appeal.objects.filter(account=group.recipient_id, is_open=False)
    appeal = answered.filter(measure=group.subject).first()
    return _fact("appeal", appeal.answered_at, group) if appeal and appeal.answered_at else None


def _fact(kind: Notice, moment: datetime, group: Group) -> Fact:
    # Some of one millisecond keep apart.
    return Fact(position_of(kind, first_id_at(moment) + group.subject % 256), 1, ())
