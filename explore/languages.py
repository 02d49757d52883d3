"""Languages that people can filter by."""

from collections import Counter
from typing import NamedTuple

from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from statuses.models import Status
from web.languages import own_name
from web.refusals import Refusal

# Looked at for the languages in use, which a process need not ask for more often than this.
NEWEST = 1_000
KEPT_SECONDS = 10 * 60
MOST_LANGUAGES = 40


class Language(NamedTuple):
    code: str
    name: str  # as its speakers call it

    @classmethod
    def of(cls, code: str) -> "Language":
        name = own_name(code)
        return cls(code, code if name == code else capfirst(name))


def seen() -> list[Language]:
    """Languages of the newest public statuses, the most frequent first. One round trip, and a query
    every ten minutes.
    """
    codes: list[str] = cache.get_or_set("explore:languages", _seen_in_sql, KEPT_SECONDS) or []
    return [Language.of(code) for code in codes]


def _seen_in_sql() -> list[str]:
    newest = Status.objects.listed().newest_first().values_list("language", flat=True)[:NEWEST]
    counted = Counter(code for code in newest if code)
    return [code for code, _ in counted.most_common(MOST_LANGUAGES)]


def language_or_400(request: HttpRequest) -> str:
    given = request.GET.get("lang", "")
    try:
        if given:
            Status._meta.get_field("language").run_validators(given)
    except ValidationError as error:
        words = _("“%(given)s” is not a language. A language is a code such as en or pt-BR.")
        raise Refusal(words % {"given": given[:40]}, code="address") from error
    return given
