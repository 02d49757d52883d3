"""The serving copy of users: one hash each. Only public fields enter it: passwords, e-mail
addresses and rights stay in SQL.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction

from redistools import keys
from redistools.client import fail_if_away, get_client
from redistools.scripts import Batch
from web.sql.ready_sql import Row

from .models import User
from .rows import COLUMNS, lock_accounts

DAY = 24 * 3600
# Then it is made from SQL again, if anybody still looks at the account.
LIFETIME = 30 * DAY


@dataclass(frozen=True)
class Person:
    """What anybody may know about a user. `signup` is in milliseconds since 1970."""

    id: int
    username: str
    name: str
    bio: str
    signup: int
    followers: int
    following: int
    posts: int
    private: bool = False
    # Do only followers see what they say? Not shown to anybody: it may be a moderator's doing.
    limited: bool = False
    avatar: str = ""  # the token of the picture (`pictures/kinds.py`)

    @property
    def display_name(self) -> str:
        return self.name or self.username


def read_users(user_ids: Collection[int]) -> dict[int, Person]:
    """The users that Redis knows. One round trip, O(1) for each user."""
    ids = list(dict.fromkeys(user_ids))
    batch = Batch(get_client())
    add_reads(batch, ids)
    return found_in(ids, batch.run())


def add_reads(batch: Batch, user_ids: Collection[int]) -> None:
    """To be sent along with something else; `found_in` gets the answers."""
    for user_id in user_ids:
        batch.add("HGETALL", keys.user(user_id))


def found_in(user_ids: Collection[int], answers: Collection[dict[str, str]]) -> dict[int, Person]:
    hashes = zip(user_ids, answers, strict=True)
    return {user_id: _person(fields) for user_id, fields in hashes if fields}


def refresh_users(user_ids: Collection[int]) -> dict[int, User]:
    """Makes the hashes equal to SQL: written if the account exists, removed if not.

    Call it after commit. The rows stay locked until Redis has answered, so a later change refreshes
    after us. Each hash is written atomically, all of them in one round trip. Returns the accounts.
    """
    fail_if_away()
    with transaction.atomic():
        batch = Batch(get_client())
        users = write_users(batch, user_ids)
        batch.run()
    return users


def write_users(batch: Batch, user_ids: Collection[int]) -> dict[int, User]:
    users = lock_accounts(user_ids)
    _write(batch, user_ids, users.values())
    return users


def write_rows(batch: Batch, user_ids: Collection[int], rows: Collection[Row]) -> None:
    _write(batch, user_ids, [COLUMNS.object_of(row) for row in rows])


def _write(batch: Batch, user_ids: Collection[int], users: Collection[User]) -> None:
    for user in users:
        write_user(batch, user)
    for user_id in set(user_ids) - {user.pk for user in users}:
        batch.add("UNLINK", keys.user(user_id))


def write_user(batch: Batch, user: User) -> None:
    """The caller has locked the row, or looks again afterwards."""
    fields = [part for field in fields_of(user).items() for part in field]
    batch.add("HSET", keys.user(user.pk), *fields)
    # Spread over a day: those that were written together do not all expire at once.
    batch.add("EXPIRE", keys.user(user.pk), LIFETIME + user.pk % DAY)


def person_of(user: User) -> Person:
    return Person(
        id=user.pk,
        username=user.username,
        name=user.name,
        bio=user.bio,
        signup=int(user.date_joined.timestamp() * 1000),
        followers=user.followers_count,
        following=user.following_count,
        posts=user.statuses_count,
        private=user.is_private,
        limited=user.is_followers_only,
        avatar=user.avatar,
    )


def fields_of(user: User) -> dict[str, str]:
    return {
        name: str(int(value) if isinstance(value, bool) else value)
        for name, value in vars(person_of(user)).items()
    }


def _person(fields: dict[str, str]) -> Person:
    return Person(
        id=int(fields["id"]),
        username=fields["username"],
        name=fields["name"],
        bio=fields["bio"],
        signup=int(fields["signup"]),
        followers=int(fields["followers"]),
        following=int(fields["following"]),
        posts=int(fields["posts"]),
        private=fields["private"] == "1",
        limited=fields["limited"] == "1",
        avatar=fields["avatar"],
    )


def add_followers_only(batch: Batch, user_ids: Collection[int]) -> None:
    """Do only followers see what these say? `followers_only_among` reads the answers. O(1) each."""
    for user_id in user_ids:
        batch.add("HGET", keys.user(user_id), "limited")


def followers_only_among(user_ids: Collection[int], answers: Collection[str | None]) -> set[int]:
    """Users that Redis does not know are asked for in SQL, and put back."""
    known = dict(zip(user_ids, answers, strict=True))
    missing = [user_id for user_id, answer in known.items() if answer is None]
    found = refresh_users(missing) if missing else {}
    followers_only = {user_id for user_id, user in found.items() if user.is_followers_only}
    return followers_only | {user_id for user_id, answer in known.items() if answer == "1"}
