"""Finding tags by their beginning."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q

from explore import store as boards
from explore.store import TrendingTag
from redistools.client import get_client
from redistools.scripts import Batch
from statuses.models import Status
from tags.models import Tag
from tags.names import fold

from .completion.lists import Everybody
from .completion.tags import TAGS


class FoundTag(NamedTuple):
    name: str  # folded, as in its address
    written: str


def find(query: str, *, limit: int) -> list[FoundTag]:
    """Those that rise now first, then those in the most posts; only those in a post that everybody
    may see. One round trip and two queries, as a rule; some more where a list ends.
    """
    beginning = fold(query.strip().lstrip("#"))
    if not beginning:
        return []
    rising, listed = _read(beginning)
    rising = [it for it in rising if it.name.startswith(beginning)][:limit]
    first = TAGS.everybody(beginning, listed)
    found = _found(rising, first, limit)
    if len(found) < limit and not first.whole:
        more = TAGS.ranking.first([beginning], limit + len(rising))
        found = _found(rising, Everybody([[it] for it in more], whole=True), limit)
    return found


def _read(beginning: str) -> tuple[list[TrendingTag], str | None]:
    batch = Batch(get_client())
    boards.add_trending_tags(batch, boards.TAGS.size)
    batch.add(*TAGS.command(beginning))
    rising, listed = batch.run()
    return boards.trending_in(rising), listed


def _found(rising: Sequence[TrendingTag], first: Everybody, limit: int) -> list[FoundTag]:
    enough = enumerate(first.first(limit + len(rising)))
    runs = {tag_id: number for number, run in enough for tag_id in run}
    in_use = _in_use([it.name for it in rising], runs)
    risen = {it.name: FoundTag(it.name, it.written) for it in rising if it.name in in_use}
    others = [tag for name, tag in in_use.items() if name not in risen]
    others.sort(key=lambda it: (runs[it.pk], -it.uses, -it.pk))
    return [*risen.values(), *(FoundTag(it.name, it.written) for it in others)][:limit]


def _in_use(names: Collection[str], ids: Collection[int]) -> dict[str, Tag]:
    """In posts that everybody may see: the tags of others are nobody's business."""
    used = Status.objects.listed().filter(taggings__tag=OuterRef("pk"))
    rows = Tag.objects.filter(Q(name__in=names) | Q(pk__in=ids), Exists(used))
    return {tag.name: tag for tag in rows}
