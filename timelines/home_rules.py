"""What a home holds but does not show its reader.

A home in Redis depends on SQL alone. These depend on the reader and the moment, so they are decided
when it is read: replies to people whom the reader does not follow (even with a tag that they
follow), boosts by people whose boosts they hide, and what they have just seen.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from django.db.models import F, Q

from redistools.scripts import Batch
from relations import store as edges
from relations.models import Follow
from statuses.models import Status
from statuses.shown import ShownStatus
from users.models import User

# A status is not shown again this close below itself, whoever boosted it.
NEAR = 40


class Entry(Protocol):
    """A status as a home has it, whole or in outline."""

    @property
    def author_id(self) -> int: ...

    @property
    def reply_to_author(self) -> int | None: ...

    @property
    def boost_of(self) -> int | None: ...

    @property
    def is_reply_to_others(self) -> bool: ...


class HomeRules:
    def __init__(self, viewer: User) -> None:
        self._viewer_id = viewer.pk
        self._answered: list[int] = []
        self._boosters: list[int] = []
        self._followed: set[int] = set()
        self._hide_boosts: set[int] = set()

    def ask(self, batch: Batch, statuses: Collection[Entry]) -> None:
        answered = {it.reply_to_author for it in statuses if it.is_reply_to_others}
        self._answered = sorted(it for it in answered if it and it != self._viewer_id)
        boosters = {it.author_id for it in statuses if it.boost_of}
        self._boosters = sorted(boosters - {self._viewer_id})
        edges.add_follow_reads(batch, self._viewer_id, self._answered, self._boosters)

    def hear(self, answers: list[Any]) -> None:
        self._followed, self._hide_boosts = edges.read_follows(
            answers, self._viewer_id, self._answered, self._boosters
        )

    def hides(self, status: ShownStatus) -> bool:
        return self.hides_entry(status.boost or status.status)

    def hides_entry(self, entry: Entry) -> bool:
        if entry.boost_of:
            return entry.author_id in self._hide_boosts
        return self._is_strange(entry)

    def _is_strange(self, status: Entry) -> bool:
        """A reply to somebody whom the reader neither follows nor is."""
        if not status.is_reply_to_others or status.author_id == self._viewer_id:
            return False
        return status.reply_to_author not in self._followed | {self._viewer_id}


def hidden_in_sql(viewer_id: int, status_ids: Collection[int]) -> set[int]:
    """Which of them `HomeRules` hide. One query."""
    follows = Follow.objects.filter(follower_id=viewer_id)
    known = Q(reply_to_author_id__in=follows.values("followee_id"))
    known |= Q(reply_to_author_id=viewer_id) | Q(reply_to_author=F("author"))
    strange = Q(reply_to__isnull=False) & ~known & ~Q(author_id=viewer_id)
    unwanted = follows.filter(hides_boosts=True).values("followee_id")
    boosts = Q(boost_of__isnull=False, author_id__in=unwanted)
    rows = Status.objects.filter(strange | boosts, pk__in=status_ids)
    return set(rows.values_list("pk", flat=True))


def without_repeats(
    entry_ids: Sequence[int], shown: Mapping[int, ShownStatus]
) -> list[ShownStatus]:
    """Of the entries of a home, the newest first, those whose status is not right above already."""
    last: dict[int, int] = {}
    kept: list[ShownStatus] = []
    for place, entry_id in enumerate(entry_ids):
        if entry_id not in shown:
            continue
        entry = shown[entry_id]
        if place - last.get(entry.status.id, -NEAR - 1) > NEAR:
            kept.append(entry)
        last[entry.status.id] = place
    return kept
