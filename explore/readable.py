"""What a reader can read: people who write in their languages, and the tags of those languages."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext as _

from relations.selectors import People
from relations.suggestions import suggestions
from statuses.models import Tagging
from statuses.words import languages
from users.decorators import viewer_of
from users.models import User
from users.store import Person
from web.languages import accepted_by

from .languages import name_of
from .selectors import newest_in_sql
from .store import TrendingTag

# Posts of a language that are looked at, not more often than this.
NEWEST = 500
KEPT_SECONDS = 10 * 60
MOST_PEOPLE, MOST_TAGS, MOST_LANGUAGES = 60, 200, 5


class Spoken(TypedDict):
    people: list[int]
    tags: list[str]


class Suggestion(NamedTuple):
    person: Person
    why: str  # empty where there is nothing to say


def languages_of(request: HttpRequest) -> list[str]:
    viewer = viewer_of(request)
    chosen = [languages.shortened(viewer.language)] if viewer and viewer.language else []
    accepted = languages.all_accepted(accepted_by(request))
    return list(dict.fromkeys(chosen + accepted))[:MOST_LANGUAGES]


def names_of(codes: Sequence[str]) -> list[str]:
    return [name_of(code) for code in codes]


def suggested_people(
    viewer: User, codes: Sequence[str], *, limit: int
) -> tuple[People, list[Suggestion]]:
    """Puts people who write in one of these languages first. One round trip more than
    `suggestions`, and every ten minutes two queries for each language.
    """
    spoken = _spoken_in(codes)
    writes: dict[int, str] = {}
    for code in codes:
        writes |= {who: code for who in spoken[code]["people"] if who not in writes}
    found = suggestions(viewer, limit=limit, first=list(writes))
    why = {who: _("Posts in %(language)s") % {"language": name_of(writes[who])} for who in writes}
    return found, [Suggestion(person, why.get(person.id, "")) for person in found.shown]


def readable_first(tags: Sequence[TrendingTag], codes: Sequence[str]) -> list[TrendingTag]:
    spoken = _spoken_in(codes)
    used = {tag for code in codes for tag in spoken[code]["tags"]}
    return sorted(tags, key=lambda tag: tag.name not in used)


def _spoken_in(codes: Sequence[str]) -> dict[str, Spoken]:
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
