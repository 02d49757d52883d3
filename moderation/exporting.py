"""What moderators decided, for the export of the data of those concerned."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from users.export.register import Row, exports, leave_out, walk
from users.models import User

from .models import AccountWarning, Appeal
from .outcomes import has_led_to_a_measure, reports_by


@exports("reports", title=_("Reports you made"), covers=["moderation.Report.reporter"])
def reports(user: User) -> Iterator[Row]:
    for report in walk(reports_by(user)):
        yield {
            "made_at": report.created_at,
            "category": report.get_category_display(),
            "words": report.words,
            "is_open": report.is_open,
            "led_to_a_measure": has_led_to_a_measure(report),
        }


@exports("warnings", title=_("Warnings"), covers=["moderation.AccountWarning.account"])
def warnings(user: User) -> Iterator[Row]:
    for warning in walk(AccountWarning.objects.filter(account=user).select_related("measure")):
        yield {
            "given_at": warning.measure.created_at,
            "reason": warning.measure.reason,
            "acknowledged_at": warning.acknowledged_at,
        }


@exports("appeals", title=_("Appeals"), covers=["moderation.Appeal.account"])
def appeals(user: User) -> Iterator[Row]:
    for appeal in walk(Appeal.objects.filter(account=user).select_related("measure")):
        yield {
            "made_at": appeal.created_at,
            "against": appeal.measure.get_kind_display(),
            "words": appeal.words,
            "is_open": appeal.is_open,
            "is_accepted": appeal.is_accepted,
            "answer": appeal.answer,
            "answered_at": appeal.answered_at,
        }


leave_out("moderation.Report.account", because="Who reports somebody stays unknown to them.")
leave_out(
    "moderation.Measure.account",
    "moderation.Measure.by",
    because="The record belongs to the site; a warning says why it was given.",
)
leave_out(
    "moderation.Case.account",
    "moderation.Note.account",
    because="Cases and notes say who reported somebody, and what witnesses told in confidence.",
)
leave_out(
    "moderation.Rule.by",
    "moderation.Case.held_by",
    "moderation.Case.closed_by",
    "moderation.Note.by",
    "moderation.Appeal.answered_by",
    because="The work of moderators belongs to the site, and speaks of other people.",
)
