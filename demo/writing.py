"""Puts a made-up community into the stores: SQL in bulk and in one transaction, then Redis."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from django.contrib.auth.hashers import make_password
from django.db import models, transaction

from redistools.chunks import chunks
from redistools.ids import first_id_at, time_of
from relations.models import Follow
from statuses.models import Status
from statuses.store import refresh_statuses
from timelines.indexing import write_rows
from users.models import User
from users.store import refresh_users

from .community import GUEST, Community

PASSWORD = "have a look around"  # noqa: S105 - printed for everybody who runs the demo
AT_ONCE = 500

Row = TypeVar("Row", bound=models.Model)


def is_there() -> bool:
    return User.objects.filter(username=GUEST).exists()


def taken_names(community: Community) -> list[str]:
    """Names of the community that other accounts already have."""
    taken = User.objects.named(person.username for person in community.people)
    return sorted(taken.values_list("username", flat=True))


class Record:
    """What goes into SQL. Iterate over it: each step writes, and yields how many rows it wrote.

    All in one transaction, so stopping half-way leaves nothing behind, and nobody sees an account
    without its statuses.
    """

    def __init__(self, community: Community, *, now: datetime) -> None:
        self._community = community
        self._users = _users(community, now=now)
        self._now = now

    def __len__(self) -> int:
        community = self._community
        return len(community.people) + len(community.bonds) + len(community.sayings)

    def __iter__(self) -> Iterator[int]:
        with transaction.atomic():
            yield from _insert(self._users)
            # Only now do the users have ids.
            yield from _insert(self._follows())
            statuses = self._statuses()
            yield from _insert(statuses)
            for some in chunks(statuses, AT_ONCE):
                write_rows([status.pk for status in some])

    def _follows(self) -> list[Follow]:
        bonds, users = self._community.bonds, self._users
        ids = _rising_ids(self._now - bond.age for bond in bonds)
        return [
            Follow(id=id_, follower=users[bond.follower], followee=users[bond.followee])
            for bond, id_ in zip(bonds, ids, strict=True)
        ]

    def _statuses(self) -> list[Status]:
        sayings, statuses = self._community.sayings, []
        ids = _rising_ids(self._now - saying.age for saying in sayings)
        for saying, id_ in zip(sayings, ids, strict=True):
            latitude, longitude = saying.place or (None, None)
            statuses.append(
                Status(
                    id=id_,
                    author=self._users[saying.author],
                    text=saying.text,
                    language=self._community.people[saying.author].language.code,
                    latitude=latitude,
                    longitude=longitude,
                    created_at=time_of(id_),
                )
            )
        return statuses


class ServingCopy:
    """Writes the hashes of the community's users and statuses before anybody reads them.

    Iterate over it as over the record. Timelines need no help: they are built when read.
    """

    def __init__(self, community: Community) -> None:
        names = [person.username for person in community.people]
        self._users = list(User.objects.filter(username__in=names).values_list("pk", flat=True))
        statuses = Status.objects.filter(author_id__in=self._users).newest_first()
        self._statuses = list(statuses.values_list("pk", flat=True))

    def __len__(self) -> int:
        return len(self._users) + len(self._statuses)

    def __iter__(self) -> Iterator[int]:
        yield from _refresh(refresh_users, self._users)
        yield from _refresh(refresh_statuses, self._statuses)


def _users(community: Community, *, now: datetime) -> list[User]:
    # Hashing is slow on purpose, and everybody knows this password anyway.
    password = make_password(PASSWORD)
    followers = Counter(bond.followee for bond in community.bonds)
    following = Counter(bond.follower for bond in community.bonds)
    statuses = Counter(saying.author for saying in community.sayings)
    return [
        User(
            username=person.username,
            name=person.name,
            bio=person.bio,
            email=f"{person.username}@example.com",
            password=password,
            date_joined=now - person.signed_up,
            followers_count=followers[place],
            following_count=following[place],
            statuses_count=statuses[place],
        )
        for place, person in enumerate(community.people)
    ]


def _rising_ids(moments: Iterable[datetime]) -> Iterator[int]:
    """The ids that statuses of these moments would have, without repeats."""
    last = 0
    for moment in moments:
        last = max(last + 1, first_id_at(moment))
        yield last


def _insert(rows: Sequence[Row]) -> Iterator[int]:
    for some in chunks(rows, AT_ONCE):
        type(some[0])._default_manager.bulk_create(some)
        yield len(some)


def _refresh(refresh: Callable[[list[int]], object], ids: list[int]) -> Iterator[int]:
    for some in chunks(ids, AT_ONCE):
        refresh(some)
        yield len(some)
