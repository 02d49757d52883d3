"""A status as HTML. The same article serves a page, a fragment and a live update.

Most readers get the same one, so a process renders it once and keeps it
(`web/pages/kept_html.py`); the age, the counters and who boosted it are put in each time. A changed
status, an author's new name or a reader's own likes make another article.
"""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import get_language, override, pgettext

from web.languages import kept_in_each_language
from web.pages.kept_html import KeptHtml, holes, render_kept

from ..parts import html_of
from ..reactions.store import ReaderMarks
from ..reading.shown import Entry, Placeholder, ShownStatus
from ..stored import StoredStatus
from .folding import fold_of

# About 4 kB each, with the status that is its key.
KEPT_ARTICLES = 20_000
KEPT_BOOSTS = 5_000
# About 300 bytes each. Most lead to replies, one for each status that has too many.
KEPT_PLACEHOLDERS = 20_000

MINUTE, HOUR, DAY, WEEK = (
    timedelta(minutes=1),
    timedelta(hours=1),
    timedelta(days=1),
    timedelta(days=7),
)


class Actions(NamedTuple):
    is_member: bool
    marks: ReaderMarks
    is_boostable: bool


def entries_html(entries: Iterable[Entry], *, for_member: bool) -> SafeString:
    return SafeString("\n".join(each_entry(entries, for_member=for_member)))


def each_entry(entries: Iterable[Entry], *, for_member: bool) -> list[str]:
    now, language = timezone.now(), get_language() or ""
    return [
        _shown(it, now, language, for_member=for_member)
        if isinstance(it, ShownStatus)
        else _placeholder(it)
        for it in entries
    ]


def detailed_article(status: ShownStatus, details: str, *, for_member: bool) -> SafeString:
    now, language = timezone.now(), get_language() or ""
    return _shown(status, now, language, for_member=for_member, details=details)


def article(entry: ShownStatus) -> SafeString:
    return _filled(entry, None, timezone.now(), get_language() or "")


def _shown(
    entry: ShownStatus, now: datetime, language: str, *, for_member: bool, details: str = ""
) -> SafeString:
    actions = Actions(for_member, entry.marks, entry.is_boostable)
    html = _filled(entry, actions, now, language, details)
    return folded_away(html, entry.username) if entry.folded else html


def _filled(
    entry: ShownStatus, actions: Actions | None, now: datetime, language: str, details: str = ""
) -> SafeString:
    status, counts = entry.status, entry.counts
    posted_at, kept = _article(status, actions, language)
    values = {
        "boosted": _booster(entry.boost) if entry.boost else "",
        "age": age_in(language, posted_at, now),
        "replies": _count(counts.replies),
        "boosts": _count(counts.boosts),
        "likes": _count(counts.likes),
        "details": details,
    }
    if status.parts:
        values["parts"] = html_of(entry, for_member=bool(actions and actions.is_member))
    return kept.filled(values)


def folded_away(html: SafeString, username: str) -> SafeString:
    """Wraps an article with a word that its reader has muted; others share the kept article."""
    return _fold(username).filled({"article": html})


def _count(number: int) -> str:
    return f' <span class="count">{in_short(number)}</span>' if number else ""


def in_short(number: int) -> str:
    if number < 1_000:
        return str(number or "")
    return f"{number / 1_000:.1f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"


@lru_cache(KEPT_ARTICLES)
def _article(
    status: StoredStatus, actions: Actions | None, _language: str
) -> tuple[datetime, KeptHtml]:
    """Comes with the time of posting, which takes long to work out from its id. The language is the
    current one: a page asks for it once.
    """
    parts = ("parts",) if status.parts else ()
    varying = holes("boosted", "age", "replies", "boosts", "likes", "details", *parts)
    context = {"status": status, "actions": actions, "fold": fold_of(status.text)} | varying
    return status.posted_at, render_kept("statuses/_status.html", context)


@kept_in_each_language(KEPT_BOOSTS)
def _fold(username: str) -> KeptHtml:
    return render_kept("statuses/_folded.html", {"username": username} | holes("article"))


@kept_in_each_language(KEPT_PLACEHOLDERS)
def _placeholder(entry: Placeholder) -> str:
    return render_to_string("statuses/_placeholder.html", entry._asdict()).strip()


@kept_in_each_language(KEPT_BOOSTS)
def _booster(boost: StoredStatus) -> str:
    return render_to_string("statuses/_boosted.html", {"boost": boost})


def age_in(language: str, moment: datetime, now: datetime) -> str:
    """Returns `now`, `5m`, `3h`, `2d`; the date after a week. A page asks for its language once:
    that takes longer than all the rest.
    """
    age = now - moment
    if age < WEEK:
        return _age(language, age // MINUTE)
    return _date(language, moment.date(), has_year=moment.year != now.year)


@lru_cache(20_000)
def _age(language: str, minutes: int) -> str:
    with override(language):
        if minutes < 1:
            return pgettext("age", "now")
        if minutes < HOUR // MINUTE:
            return pgettext("age", "%(minutes)sm") % {"minutes": minutes}
        if minutes < DAY // MINUTE:
            return pgettext("age", "%(hours)sh") % {"hours": minutes * MINUTE // HOUR}
        return pgettext("age", "%(days)sd") % {"days": minutes * MINUTE // DAY}


@lru_cache(20_000)
def _date(language: str, day: date, *, has_year: bool) -> str:
    with override(language):
        return date_format(day, "SHORT_DATE_FORMAT" if has_year else "MONTH_DAY_FORMAT")
