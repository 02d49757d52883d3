"""What stands on a page of statuses."""

from statuses.reading.shown import ShownStatus, StatusPage


def statuses_on(page: StatusPage) -> list[ShownStatus]:
    return [it for it in page.entries if isinstance(it, ShownStatus)]
