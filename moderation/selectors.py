"""Reading reports, measures and warnings."""

from django.db.models import Q, QuerySet

from users.models import User

from .models import AccountWarning, Measure, Report

# On one page; the lists in the admin have the rest.
MOST = 50
MOST_WARNINGS = 5


def unread_warnings(account: User) -> QuerySet[AccountWarning]:
    """The newest first. One query, where the account has some (`User.unread_warnings`)."""
    unread = account.warnings.filter(acknowledged_at=None)
    return unread.select_related("measure").order_by("-pk")[:MOST_WARNINGS]


def measures_on(account: User | None, status_id: int | None = None) -> QuerySet[Measure]:
    """On the account and its statuses; on the status alone if the account is deleted."""
    which = Q(account=account) if account else Q(status=status_id, status__isnull=False)
    return Measure.objects.filter(which).select_related("warning").order_by("-pk")


def reports_on(account: User | None, status_id: int | None = None) -> QuerySet[Report]:
    """About the status; without one, about the account and everything by it."""
    which = Q(status=status_id) if status_id else Q(account=account, account__isnull=False)
    return Report.objects.filter(which).select_related("closed_with").order_by("-is_open", "-pk")


def visible_reports(viewer: User) -> QuerySet[Report]:
    """Nobody learns who reported them, moderators included."""
    return Report.objects.exclude(account=viewer)


def visible_measures(viewer: User) -> QuerySet[Measure]:
    return Measure.objects.exclude(account=viewer)
