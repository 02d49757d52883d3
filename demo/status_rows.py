"""Sayings and boosts as rows of one table, with their counters."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property

from redistools.ids import first_id_at, time_of
from statuses.models import Status, StatusVersion
from users.models import User

from .community import Community
from .deeds import Deed
from .sayings import Saying


def rising_ids(moments: Iterable[datetime]) -> Iterator[int]:
    """The ids that rows of these moments would have, without repeats."""
    last = 0
    for moment in moments:
        last = max(last + 1, first_id_at(moment))
        yield last


class StatusRows:
    """The users have ids by now."""

    def __init__(self, community: Community, users: Sequence[User], *, now: datetime) -> None:
        self._community, self._users, self._now = community, users, now
        # Sayings first: a boost of the same moment comes after what it boosts.
        events: list[Saying | Deed] = [*community.sayings, *community.deeds.boosts]
        events.sort(key=lambda event: -event.age)
        ids = list(zip(rising_ids(now - event.age for event in events), events, strict=True))
        self.said = self._sayings([id_ for id_, it in ids if isinstance(it, Saying)])
        """In the order of the sayings."""

        self.boosts = [self._boost(id_, it) for id_, it in ids if isinstance(it, Deed)]

    @cached_property
    def versions(self) -> list[StatusVersion]:
        """What was said before it was edited."""
        return [
            StatusVersion(status=row, text=saying.before_edit, written_at=row.created_at)
            for row, saying in zip(self.said, self._community.sayings, strict=True)
            if saying.edited is not None
        ]

    def _sayings(self, ids: Sequence[int]) -> list[Status]:
        rows: list[Status] = []
        likes, boosts, replies = self._counters()
        for place, (id_, saying) in enumerate(zip(ids, self._community.sayings, strict=True)):
            row = self._saying(id_, saying)
            if saying.answers is not None:
                _answer(row, rows[saying.answers])
            row.likes_count = likes[place]
            row.boosts_count = boosts[place]
            row.replies_count = replies[place]
            row.counts_version = likes[place] + boosts[place] + replies[place]
            rows.append(row)
        return rows

    def _counters(self) -> tuple[Counter[int], ...]:
        deeds = self._community.deeds
        answered = (it.answers for it in self._community.sayings if it.answers is not None)
        return (
            Counter(like.saying for like in deeds.likes),
            Counter(boost.saying for boost in deeds.boosts),
            Counter(answered),
        )

    def _saying(self, id_: int, saying: Saying) -> Status:
        latitude, longitude = saying.place or (None, None)
        return Status(
            id=id_,
            author=self._users[saying.author],
            text=saying.text,
            warning=saying.warning,
            language=self._community.people[saying.author].language.code,
            latitude=latitude,
            longitude=longitude,
            created_at=time_of(id_),
            edited_at=None if saying.edited is None else self._now - saying.edited,
        )

    def _boost(self, id_: int, boost: Deed) -> Status:
        return Status(
            id=id_,
            author=self._users[boost.person],
            boost_of=self.said[boost.saying],
            created_at=time_of(id_),
        )


def _answer(row: Status, answered: Status) -> None:
    row.reply_to = answered
    row.reply_to_author = answered.author
    row.thread_id = answered.thread_id or answered.pk
