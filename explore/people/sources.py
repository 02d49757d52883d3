"""Where suggestions come from: each source offers some people to a reader, the best first.

A source may offer accounts that the reader follows, blocks or has dismissed: these are left out
afterwards (`working_out.py`), and again when a page is read. Its work has a bound that grows
neither with the site nor with how many the reader follows.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from django.core.cache import cache

from relations import store as edges
from statuses.models import Status, Tagging
from tags import store as followed_tags
from tags.models import Tag

from ..readable import spoken_in
from . import popular
from .reasons import Candidate, Kind, Reason

# Of the friends' follows, the newest.
FOLLOWS_OF_EACH = 60
# Tags that the reader followed last, and the newest posts with each.
TAGS, POSTS_OF_TAG, PEOPLE_OF_TAG = 10, 200, 20
PEOPLE_OF_LANGUAGE = 30
KEPT_SECONDS = 10 * 60


@dataclass(frozen=True)
class Reader:
    id: int | None  # None: a visitor
    languages: Sequence[str]  # which they read, the favourite first
    friends: Sequence[int] = ()  # whom they followed last, without those they would not hear


Source = Callable[[Reader], Iterable[Candidate]]


def followed_by_friends(reader: Reader) -> Iterable[Candidate]:
    """Those whom most friends follow. What friends follow stands on pages that the reader may see:
    only followers of a private account get there, and a friend is followed. One round trip.
    """
    circles = edges.newest_followed_by_each(reader.friends, limit=FOLLOWS_OF_EACH)
    counted = Counter(chain.from_iterable(circles))
    known_by = {
        it: str(friend)
        for friend, circle in reversed([*zip(reader.friends, circles, strict=True)])
        for it in circle
    }
    return [Candidate(it, Reason("friends", known_by[it])) for it, _ in counted.most_common()]


def post_with_tags(reader: Reader) -> Iterable[Candidate]:
    """Who posts publicly with tags that the reader follows. Who follows a tag is nobody's business.

    Two round trips and a query; every ten minutes two queries for each tag.
    """
    if reader.id is None:
        return []
    newest = followed_tags.followed_ids(reader.id)[: -TAGS - 1 : -1]
    tags = Tag.objects.in_bulk(newest)
    people = _kept_for_each("posters", [it for it in newest if it in tags], _posters)
    offers = ([_about(tags[it], who) for who in people[it]] for it in people)
    return _in_turns(offers)


def write_in_languages(reader: Reader) -> Iterable[Candidate]:
    """Who has posted most in these languages lately."""
    spoken = spoken_in(reader.languages)
    for code in reader.languages:
        for who in spoken[code]["people"][:PEOPLE_OF_LANGUAGE]:
            yield Candidate(who, Reason("language", code))


def popular_in_languages(reader: Reader) -> Iterable[Candidate]:
    return _all_as("popular", popular.people(reader.languages))


def popular_anywhere(_reader: Reader) -> Iterable[Candidate]:
    return _all_as("popular", popular.people([popular.ANY]))


def new_accounts(_reader: Reader) -> Iterable[Candidate]:
    return _all_as("member", popular.newcomers())


# In this order: somebody whom several offer is suggested for the first one's reason.
SOURCES: tuple[Source, ...] = (
    followed_by_friends,
    post_with_tags,
    write_in_languages,
    popular_in_languages,
    popular_anywhere,
    new_accounts,
)


def _all_as(kind: Kind, people: Iterable[int]) -> Iterable[Candidate]:
    return [Candidate(who, Reason(kind)) for who in people]


def _about(tag: Tag, who: int) -> Candidate:
    return Candidate(who, Reason("tag", tag.written or tag.name))


def _in_turns(offers: Iterable[Iterable[Candidate]]) -> list[Candidate]:
    rows = zip_longest(*offers)
    return [it for row in rows for it in row if it is not None]


def _posters(tag_id: int) -> list[int]:
    newest = Tagging.objects.filter(tag=tag_id).order_by("-status_id").values("status_id")
    ids = [row["status_id"] for row in newest[:POSTS_OF_TAG]]
    authors = Status.objects.listed().without_boosts().filter(pk__in=ids)
    counted = Counter(authors.values_list("author_id", flat=True))
    return [who for who, _ in counted.most_common(PEOPLE_OF_TAG)]


def _kept_for_each(
    name: str, ids: Collection[int], find: Callable[[int], list[int]]
) -> dict[int, list[int]]:
    """In the order of the ids. One round trip when known."""
    names = {it: f"suggestions:{name}:{it}" for it in ids}
    kept: dict[str, list[int]] = cache.get_many(names.values())
    fresh = {names[it]: find(it) for it in ids if names[it] not in kept}
    if fresh:
        cache.set_many(fresh, KEPT_SECONDS)
    return {it: (kept | fresh)[names[it]] for it in ids}
