"""Finding people by what their profiles say: so many of these tags, and all of these languages.

Few are counted by SQL. Of many, Redis finds some thousand (`sets.py`), the most followed of whom
are shown. What is shown is compared with SQL once more.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from django.db.models import Exists, OuterRef

from relations.blocks_and_mutes import viewpoint
from relations.models import Follow
from tags.models import Interest, SpokenLanguage, Tag
from users.models import User

from . import sets
from .asking import Asked

# If the tags of a query are on no more profiles, these are read and counted.
FEW = 500
# Of more people who fit, some are left out.
MOST = 3_200

T = TypeVar("T")


class Match(NamedTuple):
    user_id: int
    tags: list[Tag]  # those of the query that they have, in its order


def find(asked: Asked, *, viewer: User | None, limit: int) -> list[int]:
    """Ids: who has the most of the tags, then who has the most followers.

    Suspended accounts are never found, nor those with a block between them and the viewer; silenced
    ones only by their followers. One round trip, two if many have the tags, and four queries.
    """
    tags = list(_in_use(asked.tags).values())
    if not tags or len(tags) < asked.least:
        return []
    ids = [it.pk for it in tags]
    people = _few(ids, asked)
    if people is None:
        people = sets.find(ids, asked.languages, least=asked.least, most=MOST)
    return _shown(people, viewer, limit)


def matches_of(user_ids: Sequence[int], asked: Asked) -> list[Match]:
    """Who fits at this moment, in the order that is given. If somebody does not, the sets that said
    so are read again. Three queries.
    """
    tags = _in_use(asked.tags)
    by_id = {it.pk: it for it in tags.values()}
    has = _tags_of(user_ids, list(by_id))
    speaks = _languages_of(user_ids, asked.languages)
    fitting = [
        Match(it, [by_id[tag_id] for tag_id in by_id if tag_id in has[it]])
        for it in user_ids
        if len(has[it]) >= asked.least and len(speaks[it]) == len(asked.languages)
    ]
    if len(fitting) < len(user_ids):
        sets.forget([*by_id, *asked.languages])
    return fitting


def _in_use(names: Sequence[str]) -> dict[str, Tag]:
    """Those that are on a profile, in the order that is given."""
    rows = Tag.objects.filter(name__in=names)
    used = rows.filter(Exists(Interest.objects.filter(tag=OuterRef("pk"))))
    found = {it.name: it for it in used}
    return {name: found[name] for name in names if name in found}


def _few(tag_ids: Sequence[int], asked: Asked) -> list[list[int]] | None:
    """By their number of tags, like `sets.find`; None if there are many."""
    pairs = Interest.objects.filter(tag_id__in=tag_ids).values_list("user_id", "tag_id")
    rows = list(pairs[: FEW + 1])
    if len(rows) > FEW:
        return None
    times = Counter(user_id for user_id, _ in rows)
    speaks = _languages_of(times, asked.languages)
    return [
        [it for it in times if times[it] == wanted and len(speaks[it]) == len(asked.languages)]
        for wanted in range(len(tag_ids), asked.least - 1, -1)
    ]


def _tags_of(user_ids: Collection[int], tag_ids: Collection[int]) -> Mapping[int, set[int]]:
    rows = Interest.objects.filter(user_id__in=user_ids, tag_id__in=tag_ids)
    return _grouped(rows.values_list("user_id", "tag_id"))


def _languages_of(user_ids: Collection[int], codes: Collection[str]) -> Mapping[int, set[str]]:
    if not codes:
        return defaultdict(set)
    rows = SpokenLanguage.objects.filter(user_id__in=list(user_ids), code__in=codes)
    return _grouped(rows.values_list("user_id", "code"))


def _grouped(pairs: Iterable[tuple[int, T]]) -> Mapping[int, set[T]]:
    found: dict[int, set[T]] = defaultdict(set)
    for user_id, it in pairs:
        found[user_id].add(it)
    return found


def _shown(people: Sequence[Sequence[int]], viewer: User | None, limit: int) -> list[int]:
    """Those who have fewer of the tags are looked at only if there is room for them."""
    blocked = viewpoint.viewpoint_of(viewer.pk).blocked if viewer else frozenset()
    found: list[int] = []
    for some in people:
        if len(found) >= limit:
            break
        found += popular_first([it for it in some if it not in blocked], viewer)
    return found[:limit]


def popular_first(user_ids: Collection[int], viewer: User | None) -> list[int]:
    """Of those whom the viewer may find. One query by their ids, two if some are silenced."""
    if not user_ids:
        return []
    rows = User.objects.filter(pk__in=user_ids, is_active=True)
    ranked = sorted(rows.values_list("followers_count", "pk", "is_silenced"), reverse=True)
    followed = _followed([it for _, it, is_silenced in ranked if is_silenced], viewer)
    return [it for _, it, is_silenced in ranked if not is_silenced or it in followed]


def _followed(user_ids: Collection[int], viewer: User | None) -> set[int]:
    if viewer is None or not user_ids:
        return set()
    follows = Follow.objects.filter(follower=viewer, followee__in=user_ids)
    return set(follows.values_list("followee_id", flat=True))
