"""Cases, which the queue consists of, and what moderators write for each other and for others."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from statuses.models import LOOSE, Status
from web.languages import validate_language
from web.plain_text import validate_line, validate_lines

from ..categories import Category, Gravity

LONGEST_NOTE = 1_000
OPEN = Q(is_open=True)


class Case(models.Model):
    """All open reports about one post, or about one account as such.

    Its number is that of its first report. What it says of its reports is written in the
    transactions that open and close them (`cases.py`).
    """

    id = models.BigIntegerField(primary_key=True)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="cases"
    )
    username = models.CharField(max_length=30)
    status = models.ForeignKey(Status, null=True, related_name="+", **LOOSE)
    # The gravest that was reported.
    category = models.CharField(max_length=20, choices=Category.choices)
    gravity = models.SmallIntegerField(choices=Gravity.choices)
    reports_count = models.PositiveIntegerField()
    opened_at = models.DateTimeField()
    due_at = models.DateTimeField()
    is_open = models.BooleanField(default=True)
    # A lease: who works on it, and for how long others leave it alone (`claims.py`).
    held_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    held_until = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
    )

    class Meta:
        indexes = [
            models.Index(fields=["-gravity", "due_at", "id"], condition=OPEN, name="case_queue"),
            models.Index(fields=["category", "due_at", "id"], condition=OPEN, name="case_category"),
            models.Index(fields=["opened_at"], condition=OPEN, name="case_oldest"),
            models.Index(fields=["-closed_at"], condition=~OPEN, name="case_closed"),
            models.Index(
                fields=["status"], condition=Q(status__isnull=False), name="case_by_status"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["status"],
                condition=Q(is_open=True, status__isnull=False),
                name="one_open_case_of_status",
            ),
            models.UniqueConstraint(
                fields=["account"],
                condition=Q(is_open=True, status__isnull=True),
                name="one_open_case_of_account",
            ),
        ]

    def __str__(self) -> str:
        return f"case {self.pk}"

    def is_held(self, now: datetime | None = None) -> bool:
        now = now or timezone.now()
        return bool(self.held_by_id and self.held_until and self.held_until > now)


class Note(models.Model):
    """What moderators tell each other about a case, and so about an account."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="notes")
    # It goes with the account.
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="notes_about"
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    by_username = models.CharField(max_length=30)
    text = models.CharField(max_length=LONGEST_NOTE, validators=[validate_lines])
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"note {self.pk} on {self.case}"


class CannedAnswer(models.Model):
    """A reason that moderators often give. Until a site has its own, there are ours (`canned`)."""

    MEASURES = [("warn", "Warn"), ("delete_status", "Delete the post"), ("suspend", "Suspend")]

    measure = models.CharField(max_length=20, choices=MEASURES)
    language = models.CharField(max_length=10, validators=[validate_language])
    title = models.CharField(
        max_length=30, validators=[validate_line], help_text="On its button: a word or two"
    )
    words = models.CharField(max_length=1_000, validators=[validate_lines])
    place = models.PositiveSmallIntegerField(default=0, help_text="Lower ones come first")

    class Meta:
        ordering = ("language", "measure", "place", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["measure", "language", "title"], name="canned_answer_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.language})"
