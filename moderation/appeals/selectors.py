"""Reading appeals: the members' own, and those that moderators answer."""

from django.contrib.auth.models import Permission
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext

from users.models import User
from users.selectors import outranks

from ..models import Appeal, Kind, Measure

# What its account is told of, and others can look at again.
APPEALABLE = (Kind.DELETE_STATUS, Kind.WARN, Kind.SUSPEND)
PAGE_SIZE = 30


def own_measure_or_404(measure_id: int, *, account: User) -> Measure:
    """Measures that nobody is told of are as if they were not there."""
    told = Measure.objects.filter(account=account, kind__in=APPEALABLE).select_related("appeal")
    measure = told.filter(pk=measure_id).first()
    if measure is None:
        raise Http404("There is no such measure.")
    return measure


def suspension_of(account: User) -> Measure | None:
    """The measure that suspended it now; an earlier suspension had a reason of its own."""
    if account.suspended_at is None:
        return None
    told = Measure.objects.filter(account=account, kind=Kind.SUSPEND, is_told=True)
    # A measure is written after what it does.
    now = told.filter(created_at__gte=account.suspended_at).select_related("appeal")
    return now.order_by("-pk").first()


def visible_appeals(viewer: User) -> QuerySet[Appeal]:
    """Nobody sees what is said of themselves, nor their own: others answer."""
    appeals = Appeal.objects.exclude(account=viewer)
    return appeals.select_related("measure", "account", "measure__report")


def open_appeals(viewer: User) -> QuerySet[Appeal]:
    return visible_appeals(viewer).filter(is_open=True).order_by("pk")


def next_appeal(viewer: User) -> Appeal | None:
    """The oldest that the viewer may answer, of the oldest `PAGE_SIZE`."""
    found = open_appeals(viewer)[:PAGE_SIZE]
    return next((it for it in found if _may_decide_about(viewer, it)), None)


def _may_decide_about(viewer: User, appeal: Appeal) -> bool:
    return outranks(viewer, appeal.account) and not may_answer(viewer, appeal)


def appeals_of(account: User | None, *, viewer: User) -> QuerySet[Appeal]:
    return visible_appeals(viewer).filter(account=account, account__isnull=False).order_by("-pk")


def may_answer(by: User, appeal: Appeal) -> str:
    """Why not; empty if they may. Who took the measure answers only where nobody else could: an
    administrator who is alone.
    """
    if appeal.measure.by_id != by.pk:
        return ""
    if by.is_superuser and not _others(by, appeal.account).exists():
        return ""
    return gettext("You took this measure: somebody else answers the appeal.")


def _others(by: User, account: User) -> QuerySet[User]:
    """Who may decide about the account, too: about staff, only superusers."""
    right = Permission.objects.filter(
        codename="change_report", content_type__app_label="moderation"
    )
    own, of_groups = right.filter(user=OuterRef("pk")), right.filter(group__user=OuterRef("pk"))
    may_decide = Q(is_superuser=True) | Q(Exists(own)) | Q(Exists(of_groups))
    staff = User.objects.get_queryset().filter(is_staff=True, is_active=True)
    others = staff.filter(may_decide).exclude(pk__in=[by.pk, account.pk])
    is_of_staff = account.is_staff or account.is_superuser
    return others.filter(is_superuser=True) if is_of_staff else others
