"""What stands on a page of statuses."""

from statuses.reading.entries import StatusPage
from statuses.reading.shown import ShownStatus


def statuses_on(page: StatusPage) -> list[ShownStatus]:
    return [it for it in page.entries if isinstance(it, ShownStatus)]
