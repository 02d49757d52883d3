"""A notification as its readers get it, from Redis or from SQL."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self, cast

from redistools.ids import time_of

from .grouping.kinds import OF_STATUSES, Group, Kind
from .models import Notification


@dataclass(frozen=True)
class StoredNotification:
    id: int
    recipient_id: int
    kind: Kind
    subject: int
    position: int
    count: int
    actors: tuple[int, ...]  # the newest, newest first
    arrived: int

    @property
    def status_id(self) -> int | None:
        return self.subject if self.kind in OF_STATUSES else None

    @property
    def group(self) -> Group:
        return Group(self.recipient_id, self.kind, self.subject)

    @property
    def happened_at(self) -> datetime:
        return time_of(self.position)

    def fields(self) -> dict[str, str]:
        return {
            "id": str(self.id),
            "uid": str(self.recipient_id),
            "kind": self.kind,
            "subject": str(self.subject),
            "position": str(self.position),
            "count": str(self.count),
            "actors": write_actors(self.actors),
            "arrived": str(self.arrived),
        }

    @classmethod
    def of(cls, fields: dict[str, str]) -> Self:
        return cls(
            id=int(fields["id"]),
            recipient_id=int(fields["uid"]),
            kind=cast("Kind", fields["kind"]),
            subject=int(fields["subject"]),
            position=int(fields["position"]),
            count=int(fields["count"]),
            actors=read_actors(fields["actors"]),
            arrived=int(fields["arrived"]),
        )

    @classmethod
    def of_row(cls, row: Notification) -> Self:
        return cls(
            id=row.pk,
            recipient_id=row.recipient_id,
            kind=row.group.kind,
            subject=row.subject,
            position=row.position,
            count=row.count,
            actors=read_actors(row.actors),
            arrived=row.arrived,
        )


def write_actors(ids: tuple[int, ...]) -> str:
    return " ".join(map(str, ids))


def read_actors(written: str) -> tuple[int, ...]:
    return tuple(map(int, written.split()))
