"""The serving copy of statuses: a hash each, ready to render, and every author's timeline."""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from django.db import transaction

from redistools import keys, loaded_set
from redistools.client import fail_if_away, get_client
from redistools.ids import time_of
from redistools.loaded_set import IdPage, Loaded, Range
from redistools.scripts import Batch, Script
from redistools.staleness import fresh
from users.audience import Visibility
from users.models import User
from users.rows import NAMES, named

from .models import Status, StatusQuerySet
from .parts import Said, read_parts
from .reactions.counts import counts_of, write_counts
from .stored import OPTIONAL_FIELDS, PART_FIELDS, Counts, StoredStatus
from .words.entities import Entity, Mentioned, find_entities, mentioned_names, with_accounts

PROFILE_SIZE = 20_000
DAY = 24 * 3600
# A hash lives for a week, then it is made from SQL again: if Redis loses a deletion, the status
# does not stay for ever.
LIFETIME = 7 * DAY
# Accounts and statuses get their times from different clocks.
CLOCKS_DIFFER = timedelta(seconds=1)

_name_author = Script(__file__, "name_author")


class Held(NamedTuple):
    status: StoredStatus
    counts: Counts


def read_statuses(status_ids: Collection[int]) -> dict[int, StoredStatus]:
    """Skips those that Redis does not know. One round trip, O(1) for each."""
    batch = Batch(get_client())
    add_reads(batch, status_ids)
    with fresh():
        answers = batch.run()
    return {status_id: held.status for status_id, held in found(status_ids, answers).items()}


def find_statuses(status_ids: Collection[int]) -> dict[int, StoredStatus]:
    """From Redis, or else SQL. One round trip; two queries if Redis lacks some."""
    known = read_statuses(status_ids)
    if missing := set(status_ids) - known.keys():
        rows = Status.objects.filter(pk__in=missing).with_names()
        known |= {stored.id: stored for stored in render(rows)}
    return known


def add_reads(batch: Batch, status_ids: Collection[int]) -> None:
    """Joins a longer batch; `found` takes the answers, which may be stale."""
    for key in keys.statuses(status_ids):
        batch.add("HGETALL", key, stale_ok=True)


def confirmed(
    held: Mapping[int, Held], status_ids: Collection[int], *, reader_id: int
) -> dict[int, Held]:
    """Corrects what replicas answered: without what was deleted lately, and with what they lack.
    One round trip, O(1) for each.
    """
    with fresh():
        batch = Batch(get_client())
        batch.add("ZMSCORE", keys.deleted_statuses(keys.partition(reader_id)), *status_ids)
        missing = [it for it in status_ids if it not in held]
        add_reads(batch, missing)
        deletions, *hashes = batch.run()
    deleted = {it for it, when in zip(status_ids, deletions, strict=True) if when is not None}
    kept = {it: known for it, known in held.items() if it not in deleted}
    return kept | found(missing, hashes)


def found(status_ids: Collection[int], hashes: Iterable[dict[str, str]]) -> dict[int, Held]:
    """Leaves out damaged hashes: one that names another status must not stand for that."""
    return {
        status_id: Held(StoredStatus.of(fields), Counts.of(fields))
        for status_id, fields in zip(status_ids, hashes, strict=True)
        if fields.get("id") == str(status_id)
    }


def author_of(status_id: int) -> int | None:
    """One round trip, O(1)."""
    answer = get_client().hget(keys.status(status_id), "uid")
    return int(str(answer)) if answer else None


def without_trace(status_ids: Collection[int]) -> set[int]:
    """Those that neither Redis nor SQL knows: readers drop their ids. One round trip, one query."""
    gone = set(status_ids) - read_statuses(status_ids).keys()
    return gone - set(Status.objects.filter(pk__in=gone).values_list("pk", flat=True))


