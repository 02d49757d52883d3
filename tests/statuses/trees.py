"""Threads of any shape: written at once, read, and drawn."""

from collections.abc import Sequence

from redistools.client import get_client
from redistools.ids import time_of
from statuses.models import Status, status_ids
from statuses.reading.shown import Placeholder, ShownStatus
from statuses.selectors import show
from statuses.services import post_status
from statuses.threads.page import Thread, ThreadEntry, read_thread
from tests.copies import insert
from users.models import User


def grow(author: User, root: Status, parents: Sequence[int | None]) -> list[Status]:
    """Replies below `root`. Each answers the one with that place in the list; None: the root."""
    first = status_ids.next(get_client()) + 1
    ids = range(first, first + len(parents))
    rows = [
        Status(
            id=id_,
            author=author,
            text=f"reply {place}.",
            reply_to_id=root.pk if parent is None else ids[parent],
            reply_to_author=author,
            thread=root,
            created_at=time_of(id_),
        )
        for place, (id_, parent) in enumerate(zip(ids, parents, strict=True))
    ]
    insert(rows, differing_in=("id", "text", "reply_to_id", "created_at"))
    # Redis has given out one of these ids. What is posted within the same millisecond gets others.
    while status_ids.next(get_client()) < ids[-1]:
        pass
    return rows


def chain(author: User, root: Status, length: int) -> list[Status]:
    return grow(author, root, [place - 1 if place else None for place in range(length)])


def answer(author: User, parent: Status, text: str = "a reply") -> Status:
    """As the form does it."""
    return post_status(author=author, text=text, reply_to=shown(parent, viewer=author).status.id)


def shown(status: Status, *, viewer: User | None = None) -> ShownStatus:
    (found,) = show([status.pk], viewer=viewer).statuses
    return found


def thread(
    status: Status,
    viewer: User | None = None,
    *,
    after: int | None = None,
    under: int | None = None,
) -> Thread:
    return read_thread(shown(status, viewer=viewer), viewer=viewer, after=after, under=under)


def drawn(entries: list[ThreadEntry]) -> list[str]:
    """`--text` for a reply to a reply to the status."""
    return ["-" * it.depth + (it.status.text if it.status else kind_of(it)) for it in entries]


def kind_of(line: ThreadEntry) -> str:
    return line.entry.kind if isinstance(line.entry, Placeholder) else "status"
