"""The serving copy of statuses: a hash each, ready to render, and every author's timeline."""

from collections.abc import Collection, Iterable
from functools import partial
from typing import NamedTuple

from django.db import transaction

from redistools import keys, loaded_set
from redistools.client import fail_if_away, get_client
from redistools.loaded_set import Loaded, Range, Slice
from redistools.scripts import Batch, Script
from users import suspension
from users.models import User
from users.rows import named

from .entities import (
    Entity,
    Mentioned,
    find_entities,
    mentioned_names,
    to_html,
    with_accounts,
    write_entities,
)
from .models import Status, StatusQuerySet
from .stored import StoredStatus

PROFILE_SIZE = 20_000
DAY = 24 * 3600
# A hash lives for a week, then it is made from SQL again: if Redis loses a deletion, the status
# does not stay for ever.
LIFETIME = 7 * DAY

_name_author = Script(__file__, "name_author")


def read_statuses(status_ids: Collection[int]) -> dict[int, StoredStatus]:
    """The statuses that Redis knows. One round trip, O(1) for each."""
    batch = Batch(get_client())
    _add_reads(batch, status_ids)
    return _found(status_ids, batch.run())


def read_with_suspended(
    status_ids: Collection[int],
) -> tuple[dict[int, StoredStatus], frozenset[int]]:
    """The same, and who is suspended now: no page shows them, or what they say.

    Still one round trip, except for the first read after somebody was suspended or restored.
    """
    batch = Batch(get_client())
    _add_reads(batch, status_ids)
    batch.add(*suspension.version_command())
    *hashes, version = batch.run()
    return _found(status_ids, hashes), suspension.suspended_at(version)


def _add_reads(batch: Batch, status_ids: Collection[int]) -> None:
    for key in keys.statuses(status_ids):
        batch.add("HGETALL", key)


def _found(
    status_ids: Collection[int], hashes: Iterable[dict[str, str]]
) -> dict[int, StoredStatus]:
    pairs = zip(status_ids, hashes, strict=True)
    return {status_id: StoredStatus.of(fields) for status_id, fields in pairs if fields}


def author_of(status_id: int) -> int | None:
    """The author, according to the hash. One round trip, O(1)."""
    answer = get_client().hget(keys.status(status_id), "uid")
    return int(str(answer)) if answer else None


def without_trace(status_ids: Collection[int]) -> set[int]:
    """Those that neither Redis nor SQL knows: readers drop their ids. One round trip, one query."""
    gone = set(status_ids) - read_statuses(status_ids).keys()
    return gone - set(Status.objects.filter(pk__in=gone).values_list("pk", flat=True))


def refresh_statuses(status_ids: Collection[int]) -> None:
    """Make hashes and profiles equal to SQL: written if the status exists, removed if not.

    Call it after commit; running it twice changes nothing. The rows stay locked until Redis has
    answered: a deletion meanwhile comes after us, and removes what we wrote.
    """
    fail_if_away()
    with transaction.atomic():
        locked = Status.objects.select_for_update(of=("self",), no_key=True)
        rows = list(locked.filter(pk__in=status_ids).select_related("author").order_by("pk"))
        batch = Batch(get_client())
        write_statuses(batch, rows)
        for status_id in set(status_ids) - {row.pk for row in rows}:
            batch.add("UNLINK", keys.status(status_id))
        batch.run()


def write_statuses(batch: Batch, rows: Collection[Status]) -> list[StoredStatus]:
    """`refresh_statuses` as part of a longer batch. The caller locks the rows."""
    rendered = render(rows)
    for stored in rendered:
        fields = [part for field in stored.fields().items() for part in field]
        batch.add("HSET", keys.status(stored.id), *fields)
        batch.add("EXPIRE", keys.status(stored.id), _lifetime(stored.id))
        profile = keys.profile(stored.author_id)
        loaded_set.put(batch, profile, stored.id, stored.id, cap=PROFILE_SIZE)
    return rendered


def _lifetime(status_id: int) -> int:
    """Spread over a day: hashes that were written together do not all expire at once."""
    return LIFETIME + status_id % DAY


class Names(NamedTuple):
    """What a status says about its author."""

    username: str
    name: str