def refresh_statuses(status_ids: Collection[int]) -> dict[int, Held]:
    """Make hashes and profiles equal to SQL: written if the status exists, removed if not. Returns
    those that exist.

    Call it after commit; running it twice changes nothing. The rows stay locked until Redis has
    answered: a deletion meanwhile comes after us, and removes what we wrote. One query, another if
    anybody is mentioned, and one round trip.
    """
    fail_if_away()
    with transaction.atomic():
        locked = Status.objects.select_for_update(of=("self",), no_key=True)
        # Newer ones first, in the order in which deletions lock them.
        rows = list(locked.filter(pk__in=status_ids).with_names().order_by("-pk"))
        batch = Batch(get_client())
        written = write_statuses(batch, rows, again=True)
        for status_id in set(status_ids) - {row.pk for row in rows}:
            batch.add("UNLINK", keys.status(status_id))
        batch.run()
    pairs = zip(rows, written, strict=True)
    return {stored.id: Held(stored, counts_of(row)) for row, stored in pairs}


def write_statuses(
    batch: Batch, rows: Collection[Status], *, again: bool = False
) -> list[StoredStatus]:
    """`refresh_statuses` as part of a longer batch. The caller locks the rows. `again`: Redis may
    have them already, as they were before a change.
    """
    rendered = render(rows)
    for row, stored in zip(rows, rendered, strict=True):
        add_hash(batch, stored, again=again)
        write_counts(batch, stored.id, counts_of(row))
        batch.add("EXPIRE", keys.status(stored.id), _lifetime(stored.id))
        for key in _timelines_of(stored):
            loaded_set.put(batch, key, stored.id, stored.id, cap=PROFILE_SIZE)
    return rendered


def add_hash(batch: Batch, stored: StoredStatus, *, again: bool = False) -> None:
    """Leaves no field from before a change, or before the account that it answers was deleted."""
    key, fields = keys.status(stored.id), stored.fields()
    if again or stored.changed_ms or (stored.reply_to and not stored.reply_to_username):
        batch.add("HDEL", key, *((OPTIONAL_FIELDS | PART_FIELDS) - fields.keys()))
    batch.add("HSET", key, *(part for field in fields.items() for part in field))


def _timelines_of(stored: StoredStatus) -> list[str]:
    if stored.visibility == Visibility.MENTIONED:
        return []
    author_id = stored.author_id
    everything = keys.profile(author_id)
    return [everything] if stored.is_reply_to_others else [everything, keys.posts(author_id)]


def _lifetime(status_id: int) -> int:
    """Spread over a day: hashes that were written together do not all expire at once."""
    return LIFETIME + status_id % DAY


class Names(NamedTuple):
    username: str
    name: str
    avatar: str


def name_author(author_id: int, status_ids: Collection[int]) -> Names | None:
    """Write the author's names and avatar, as SQL has them now, into hashes that exist; None
    without author.

    Renders nothing. The rows stay locked until Redis has answered, for one round trip: a refresh
    that has read the old names comes before us, any other reads the new ones.
    """
    fail_if_away()
    with transaction.atomic():
        rows = Status.objects.select_for_update(no_key=True).filter(pk__in=status_ids)
        alive = list(rows.order_by("-pk").values_list("pk", flat=True))
        author = User.objects.filter(pk=author_id).first()
        if author is None:
            return None
        names = Names(author.username, author.name, author.avatar)
        batch = Batch(get_client())
        for status_id in alive:
            batch.call(_name_author, [keys.status(status_id)], names)
        batch.run()
    return names


def forget_statuses(author_id: int, status_ids: Collection[int]) -> None:
    """Call after their deletion in SQL. One round trip."""
    batch = Batch(get_client())
    remove_statuses(batch, author_id, status_ids)
    batch.run()


def remove_statuses(batch: Batch, author_id: int, status_ids: Collection[int]) -> None:
    for status_id in status_ids:
        batch.add("UNLINK", keys.status(status_id))
    for key in (keys.profile(author_id), keys.posts(author_id)):
        loaded_set.drop(batch, key, status_ids)


