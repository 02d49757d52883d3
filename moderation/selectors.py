"""Reading reports, measures and warnings."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from statuses.models import Status
from users.audience import Visibility
from users.models import User

from .models import AccountWarning, Measure, Report

# On one page; the lists in the admin have the rest.
MOST = 50
MOST_WARNINGS = 5

# Silencing and suspending hide an account from readers, not from those who have to judge it. One
# that is leaving has hidden itself.
IS_HERE = Q(author__is_active=True) | Q(author__leaving_at=None) | ~Q(author__suspended_at=None)
# What its author shows to everybody.
FOR_EVERYBODY = Q(visibility__lte=Visibility.UNLISTED, author__is_private=False) & IS_HERE


def unread_warnings(account: User) -> QuerySet[AccountWarning]:
    """Newest first. Ask only if `User.unread_warnings` says so: one query."""
    unread = account.warnings.filter(acknowledged_at=None)
    return unread.select_related("measure").order_by("-pk")[:MOST_WARNINGS]


def measures_on(account: User | None, status_id: int | None = None) -> QuerySet[Measure]:
    """Covers the account and its statuses; the status alone if the account is deleted."""
    which = Q(account=account) if account else Q(status=status_id, status__isnull=False)
    return Measure.objects.filter(which).select_related("warning").order_by("-pk")


def reports_on(account: User | None, status_id: int | None = None) -> QuerySet[Report]:
    """Covers the status; without one, the account and everything by it."""
    which = Q(status=status_id) if status_id else Q(account=account, account__isnull=False)
    return Report.objects.filter(which).select_related("closed_with").order_by("-is_open", "-pk")


def visible_reports(viewer: User) -> QuerySet[Report]:
    """Leaves out reports about the viewer: nobody learns who reported them, moderators included."""
    return Report.objects.exclude(account=viewer)


def visible_measures(viewer: User) -> QuerySet[Measure]:
    return Measure.objects.exclude(account=viewer)


def visible_statuses(viewer: User) -> QuerySet[Status]:
    """Superusers see all. Moderators see what authors show to everybody, and what was reported; a
    boost if they see its original.
    """
    if viewer.is_superuser:
        return Status.objects.all()
    reported = Exists(visible_reports(viewer).filter(status=OuterRef("pk")))
    boosts_hidden = Exists(
        Status.objects.filter(~(FOR_EVERYBODY | reported), pk=OuterRef("boost_of"))
    )
    return Status.objects.filter(~boosts_hidden, FOR_EVERYBODY | reported)


def may_read(viewer: User, measure: Measure) -> bool:
    was_hidden = not measure.evidence.get("for_everybody", True)
    if viewer.is_superuser or not was_hidden:
        return True
    return visible_reports(viewer).filter(status=measure.status_id).exists()
