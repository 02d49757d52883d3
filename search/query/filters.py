"""What may stand behind `from:`, `since:` and the like, and what is wrong with everything else."""

import re
from collections.abc import Callable
from datetime import date

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from statuses.models import validate_language
from statuses.words.languages import shortened
from users.names.usernames import PATTERN

from .syntax import BadQuery, Filter, FilterName, Value

# What a post can have, by all the names that people try.
CONTENTS = {
    **dict.fromkeys(["link", "links"], "link"),
    **dict.fromkeys(["reply", "replies"], "reply"),
    **dict.fromkeys(
        ["media", "image", "images", "picture", "pictures", "video", "videos"], "media"
    ),
    **dict.fromkeys(["poll", "polls"], "poll"),
}
# They narrow the whole search: neither `-` nor OR makes sense with them.
NARROWING: frozenset[FilterName] = frozenset({"since", "until", "min_likes", "filter", "in"})
# They ask who reads.
PERSONAL: frozenset[FilterName] = frozenset({"filter", "in"})

_name = re.compile(rf"@?({PATTERN})")
_number = re.compile("[0-9]{1,9}", re.ASCII)
_date = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _username(given: str) -> str | None:
    found = _name.fullmatch(given)
    return found[1].lower() if found else None


def _language(given: str) -> str | None:
    try:
        # The region is written in capitals; people don't.
        code, _dash, region = given.partition("-")
        language = f"{code.lower()}-{region}" if region else code.lower()
        validate_language(language)
    except ValidationError:
        return None
    return shortened(language)


def _day(given: str) -> date | None:
    try:
        return date.fromisoformat(given) if _date.fullmatch(given) else None
    except ValueError:
        return None


def _one_of(*words: str) -> Callable[[str], str | None]:
    return lambda given: given.lower() if given.lower() in words else None


READERS: dict[FilterName, tuple[Callable[[str], Value | None], Promise]] = {
    "from": (_username, _("After from: comes a username, such as from:alice, or from:me.")),
    "to": (_username, _("After to: comes a username, such as to:alice.")),
    "lang": (_language, _("After lang: comes the code of a language, such as lang:en.")),
    "has": (
        lambda given: CONTENTS.get(given.lower()),
        _("After has: comes link, reply, media or poll, such as has:link."),
    ),
    "since": (_day, _("After since: comes a day, such as since:2026-01-31.")),
    "until": (_day, _("After until: comes a day, such as until:2026-01-31.")),
    "min_likes": (
        lambda given: int(given) if _number.fullmatch(given) else None,
        _("After min_likes: comes a number, such as min_likes:10."),
    ),
    "filter": (_one_of("follows"), _("After filter: comes follows: filter:follows.")),
    "in": (_one_of("bookmarks"), _("After in: comes bookmarks: in:bookmarks.")),
}


def filter_of(written: str, column: int) -> Filter | None:
    """Returns None for what is no filter, such as `12:30`. Raises BadQuery."""
    typed, colon, given = written.partition(":")
    name = next((it for it in READERS if it == typed.lower()), None)
    if not colon or name is None:
        return None
    read, wanted = READERS[name]
    value = read(given)
    if value is None:
        raise BadQuery(str(wanted), column=column, length=len(written))
    return Filter(name, value, column)


def refuse_narrowing(it: Filter, sign: str) -> None:
    if it.name in NARROWING:
        words = gettext("%(filter)s: is for the whole search. Leave out the %(sign)s.")
        given = {"filter": it.name, "sign": sign}
        raise BadQuery(words % given, column=it.column, length=len(str(it)))
