"""Homes with a past, and their reader."""

from datetime import UTC, datetime, timedelta

from redistools import keys
from redistools.client import get_client
from redistools.ids import first_id_at
from statuses import store as status_store
from statuses.models import Status
from statuses.reading.shown import ShownStatus
from statuses.stored import StoredStatus
from tests.entries import statuses_on
from timelines.ranking.important import important
from timelines.reading.paging import PAGE_SIZE
from users.models import User


def said(viewer: User) -> list[str]:
    return [entry.text for entry in statuses_on(important(viewer))]


def walk(viewer: User) -> list[ShownStatus]:
    """Every page, one after the other, as a reader would."""
    pages = [important(viewer)]
    while pages[-1].more:
        assert len(pages[-1].entries) == PAGE_SIZE
        pages.append(important(viewer, after=int(pages[-1].more)))
    return [entry for page in pages for entry in statuses_on(page)]


def stored(status: Status) -> StoredStatus:
    return status_store.find_statuses([status.pk])[status.pk]


def write(author: User, *, hours_ago: float, **fields: object) -> Status:
    """A status of the past, which services can't write."""
    moment = datetime.now(UTC) - timedelta(hours=hours_ago)
    status_id = first_id_at(moment)
    status = Status(id=status_id, author=author, **{"text": f"{hours_ago} h ago", **fields})
    status.save(force_insert=True)
    return status


def forget(*viewers: User) -> None:
    get_client().delete(*(keys.important(viewer.pk) for viewer in viewers))
