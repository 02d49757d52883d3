"""What a reader can read: people who write in their languages, and the tags of those languages."""

from collections import Counter
from collections.abc import Sequence
from typing import TypedDict

from django.core.cache import cache
from django.http import HttpRequest

from statuses.models import Tagging
from statuses.words import languages
from users.decorators import viewer_of
from users.models import User
from web.languages import accepted_by, own_name

from .selectors import newest_in_sql
from .store import TrendingTag

# Posts of a language that are looked at, not more often than this.
NEWEST = 500
KEPT_SECONDS = 10 * 60
MOST_PEOPLE, MOST_TAGS, MOST_LANGUAGES = 60, 200, 5


class Spoken(TypedDict):
    people: list[int]
    tags: list[str]


def languages_of(request: HttpRequest) -> list[str]:
    viewer = viewer_of(request)
    accepted = languages.all_accepted(accepted_by(request))
    return first_few([*(languages_of_account(viewer) if viewer else ()), *accepted])


def languages_of_account(user: User) -> list[str]:
    """Those of its pages and of its last post. Without a browser no more is known."""
    chosen = [languages.shortened(user.language), user.posting_language]
    return first_few([code for code in chosen if code])


def first_few(codes: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(codes))[:MOST_LANGUAGES]


def names_of(codes: Sequence[str]) -> list[str]:
    return [own_name(code) for code in codes]


def readable_first(tags: Sequence[TrendingTag], codes: Sequence[str]) -> list[TrendingTag]:
    spoken = spoken_in(codes)
    used = {tag for code in codes for tag in spoken[code]["tags"]}
    return sorted(tags, key=lambda tag: tag.name not in used)


def spoken_in(codes: Sequence[str]) -> dict[str, Spoken]:
    """One round trip, and every ten minutes two queries for each language."""
    names = {_key(code): code for code in codes}
    kept: dict[str, Spoken] = cache.get_many(names)
    found = {names[key]: spoken for key, spoken in kept.items()}
    fresh = {code: _spoken_in_sql(code) for code in codes if code not in found}
    if fresh:
        cache.set_many({_key(code): it for code, it in fresh.items()}, KEPT_SECONDS)
    return found | fresh


def _spoken_in_sql(code: str) -> Spoken:
    newest = newest_in_sql(code).newest_first().values_list("pk", "author_id")[:NEWEST]
    authors = dict(newest)
    used = Tagging.objects.filter(status_id__in=authors).values_list("tag__name", flat=True)
    return {
        "people": [who for who, _ in Counter(authors.values()).most_common(MOST_PEOPLE)],
        "tags": [tag for tag, _ in Counter(used).most_common(MOST_TAGS)],
    }


def _key(code: str) -> str:
    return f"explore:spoken:{code}"
