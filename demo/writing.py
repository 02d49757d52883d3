"""Puts a made-up community into SQL, in bulk and in one transaction."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from django.contrib.auth.hashers import make_password
from django.db import models, transaction

from lists.models import List, ListMember
from redistools.chunks import chunks
from relations.models import Follow
from statuses.models import Bookmark, Like, StatusVersion, TagFollow
from statuses.words.tags import fold
from timelines.index.indexing import ensure_tags, write_rows
from users.models import User
from users.names import index as name_index

from . import notices, pictures
from .community import GUEST, Community
from .company import GUEST_PLACE
from .people import PASSWORD
from .status_rows import StatusRows, rising_ids

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

    First the files of pictures. Then all rows in one transaction, so stopping half-way leaves
    nothing behind, and nobody sees an account without its statuses.
    """

    def __init__(self, community: Community, *, now: datetime) -> None:
        self._community = community
        self._users = _users(community, now=now)
        self._pictures = pictures.choose([user.username for user in self._users])
        self._now = now

    def __len__(self) -> int:
        community, deeds = self._community, self._community.deeds
        parts = (community.people, community.bonds, community.sayings, *deeds)
        return sum(map(len, parts)) + sum(map(len, self._pictures.values()))

    def __iter__(self) -> Iterator[int]:
        try:
            # Before the transaction: it takes seconds, and others want to write.
            yield from pictures.give(self._users, self._pictures)
            yield from self._rows()
        except BaseException:  # or nobody wants the rest
            pictures.take_back(self._users)
            raise

    def _rows(self) -> Iterator[int]:
        with transaction.atomic():
            yield from _insert(self._users)
            for people in chunks(self._users, AT_ONCE):
                name_index.write(people)
            # Only now do the users have ids.
            yield from _insert(self._follows())
            statuses = StatusRows(self._community, self._users, now=self._now)
            yield from _insert(statuses.said)
            yield from _insert(statuses.boosts)
            StatusVersion.objects.bulk_create(statuses.versions)
            for some in chunks(statuses.said, AT_ONCE):
                write_rows([status.pk for status in some])
            yield from self._insert_deeds(statuses)
            self._equip_guest()
            notices.notify(self._users[GUEST_PLACE], now=self._now)

    def _follows(self) -> list[Follow]:
        bonds, users = self._community.bonds, self._users
        ids = rising_ids(self._now - bond.age for bond in bonds)
        return [
            Follow(id=id_, follower=users[bond.follower], followee=users[bond.followee])
            for bond, id_ in zip(bonds, ids, strict=True)
        ]

    def _insert_deeds(self, statuses: StatusRows) -> Iterator[int]:
        deeds = self._community.deeds
        for table, some in ((Like, deeds.likes), (Bookmark, deeds.bookmarks)):
            ids = rising_ids(self._now - deed.age for deed in some)
            yield from _insert(
                [
                    table(id=id_, user=self._users[deed.person], status=statuses.said[deed.saying])
                    for id_, deed in zip(ids, some, strict=True)
                ]
            )

    def _equip_guest(self) -> None:
        """Lists, and tags to follow."""
        guest = self._users[GUEST_PLACE]
        for it in self._community.lists:
            list_ = List.objects.create(owner=guest, name=it.name, is_private=it.is_private)
            ListMember.objects.bulk_create(
                [ListMember(list=list_, user=self._users[place]) for place in it.members]
            )
        tags = ensure_tags({fold(tag): "" for tag in self._community.tags})
        TagFollow.objects.bulk_create(
            [TagFollow(user=guest, tag_id=tag_id) for tag_id in tags.values()]
        )


def _users(community: Community, *, now: datetime) -> list[User]:
    # Hashing is slow on purpose, and everybody knows this password anyway.
    password = make_password(PASSWORD)
    followers = Counter(bond.followee for bond in community.bonds)
    following = Counter(bond.follower for bond in community.bonds)
    statuses = Counter(saying.author for saying in community.sayings)
    statuses.update(boost.person for boost in community.deeds.boosts)
    listed = Counter(place for it in community.lists for place in it.members)
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
            listed_count=listed[place],
        )
        for place, person in enumerate(community.people)
    ]


def _insert(rows: Sequence[Row]) -> Iterator[int]:
    for some in chunks(rows, AT_ONCE):
        type(some[0])._default_manager.bulk_create(some)
        yield len(some)
