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
Poster = tuple[int, str]  # who, and in which language


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
    """Who posts publicly with tags that the reader follows, in languages that they read. Who
    follows a tag is nobody's business.

    Two round trips and a query; every ten minutes two queries for each tag.
    """
    if reader.id is None:
        return []
    newest = followed_tags.followed_ids(reader.id)[: -TAGS - 1 : -1]
    tags = Tag.objects.in_bulk(newest)
    posters = _posters_of([it for it in newest if it in tags])
    read = {"", *reader.languages}
    return _in_turns(
        [_about(tags[it], who) for who, code in some if not reader.languages or code in read]
        for it, some in posters.items()
    )


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


# In turns. Somebody whom several offer is suggested for the first one's reason.
SOURCES: tuple[Source, ...] = (
    followed_by_friends,
    post_with_tags,
    write_in_languages,
    popular_in_languages,
)
# Whatever they write in: one after the other, where there are too few.
LAST_RESORTS: tuple[Source, ...] = (popular_anywhere, new_accounts)


def _all_as(kind: Kind, people: Iterable[int]) -> Iterable[Candidate]:
    return [Candidate(who, Reason(kind)) for who in people]


def _about(tag: Tag, who: int) -> Candidate:
    return Candidate(who, Reason("tag", tag.written or tag.name))


def _in_turns(offers: Iterable[Iterable[Candidate]]) -> list[Candidate]:
    rows = zip_longest(*offers)
    return [it for row in rows for it in row if it is not None]


def _posters_of(tag_ids: Collection[int]) -> dict[int, list[Poster]]:
    """In the order of the ids. One round trip when known."""
    names = {it: f"suggestions:posters:{it}" for it in tag_ids}
    kept: dict[str, list[Poster]] = cache.get_many(names.values())
    fresh = {names[it]: _posters_in_sql(it) for it in tag_ids if names[it] not in kept}
    if fresh:
        cache.set_many(fresh, KEPT_SECONDS)
    return {it: (kept | fresh)[names[it]] for it in tag_ids}


def _posters_in_sql(tag_id: int) -> list[Poster]:
    newest = Tagging.objects.filter(tag=tag_id).order_by("-status_id")
    ids = list(newest.values_list("status_id", flat=True)[:POSTS_OF_TAG])
    posts = Status.objects.listed().filter(pk__in=ids).values_list("author_id", "language")
    return [poster for poster, _ in Counter(posts).most_common(PEOPLE_OF_TAG)]
