"""A notification as HTML, the same on a page and in a live update.

A process renders it once and keeps the result, except for its age. Any other change makes another
`_Article`, and so another article.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.urls import reverse
from django.utils import timezone
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import get_language, gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from statuses.html.rendering import age_in
from web.languages import grouped
from web.pages.kept_html import KeptHtml, holes, render_kept
from web.templatetags.navigation import Face

from .grouping.facts import MOST_COUNTED
from .grouping.kinds import ALWAYS_TOLD, Kind
from .selectors import ShownNotification

# About 1 kB each.
KEPT_ARTICLES = 10_000
# In characters as people count them; as computers do, few take more than one.
LONGEST_PREVIEW, LONGEST_READ = 140, 500
MANY = -1
# Names of icons.
ICONS: dict[Kind, str] = {
    "mention": "at-sign",
    "reply": "corner-up-left",
    "boost": "repeat-2",
    "like": "heart",
    "follow": "user-plus",
    "edit": "pencil",
    "request": "user-plus",
    "report": "shield",
    "search": "search",
    "measure": "shield-alert",
    "appeal": "shield",
}
# `[` and `]` stand around what leads to the status, or to where it can be answered.
SENTENCES: dict[Kind, StrOrPromise] = {
    "mention": _("%(people)s mentioned you in [a post]"),
    "reply": _("%(people)s replied to [your post]"),
    "boost": _("%(people)s boosted [your post]"),
    "like": _("%(people)s liked [your post]"),
    "follow": _("%(people)s followed you"),
    "edit": _("%(people)s edited [a post you boosted]"),
    "request": _("%(people)s asked to follow [you]"),
    "report": _("Moderators have decided about [your report]"),
    "search": _("There are new posts for [a search you saved]"),
    "measure": _("Moderators have deleted [a post of yours]"),
    "appeal": _("Moderators have answered [your appeal]"),
}
PERSON = '<a class="person-link" href="{}"><bdi class="person-name">{}</bdi></a>'


class _Article(NamedTuple):
    id: int
    kind: Kind
    is_unread: bool
    people: tuple[tuple[str, str], ...]  # their usernames and names
    faces: tuple[Face, ...]

    others: int  # how many are not named; -1 if nobody counted them all
    subject: int  # a status, a report, a saved search, a measure or a day
    author: str  # the username of who wrote the status
    is_folded: bool
    text: str  # the beginning of the status, or what covers it; the name of a search
    happened_at: datetime


def articles(notifications: Iterable[ShownNotification]) -> SafeString:
    now, language = timezone.now(), get_language() or ""
    return SafeString("\n".join(_shown(it, now, language) for it in notifications))


def _shown(shown: ShownNotification, now: datetime, language: str) -> SafeString:
    said = _said(shown)
    return _article(said, language).filled({"age": age_in(language, said.happened_at, now)})


@lru_cache(KEPT_ARTICLES)
def _article(said: _Article, _language: str) -> KeptHtml:
    """The language is the current one: a page asks for it once."""
    words = {
        "icon": ICONS[said.kind],
        "sentence": _sentence(said),
        "asker": _asker(said),
        "preview": _preview(said),
    }
    context = said._asdict() | words | holes("age")
    return render_kept("notifications/_notification.html", context)


def _said(shown: ShownNotification) -> _Article:
    stored, status = shown.stored, shown.status
    return _Article(
        id=stored.id,
        kind=stored.kind,
        is_unread=shown.is_unread,
        people=tuple((it.username, it.display_name) for it in shown.people),
        faces=tuple(Face(it.id, it.username, it.name, it.avatar) for it in shown.faces),
        others=_others(shown),
        subject=stored.subject,
        author=status.username if status else "",
        is_folded=status is not None and status.folded,
        text=status.summary[:LONGEST_READ] if status else shown.search,
        happened_at=stored.happened_at,
    )


def _asker(said: _Article) -> str:
    """A single person who asks to follow can be answered here; for several there is the page of
    requests.
    """
    is_alone = len(said.people) == 1 and not said.others
    return said.people[0][0] if said.kind == "request" and is_alone else ""


def _address(said: _Article) -> str:
    if said.kind == "report":
        return reverse("report", args=[said.subject])
    if said.kind in ALWAYS_TOLD:
        return reverse("own_measure", args=[said.subject])
    if said.kind == "search":
        return reverse("open_search", args=[said.subject])
    if said.kind == "request":
        return reverse("follow_requests")
    return reverse("status", args=[said.author, said.subject]) if said.author else ""


def _preview(said: _Article) -> str:
    return gettext("Muted word") if said.is_folded else Truncator(said.text).chars(LONGEST_PREVIEW)


def _others(shown: ShownNotification) -> int:
    return MANY if shown.others + len(shown.people) >= MOST_COUNTED else max(shown.others, 0)


def _sentence(said: _Article) -> SafeString:
    """Escapes names; translations are ours."""
    before, found, after = _template(said).partition("%(people)s")
    return SafeString(before + (_people(said) if found else "") + after)


def _template(said: _Article) -> str:
    address = _address(said)
    link = format_html('<a href="{}">', address) if address else ""
    sentence = conditional_escape(str(SENTENCES[said.kind]))
    return sentence.replace("[", link).replace("]", "</a>" if link else "")


def _people(said: _Article) -> SafeString:
    names = [format_html(PERSON, reverse("profile", args=[it]), name) for it, name in said.people]
    comma = pgettext("between names", ", ")
    if said.others:
        return SafeString(_with_others(comma.join(names), said.others))
    if len(names) < 2:
        return SafeString("".join(names))
    ends = {"names": comma.join(names[:-1]), "last": names[-1]}
    return SafeString(gettext("%(names)s and %(last)s") % ends)


def _with_others(names: str, others: int) -> str:
    if others == MANY:
        words = gettext("%(names)s and %(count)s+ others")
        return words % {"names": names, "count": grouped(MOST_COUNTED)}
    words = ngettext("%(names)s and %(count)s other", "%(names)s and %(count)s others", others)
    return words % {"names": names, "count": grouped(others)}
