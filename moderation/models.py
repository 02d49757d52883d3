"""What members report, and what moderators do about it.

Reports and measures outlive what they are about: accounts are set to null, a deleted status leaves
its number, and copies say what was there.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from statuses.models import LOOSE, Status
from web.plain_text import validate_lines

from .appeals.models import Appeal as Appeal
from .categories import Category as Category
from .queue.models import CannedAnswer as CannedAnswer
from .queue.models import Case as Case
from .queue.models import Note as Note
from .rules.models import Rule as Rule

LONGEST = 1_000


class Kind(models.TextChoices):
    DISMISS = "dismiss", _("Closed without a measure")
    DELETE_STATUS = "delete_status", _("Post deleted")
    WARN = "warn", _("Warned")
    MARK_SENSITIVE = "mark_sensitive", _("Marked as sensitive")
    UNMARK_SENSITIVE = "unmark_sensitive", _("No longer marked as sensitive")
    REMOVE_AVATAR = "remove_avatar", _("Avatar removed")
    REMOVE_HEADER = "remove_header", _("Header removed")
    SILENCE = "silence", _("Silenced")
    UNSILENCE = "unsilence", _("No longer silenced")
    SUSPEND = "suspend", _("Suspended")
    RESTORE = "restore", _("Restored")


class About(models.Model):
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="%(class)ss_got",
    )
    username = models.CharField(max_length=30, editable=False, db_index=True)
    status = models.ForeignKey(Status, null=True, related_name="+", editable=False, **LOOSE)
    # `moderation.evidence` says what is in it.
    evidence = models.JSONField(default=dict, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True

    @property
    def subject(self) -> str:
        return f"post {self.status_id} by @{self.username}" if self.status_id else self.author

    @property
    def author(self) -> str:
        return f"@{self.username}"


class Report(About):
    """Only moderators learn of a report."""

    # Not by name: who deletes their account takes their name along.
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="reports_made",
        verbose_name="reported by",
    )
    # What found it, if nobody reported it.
    rule = models.ForeignKey(
        Rule, null=True, editable=False, on_delete=models.PROTECT, related_name="reports"
    )
    category = models.CharField(max_length=20, choices=Category.choices)
    words = models.CharField(max_length=LONGEST, blank=True, validators=[validate_lines])
    is_open = models.BooleanField("open", default=True, editable=False)
    case = models.ForeignKey(
        Case, null=True, editable=False, on_delete=models.PROTECT, related_name="reports"
    )
    closed_with = models.ForeignKey(
        "Measure", null=True, editable=False, on_delete=models.PROTECT, related_name="closes"
    )

    class Meta:
        indexes = [
            models.Index(fields=["-is_open", "-id"], name="report_open_first"),
            models.Index(
                fields=["status"], condition=Q(status__isnull=False), name="report_by_status"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["reporter", "status"],
                condition=Q(is_open=True, status__isnull=False),
                name="status_reported_once",
            ),
            models.UniqueConstraint(
                fields=["reporter", "account"],
                condition=Q(is_open=True, status__isnull=True),
                name="account_reported_once",
            ),
            models.CheckConstraint(
                condition=Q(is_open=True, closed_with__isnull=True)
                | Q(is_open=False, closed_with__isnull=False),
                name="report_closed_with_a_measure",
            ),
        ]

    def __str__(self) -> str:
        return f"report {self.pk}: {self.subject}"

    def same_thing(self) -> Q:
        if self.status_id:
            return Q(status=self.status_id)
        if self.account_id:
            return Q(account=self.account_id, status=None)
        return Q(case=self.case_id) if self.case_id else Q(pk=self.pk)


class Measure(About):
    """What a moderator did, to whom and why. Written once, never changed."""

    kind = models.CharField(max_length=20, choices=Kind.choices)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="measures_taken",
    )
    by_username = models.CharField("moderator", max_length=30, editable=False)
    reason = models.CharField(max_length=LONGEST, blank=True, validators=[validate_lines])
    # A warning or a suspension says it to the account; otherwise only moderators read it.
    is_told = models.BooleanField(
        "the account reads why", default=False, db_default=False, editable=False
    )
    report = models.ForeignKey(
        Report, null=True, editable=False, on_delete=models.PROTECT, related_name="measures"
    )

    class Meta:
        indexes = [
            models.Index(
                fields=["status"], condition=Q(status__isnull=False), name="measure_by_status"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.subject}"


class AccountWarning(models.Model):
    """Shown on every page until it is acknowledged; `measure.reason` has the words.

    `User.unread_warnings` counts those that are not acknowledged.
    """

    measure = models.OneToOneField(Measure, on_delete=models.CASCADE, related_name="warning")
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="warnings"
    )
    acknowledged_at = models.DateTimeField(null=True, editable=False)

    def __str__(self) -> str:
        return f"warning {self.pk} to {self.account}"
