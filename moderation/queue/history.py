"""What moderators see of a case beside the reports: its thread, and the accounts in it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from statuses import store
from statuses.models import Status
from statuses.reading.shown import ShownStatus
from statuses.threads.structure import ancestors_from, replies_to
from users.models import User

from ..models import Case, Kind, Measure, Report
from ..selectors import measures_on, visible_reports, visible_statuses

MOST_ABOVE, MOST_BELOW = 4, 5
MOST_MEASURES = 10
# Beyond that nobody counts.
MOST_COUNTED = 1_000
# What an edit of a post or of a profile changes.
SAID = ("text", "warning", "name", "bio")


class Surroundings(NamedTuple):
    above: Sequence[ShownStatus] = ()
    below: Sequence[ShownStatus] = ()


class Changes(NamedTuple):
    """What became of it since it was reported."""

    is_gone: bool = False
    now: Mapping[str, str] = {}  # what is different, as it is now


class Record(NamedTuple):
    """Of an account; without a history if it is the viewer's own."""

    account: User
    measures: Sequence[Measure] = ()
    got: int = 0  # reports
    got_upheld: int = 0
    made: int = 0
    made_upheld: int = 0


def surroundings(status_id: int | None, answers: int | None, *, viewer: User) -> Surroundings:
    """By the rules for moderators: what is for everybody, and what was reported."""
    if status_id is None:
        return Surroundings()
    above = [it.id for it in ancestors_from(answers, limit=MOST_ABOVE)] if answers else []
    found = replies_to([status_id], limit=MOST_BELOW).get(status_id, [])
    below = [it.id for it in found]
    rows = visible_statuses(viewer).filter(pk__in=[*above, *below])
    named = rows.select_related("author", "reply_to_author")
    shown = {it.id: ShownStatus(it.id, it) for it in store.render(list(named))}
    return Surroundings(
        [shown[it] for it in above if it in shown], [shown[it] for it in below if it in shown]
    )


def changes(evidence: Mapping[str, Any], status: Status | None, case: Case) -> Changes:
    """`status` is the row, or None for what is an account or gone."""
    row = status if case.status_id else case.account
    if row is None:
        return Changes(is_gone=True)
    names = [it for it in SAID if it in evidence and hasattr(row, it)]
    return Changes(now={it: getattr(row, it) for it in names if getattr(row, it) != evidence[it]})


def record_of(account: User | None, *, viewer: User) -> Record | None:
    """Four queries, each bounded."""
    if account is None:
        return None
    if account.pk == viewer.pk:
        return Record(account)
    reports = visible_reports(viewer)
    return Record(
        account,
        list(measures_on(account).exclude(kind=Kind.DISMISS)[:MOST_MEASURES]),
        *_counted(reports.filter(account=account)),
        *_counted(reports.filter(reporter=account)),
    )


def _counted(reports: Any) -> tuple[int, int]:
    """How many, and how many have led to a measure."""
    kinds = list(reports.order_by().values_list("closed_with__kind", flat=True)[:MOST_COUNTED])
    return len(kinds), sum(kind not in (None, Kind.DISMISS) for kind in kinds)


def spoken_to(evidence: Mapping[str, Any]) -> User | None:
    answered = evidence.get("spoken_to")
    return User.objects.filter(pk=answered).first() if answered else None


def reports_of(case: Case, *, viewer: User) -> list[Report]:
    """Open ones, or else those that were closed; the oldest first."""
    reports = (
        visible_reports(viewer).filter(case=case).select_related("reporter", "closed_with", "rule")
    )
    return list(reports.order_by("-is_open", "pk")[:MOST_COUNTED])
