"""Finding tags by their beginning."""

from typing import NamedTuple

from django.db.models import Exists, OuterRef

from explore import store as boards
from statuses.models import Status
from tags.models import Tag
from tags.names import fold

# Tags of one beginning that are looked at: enough to find some that are in use.
CANDIDATES = 500


class FoundTag(NamedTuple):
    name: str  # folded, as in its address
    written: str


def find(query: str, *, limit: int) -> list[FoundTag]:
    """Those that rise now first, the others in alphabetical order. One round trip and one query."""
    beginning = fold(query.strip().lstrip("#"))
    if not beginning:
        return []
    rising = [it for it in boards.trending_tags(boards.TAGS.size) if it.name.startswith(beginning)]
    found = [FoundTag(it.name, it.written) for it in rising[:limit]]
    known = {it.name for it in found}
    found += [it for it in _in_use(beginning, limit) if it.name not in known]
    return found[:limit]


def _in_use(beginning: str, limit: int) -> list[FoundTag]:
    """In posts that everybody may see: the tags of others are nobody's business."""
    some = Tag.objects.filter(name__begins_with=beginning).values("pk")[:CANDIDATES]
    used = Status.objects.listed().filter(taggings__tag=OuterRef("pk"))
    tags = Tag.objects.filter(Exists(used), pk__in=some).order_by("name")[:limit]
    return [FoundTag(tag.name, tag.written) for tag in tags]
