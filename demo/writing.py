"""Puts a made-up community into SQL, in bulk and in one transaction."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import TypeVar

from django.contrib.auth.hashers import make_password
from django.db import models, transaction

from lists.models import List, ListMember
from notifications import rows as notification_rows
from notifications.grouping import record
from notifications.grouping.kinds import Group, day_of
from redistools.chunks import chunks
from redistools.ids import first_id_at, time_of
from relations.models import Follow
from search.models import SavedSearch
from search.services import notify_of_search, save_search
from statuses.models import Bookmark, Like, Mention, Status, StatusVersion
from statuses.visibility.predicate import VisibilityContext
from tags.models import Interest, SpokenLanguage, Tag, TagFollow
from tags.names import fold
from timelines.index.indexing import write_rows
from users.models import User
from users.names import index as name_index
from users.rows import lock_accounts

from . import pictures
from .community import Community, DemoReaction
from .people import GUEST, GUEST_PLACE, PASSWORD
from .talk import Saying


def rising_ids(moments: Iterable[datetime]) -> Iterator[int]:
    """The ids that rows of these moments would have, without repeats."""
    last = 0
    for moment in moments:
        last = max(last + 1, first_id_at(moment))
        yield last


class StatusRows:
    def __init__(self, community: Community, users: Sequence[User], *, now: datetime) -> None:
        self._community, self._users, self._now = community, users, now
        # Sayings first: a boost of the same moment comes after what it boosts.
        events: list[Saying | DemoReaction] = [*community.sayings, *community.reactions.boosts]
        events.sort(key=lambda event: -event.age)
        ids = list(zip(rising_ids(now - event.age for event in events), events, strict=True))
        # In the order of the sayings.
        self.said = self._sayings([id_ for id_, it in ids if isinstance(it, Saying)])
        self.boosts = [self._boost(id_, it) for id_, it in ids if isinstance(it, DemoReaction)]

    @cached_property
    def versions(self) -> list[StatusVersion]:
        return [
            StatusVersion(status=row, text=saying.before_edit, written_at=row.created_at)
            for row, saying in zip(self.said, self._community.sayings, strict=True)
            if saying.edited is not None
        ]

    def _sayings(self, ids: Sequence[int]) -> list[Status]:
        rows: dict[int, Status] = {}
        likes, boosts, replies = self._counters()
        for place, (id_, saying) in enumerate(zip(ids, self._community.sayings, strict=True)):
            row = rows[id(saying)] = self._saying(id_, saying)
            if saying.answers is not None:
                _answer(row, rows[id(saying.answers)])
            counts = likes[place], boosts[place], replies[id(saying)]
            row.likes_count, row.boosts_count, row.replies_count = counts
            row.counts_version = sum(counts)
        return list(rows.values())

    def _counters(self) -> tuple[Counter[int], ...]:
        reactions, sayings = self._community.reactions, self._community.sayings
        return (
            Counter(like.saying for like in reactions.likes),
            Counter(boost.saying for boost in reactions.boosts),
            Counter(id(it.answers) for it in sayings if it.answers is not None),
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

    def _boost(self, id_: int, boost: DemoReaction) -> Status:
        author, boosted = self._users[boost.person], self.said[boost.saying]
        return Status(id=id_, author=author, boost_of=boosted, created_at=time_of(id_))


def _answer(row: Status, answered: Status) -> None:
    row.reply_to = answered
    row.reply_to_author = answered.author
    row.thread_id = answered.thread_id or answered.pk


# When the guest last looked.
LOOKED = timedelta(hours=5)
NOTICES_AT_ONCE = 50


def notify(guest: User, *, now: datetime) -> None:
    looked = first_id_at(now - LOOKED)
    newest: dict[Group, int] = {}
    for group, event_id in _events(guest):
        newest[group] = max(event_id, newest.get(group, 0))
    _reconcile(guest, [group for group, event_id in newest.items() if event_id < looked])
    _look(guest)
    _reconcile(guest, [group for group, event_id in newest.items() if event_id >= looked])


def _reconcile(guest: User, groups: list[Group]) -> None:
    for some in chunks(groups, NOTICES_AT_ONCE):
        record.reconcile(some, {guest.pk: VisibilityContext(guest.pk)})


def _look(guest: User) -> None:
    account = lock_accounts([guest.pk])[guest.pk]
    account.notifications_seen = notification_rows.newest_arrival(account)
    notification_rows.write_unread(account)


def _events(guest: User) -> Iterator[tuple[Group, int]]:
    own, me = Status.objects.filter(author=guest), guest.pk
    for answered, status_id in Mention.objects.filter(user=guest).values_list(
        "status__reply_to_author", "status_id"
    ):
        yield Group(me, "reply" if answered == me else "mention", status_id), status_id
    for like in Like.objects.filter(status__in=own):
        yield Group(me, "like", like.status_id), like.pk
    for boost in Status.objects.filter(boost_of__in=own).select_related("boost_of"):
        if boost.boost_of is not None:
            yield Group(me, "boost", boost.boost_of.pk), boost.pk
    for follow in Follow.objects.filter(followee=guest):
        yield Group(me, "follow", day_of(follow.pk)), follow.pk
    yield from _news(guest)


def _news(guest: User) -> Iterator[tuple[Group, int]]:
    """Of what the guest boosted, and looks for."""
    me = guest.pk
    for status in Status.objects.filter(boosts__author=guest):
        if status.edited_at is not None:
            yield Group(me, "edit", status.pk), first_id_at(status.edited_at)
    for search in guest.saved_searches.filter(newest__gt=0):
        yield Group(me, "search", search.pk), search.newest


AT_ONCE = 500

Row = TypeVar("Row", bound=models.Model)


def is_there() -> bool:
    return User.objects.filter(username=GUEST).exists()


def taken_names(community: Community) -> list[str]:
    taken = User.objects.named(person.username for person in community.people)
    return sorted(taken.values_list("username", flat=True))


class Record:
    """What goes into SQL. Iterate over it: each step writes, and yields how many rows it wrote.

    First the files of pictures, then all rows in one transaction: stopping half-way leaves nothing
    behind.
    """

    def __init__(self, community: Community, *, now: datetime) -> None:
        self._community = community
        self._users = _users(community, now=now)
        self._pictures = pictures.choose([user.username for user in self._users])
        self._now = now

    def __len__(self) -> int:
        community, reactions = self._community, self._community.reactions
        parts = (community.people, community.follows, community.sayings, *reactions)
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
            yield from self._insert_reactions(statuses)
            self._tell_interests()
            self._equip_guest()
            notify(self._users[GUEST_PLACE], now=self._now)

    def _follows(self) -> list[Follow]:
        follows, users = self._community.follows, self._users
        ids = rising_ids(self._now - follow.age for follow in follows)
        return [
            Follow(id=id_, follower=users[follow.follower], followee=users[follow.followee])
            for follow, id_ in zip(follows, ids, strict=True)
        ]

    def _insert_reactions(self, statuses: StatusRows) -> Iterator[int]:
        reactions = self._community.reactions
        for table, some in ((Like, reactions.likes), (Bookmark, reactions.bookmarks)):
            ids = rising_ids(self._now - reaction.age for reaction in some)
            rows = [
                table(id=id_, user=self._users[it.person], status=statuses.said[it.saying])
                for id_, it in zip(ids, some, strict=True)
            ]
            yield from _insert(rows)

    def _tell_interests(self) -> None:
        people = list(zip(self._users, self._community.people, strict=True))
        topics = {topic for _, person in people for topic in person.interests}
        tags = Tag.objects.ensure(dict.fromkeys(topics, ""))
        Interest.objects.bulk_create(
            [
                Interest(user=user, tag_id=tags[it])
                for user, person in people
                for it in person.interests
            ],
            AT_ONCE,
        )
        SpokenLanguage.objects.bulk_create(
            [SpokenLanguage(user=user, code=person.language.code) for user, person in people],
            AT_ONCE,
        )

    def _equip_guest(self) -> None:
        guest = self._users[GUEST_PLACE]
        for it in self._community.lists:
            list_ = List.objects.create(owner=guest, name=it.name, is_private=it.is_private)
            members = [ListMember(list=list_, user=self._users[place]) for place in it.members]
            ListMember.objects.bulk_create(members)
        tags = Tag.objects.ensure({fold(tag): "" for tag in self._community.tags})
        follows = [TagFollow(user=guest, tag_id=tag_id) for tag_id in tags.values()]
        TagFollow.objects.bulk_create(follows)
        self._save_searches(guest, self._community.tags[0])

    def _save_searches(self, guest: User, tag: str) -> None:
        """One of them has found something, and says so."""
        save_search(user=guest, query="coffee OR tea OR 咖啡")
        search = save_search(user=guest, query=f"#{tag}")
        notify_of_search(search=search, wanted=True)
        said = Status.objects.filter(taggings__tag__name=fold(tag)).exclude(author=guest)
        newest = said.newest_first().values_list("pk", flat=True).first()
        SavedSearch.objects.filter(pk=search.pk).update(newest=newest or 0)


def _users(community: Community, *, now: datetime) -> list[User]:
    # Hashing is slow on purpose, and everybody knows this password anyway.
    password = make_password(PASSWORD)
    followers = Counter(follow.followee for follow in community.follows)
    following = Counter(follow.follower for follow in community.follows)
    statuses = Counter(saying.author for saying in community.sayings)
    statuses.update(boost.person for boost in community.reactions.boosts)
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
