"""What members get to know of their reports: that moderators have decided, and whether they acted.

What was done stays between the moderators and the account.
"""

from django.db.models import Q, QuerySet

from notifications.grouping.facts import Fact, tells
from notifications.grouping.kinds import Group, position_of
from notifications.tasks import reconcile_groups
from redistools.ids import first_id_at
from taskqueue import start
from users.models import User

from .models import Kind, Measure, Report
from .queue import cases


def reports_by(member: User) -> QuerySet[Report]:
    return Report.objects.filter(reporter=member).select_related("closed_with")


def has_led_to_a_measure(report: Report) -> bool:
    return report.closed_with is not None and report.closed_with.kind != Kind.DISMISS


def close_reports(which: Q, measure: Measure) -> None:
    """Closes open reports inside the measure's transaction, and notifies their reporters. A
    moderator is not notified of a report of their own that they close.
    """
    rows = Report.objects.select_for_update(no_key=True).filter(which, is_open=True)
    closed = list(rows.order_by("pk").values_list("pk", "reporter_id", "case"))
    pks = [pk for pk, _, _ in closed]
    Report.objects.filter(pk__in=pks).update(is_open=False, closed_with=measure)
    cases.settle({case for _, _, case in closed if case}, by=measure.by)
    told = [Group(who, "report", pk) for pk, who, _ in closed if who and who != measure.by_id]
    if told:
        start.on_commit(reconcile_groups, told)


@tells("report")
def outcome(group: Group, _up_to: int | None) -> Fact | None:
    """Names nobody: the team has decided."""
    closed = reports_by(User(pk=group.recipient_id)).filter(pk=group.subject, is_open=False)
    report = closed.exclude(closed_with__by=group.recipient_id).first()
    if report is None or report.closed_with is None:
        return None
    # Some that are closed in one millisecond keep apart.
    moment = first_id_at(report.closed_with.created_at) + report.pk % 256
    return Fact(position_of("report", moment), 1, ())
