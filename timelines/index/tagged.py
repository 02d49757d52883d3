"""The newest statuses with a tag, for its page and for the homes of those who follow it.

As with pulled authors, a partition has a copy of its own, so that a home is read inside its
partition. It has one only while somebody there reads the tag: a post costs one write for each
partition, and nothing for tags that nobody reads. Each write is atomic, O(log n).
"""

from collections.abc import Collection, Iterable

from django.conf import settings

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.loaded_set import IdPage, Loaded, Range, Unknown, until_known
from redistools.scripts import Batch, Script
from statuses.models import Status, StatusQuerySet
from statuses.store import ids_loaded
from tags import store as tag_follows

TAG_SIZE = 800
LIFETIME = 30 * 24 * 3600

_read = Script(__file__, "tag_read")


def copy_of(partition: int, tag_id: int) -> str:
    return f"{keys.tags(partition)}{tag_id}"


def copies_of(tag_id: int) -> list[str]:
    return [copy_of(partition, tag_id) for partition in range(settings.PARTITIONS)]


def read(tag_id: int, wanted: Range) -> IdPage:
    """For the tag's own page, from one of the copies. One round trip when known. Atomic."""
    key = _copy_for_pages(tag_id)

    def page() -> IdPage | Unknown:
        answer = _read(get_client(), [key], [*wanted.arguments(), LIFETIME])
        return Unknown([key]) if answer is None else IdPage.of(answer)

    return until_known(page, load)


def forget_gone(tag_id: int, status_ids: Collection[int]) -> None:
    _drop([_copy_for_pages(tag_id)], status_ids)


def forget_gone_at_home(reader_id: int, status_ids: Collection[int]) -> None:
    partition = keys.partition(reader_id)
    followed = tag_follows.followed_ids(reader_id)
    _drop([copy_of(partition, tag_id) for tag_id in followed], status_ids)


def _copy_for_pages(tag_id: int) -> str:
    return copy_of(tag_id % settings.PARTITIONS, tag_id)


def _drop(copies: Iterable[str], status_ids: Collection[int]) -> None:
    batch = Batch(get_client())
    for key in copies:
        loaded_set.drop(batch, key, status_ids)
    batch.run()


def put(batch: Batch, tag_id: int, status_id: int) -> None:
    for key in copies_of(tag_id):
        loaded_set.put(batch, key, status_id, status_id, cap=TAG_SIZE)


def drop(batch: Batch, tag_id: int, status_ids: Collection[int]) -> None:
    for key in copies_of(tag_id):
        loaded_set.drop(batch, key, status_ids)


def load(copies: Collection[str]) -> None:
    """Skips those that Redis knows. Two round trips, one query for each tag."""
    loaded_set.load_many(get_client(), copies, _read_copies)


def _read_copies(copies: Collection[str]) -> dict[str, Loaded]:
    newest = {tag_id: newest_in_sql(tag_id) for tag_id in {keys.number(key) for key in copies}}
    return {key: newest[keys.number(key)] for key in copies}


def newest_in_sql(tag_id: int, *, limit: int | None = None) -> Loaded:
    return ids_loaded(in_sql(tag_id), limit or TAG_SIZE)


def in_sql(tag_id: int) -> StatusQuerySet:
    return Status.objects.filter(taggings__tag_id=tag_id)