def name_author(author_id: int, status_ids: Collection[int]) -> Names | None:
    """Write the author's names, as SQL has them now, into hashes that exist; None without author.

    Renders nothing. The rows stay locked until Redis has answered, for one round trip: a refresh
    that has read the old names comes before us, any other reads the new ones.
    """
    fail_if_away()
    with transaction.atomic():
        rows = Status.objects.select_for_update(no_key=True).filter(pk__in=status_ids)
        alive = list(rows.order_by("pk").values_list("pk", flat=True))
        author = User.objects.filter(pk=author_id).first()
        if author is None:
            return None
        names = Names(author.username, author.name)
        batch = Batch(get_client())
        for status_id in alive:
            batch.call(_name_author, [keys.status(status_id)], names)
        batch.run()
    return names


def forget_statuses(author_id: int, status_ids: Collection[int]) -> None:
    """After their deletion in SQL: no hash, no status. One round trip."""
    batch = Batch(get_client())
    remove_statuses(batch, author_id, status_ids)
    batch.run()


def remove_statuses(batch: Batch, author_id: int, status_ids: Collection[int]) -> None:
    """`forget_statuses` as part of a longer batch."""
    for status_id in status_ids:
        batch.add("UNLINK", keys.status(status_id))
    loaded_set.drop(batch, keys.profile(author_id), status_ids)


def ensure_profiles(author_ids: Iterable[int]) -> None:
    """Load the profiles that Redis does not know."""
    client = get_client()
    authors = {keys.profile(author_id): author_id for author_id in author_ids}
    for key in authors.keys() - set(loaded_set.known(client, list(authors))):
        loaded_set.load(client, key, partial(profile_in_sql, authors[key]))


def profile_in_sql(author_id: int, *, limit: int | None = None) -> Loaded:
    limit = limit or PROFILE_SIZE
    ids = list(_in_sql(author_id).values_list("id", flat=True)[: limit + 1])
    newest = ids[:limit]
    return Loaded(dict(zip(newest, newest, strict=True)), whole=len(ids) <= limit)


def _in_sql(author_id: int) -> StatusQuerySet:
    return Status.objects.filter(author_id=author_id).newest_first()


def read_profile(author_id: int, wanted: Range) -> Slice:
    """A page of an author's statuses. One round trip when known. Atomic, O(log n + limit)."""
    key = keys.profile(author_id)
    for _ in range(loaded_set.ATTEMPTS):
        found = loaded_set.page(get_client(), key, wanted)
        if found is not None:
            return found
        ensure_profiles([author_id])
    raise loaded_set.LoadFailed(f"{key} keeps vanishing")


def newest_ids(author_id: int, count: int) -> list[int]:
    """An author's newest statuses, newest first. One round trip when known."""
    ids, floor = read_profile(author_id, Range(limit=count))
    if floor == 0 or len(ids) == count:
        return ids
    return list(_in_sql(author_id).values_list("id", flat=True)[:count])


def ids_from(author_id: int, lowest: int) -> list[int]:
    """An author's statuses down to this one, the newest first. One round trip when known."""
    above = max(0, lowest - 1)
    ids, floor = read_profile(author_id, Range(above=above, limit=2 * PROFILE_SIZE))
    if floor <= lowest:
        return ids
    return list(_in_sql(author_id).between(above=above).values_list("id", flat=True))


def render(statuses: Collection[Status]) -> list[StoredStatus]:
    """One query for the mentions of all; the authors come with the statuses."""
    entities = {status.pk: find_entities(status.text) for status in statuses}
    accounts = _mentioned_accounts(entities.values())
    return [_stored(status, with_accounts(entities[status.pk], accounts)) for status in statuses]


def _stored(status: Status, entities: list[Entity]) -> StoredStatus:
    return StoredStatus(
        id=status.pk,
        author_id=status.author_id,
        username=status.author.username,
        name=status.author.name,
        text=status.text,
        html=to_html(status.text, entities),
        language=status.language,
        latitude=status.latitude,
        longitude=status.longitude,
        entities=write_entities(entities),
    )


def _mentioned_accounts(entities: Iterable[Collection[Entity]]) -> dict[str, Mentioned]:
    """Suspended accounts too: whether they can be seen is decided when the status is read."""
    names = {name for some in entities for name in mentioned_names(some)}
    return {
        username.lower(): Mentioned(id_, username, name or username)
        for id_, username, name in named(names)
    }
