"""In how many posts that everybody may see is a tag? Counted behind, so nobody who posts waits.

Redis notes how often the uses of a tag have changed. A task counts noted tags again, in SQL: at
once up to a thousand uses, and beyond as soon as a thousandth of them has changed. So a use costs
at most a thousand rows on average, however common the tag is.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db.models import Count, F

from redistools import keys
from redistools.client import get_client
from redistools.lock import LockNotAcquired, lock
from redistools.scripts import Batch
from statuses.models import Status
from tags.models import Tag

from .tags import TAGS

AT_ONCE = 100
# A tag is counted again when one in this many uses has changed.
EXACT = 1_000
LOCK_SECONDS = 60
# More than any tag has.
_MOST = 2**31


def note(batch: Batch, tag_ids: Iterable[int], times: int = 1) -> None:
    """Goes along with the copies of a status that came, went or was edited."""
    for tag_id in sorted(tag_ids):
        batch.add("ZINCRBY", keys.noted_tags(), times, tag_id)


def note_now(tag_ids: Iterable[int]) -> None:
    """Many uses may have changed: they are counted again, however many there are."""
    batch = Batch(get_client())
    note(batch, tag_ids, _MOST)
    batch.run()


def count_noted() -> int:
    """Counts some of the noted tags; returns how many. What was noted is taken off afterwards, so a
    process may die anywhere.
    """
    if not get_client().zcard(keys.noted_tags()):
        return 0
    try:
        with _alone(wait=0):
            return _count_noted()
    except LockNotAcquired:
        return 0


def count(tag_ids: Collection[int]) -> None:
    """Counts these tags, and puts them where they belong in the lists. Reads all of their uses."""
    with _alone(wait=LOCK_SECONDS):
        _count(tag_ids)


@contextmanager
def _alone(*, wait: float) -> Iterator[None]:
    """Of two processes, the one that has counted earlier might write later."""
    with lock(get_client(), "tag uses", timeout=LOCK_SECONDS, wait=wait) as held, held.kept():
        yield


def _count_noted() -> int:
    noted: Any = get_client().zrevrange(keys.noted_tags(), 0, AT_ONCE - 1, withscores=True)
    changes = {int(tag_id): int(times) for tag_id, times in noted}
    _count(_due(changes))
    batch = Batch(get_client())
    for tag_id, times in changes.items():
        batch.add("ZINCRBY", keys.noted_tags(), -times, tag_id)
    batch.add("ZREMRANGEBYSCORE", keys.noted_tags(), "-inf", 0)
    batch.run()
    return len(changes)


def _due(changes: Mapping[int, int]) -> list[int]:
    """Remembers what has changed of the others."""
    due = []
    for tag in Tag.objects.filter(pk__in=changes):
        if (tag.uncounted + changes[tag.pk]) * EXACT >= tag.uses:
            due.append(tag.pk)
        else:
            more = F("uncounted") + changes[tag.pk]
            Tag.objects.filter(pk=tag.pk).update(uncounted=more)
    return due


def _count(tag_ids: Collection[int]) -> None:
    found = counted(tag_ids)
    for tag_id in sorted(tag_ids):
        uses = found.get(tag_id, 0)
        wrong = Tag.objects.filter(pk=tag_id).exclude(uses=uses, uncounted=0)
        wrong.update(uses=uses, uncounted=0)
    TAGS.place_all(tag_ids)


def counted(tag_ids: Collection[int]) -> dict[int, int]:
    rows = Status.objects.listed().filter(taggings__tag__in=tag_ids)
    counts = rows.values("taggings__tag").annotate(n=Count("pk"))
    return dict(counts.values_list("taggings__tag", "n"))


def noted_among(tag_ids: Collection[int]) -> set[int]:
    """Those that are to be counted soon."""
    batch = Batch(get_client())
    for tag_id in tag_ids:
        batch.add("ZSCORE", keys.noted_tags(), tag_id)
    answers = zip(tag_ids, batch.run(), strict=True)
    return {tag_id for tag_id, times in answers if times is not None}