def ensure_profiles(author_ids: Iterable[int]) -> None:
    _ensure({keys.profile(it): partial(profile_in_sql, it) for it in author_ids})


def ensure_posts(author_ids: Iterable[int]) -> None:
    _ensure({keys.posts(it): partial(posts_in_sql, it) for it in author_ids})


def _ensure(loaders: Mapping[str, Callable[[], Loaded]]) -> None:
    client = get_client()
    for key in loaders.keys() - set(loaded_set.known(client, list(loaders))):
        loaded_set.load(client, key, loaders[key])


def profile_in_sql(author_id: int, *, limit: int | None = None) -> Loaded:
    return ids_loaded(_in_sql(author_id), limit or PROFILE_SIZE)


def posts_in_sql(author_id: int, *, limit: int | None = None) -> Loaded:
    return ids_loaded(_in_sql(author_id).without_replies(), limit or PROFILE_SIZE)


def ids_loaded(rows: StatusQuerySet, limit: int) -> Loaded:
    ids = list(rows.newest_first().values_list("id", flat=True)[: limit + 1])
    newest = ids[:limit]
    return Loaded(dict(zip(newest, newest, strict=True)), whole=len(ids) <= limit)


def _in_sql(author_id: int) -> StatusQuerySet:
    return Status.objects.filter(author_id=author_id).in_timelines().newest_first()


def read_profile(author_id: int, wanted: Range) -> IdPage:
    """One round trip when known. Atomic, O(log n + limit)."""
    return read_ids(keys.profile(author_id), wanted, lambda: ensure_profiles([author_id]))


def read_posts(author_id: int, wanted: Range) -> IdPage:
    """Leaves out replies to others. One round trip when known."""
    return read_ids(keys.posts(author_id), wanted, lambda: ensure_posts([author_id]))


def read_ids(key: str, wanted: Range, load: Callable[[], object]) -> IdPage:
    """One round trip when known."""
    return loaded_set.page(get_client(), key, wanted, load)


def newest_ids(author_id: int, count: int) -> list[int]:
    """Newest first. One round trip when known."""
    ids, floor = read_profile(author_id, Range(limit=count))
    if floor == 0 or len(ids) == count:
        return ids
    return list(_in_sql(author_id).values_list("id", flat=True)[:count])


def ids_from(author_id: int, lowest: int) -> list[int]:
    """Newest first. One round trip when known."""
    above = max(0, lowest - 1)
    ids, floor = read_profile(author_id, Range(above=above, limit=2 * PROFILE_SIZE))
    if floor <= lowest:
        return ids
    return list(_in_sql(author_id).between(above=above).values_list("id", flat=True))


def render(
    statuses: Collection[Status], parts: Collection[Said] | None = None
) -> list[StoredStatus]:
    """One query for the mentions of all; the authors come with the statuses. Parts may ask for
    theirs, unless the caller says what they say.
    """
    entities = [find_entities(status.text) for status in statuses]
    accounts = _mentioned_accounts(entities)
    said = read_parts(statuses) if parts is None else parts
    return [
        StoredStatus.of_row(it, with_accounts(found, _meant(it, accounts)), its_parts)
        for it, found, its_parts in zip(statuses, entities, said, strict=True)
    ]


def _mentioned_accounts(entities: Iterable[Collection[Entity]]) -> dict[str, User]:
    """Includes suspended accounts: whether they can be seen is decided when the status is read."""
    names = {name for some in entities for name in mentioned_names(some)}
    return {user.username.lower(): user for user in named(names, NAMES)}


def _meant(status: Status, accounts: Mapping[str, User]) -> dict[str, Mentioned]:
    """Leaves out accounts that took a name later: what was for its former owner is not for them."""
    latest = (status.edited_at or time_of(status.pk)) + CLOCKS_DIFFER
    return {
        name: Mentioned(user.pk, user.username, user.get_full_name())
        for name, user in accounts.items()
        if user.date_joined < latest
    }
