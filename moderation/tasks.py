from statuses.models import Status
from taskqueue.task import task

from .rules import current as rules
from .rules.reporting import report_found_status, rule_that_reports, text_of


@task()
def refresh_rules() -> None:
    rules.refresh()


@task()
def report_by_rule(status_id: int) -> None:
    """Looks again: by now it may be gone, edited, or the rule turned off."""
    status = Status.objects.filter(pk=status_id).first()
    if status and (entry := rule_that_reports(text_of(status))):
        report_found_status(entry, status)
