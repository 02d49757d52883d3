"""Tags for which somebody types a beginning, and the lists of them in Redis."""

from collections.abc import Collection, Sequence

from django.db.models import Count
from django.db.models.functions import Left, Length

from redistools import keys
from tags.models import Tag, TagQuerySet
from tags.names import MAX_LENGTH

from .lists import Lists
from .ranking import Pairs, Ranking


class TagsByUse(Ranking):
    """Those in posts that everybody may see, by how many these are (`tag_uses.py`)."""

    id, count, longest = "id", "uses", MAX_LENGTH

    def ids(self, terms: Sequence[str], limit: int) -> list[int]:
        return list(_matching(terms).values_list("id", flat=True)[:limit])

    def offered(self, terms: Sequence[str]) -> Pairs:
        return _matching(terms).values_list("id", "uses")

    def counts_of(self, ids: Collection[int]) -> dict[int, int]:
        return dict(_used().filter(pk__in=ids).values_list("id", "uses"))

    def words_of(self, ids: Collection[int]) -> dict[int, frozenset[str]]:
        rows = Tag.objects.filter(pk__in=ids).values_list("id", "name")
        return {tag_id: frozenset([name]) for tag_id, name in rows}

    def shared(self, length: int, *, by: int) -> set[str]:
        rows = _used().alias(length=Length("name")).filter(length__gte=length)
        counted = rows.values(beginning=Left("name", length)).annotate(n=Count("pk"))
        return set(counted.filter(n__gt=by).values_list("beginning", flat=True))


def _used() -> TagQuerySet:
    return Tag.objects.filter(uses__gt=0)


def _matching(terms: Sequence[str]) -> TagQuerySet:
    """A tag is one word."""
    (beginning,) = terms
    return _used().filter(name__begins_with=beginning)


TAGS = Lists(keys.tag_names, keys.all_tag_names, TagsByUse())
