"""A query in plain words, part by part, each with the query that is left without it."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from web.languages import own_name

from ..query.syntax import ME, Atom, Clause, Filter, FilterName, Query, Words

CONTENTS = {
    "link": _("with a link"),
    "reply": _("replies"),
    "media": _("with pictures"),
    "poll": _("with a poll"),
}
FILTERS: dict[FilterName, tuple[Promise, Callable[[Any], str]]] = {
    "from": (_("by %(value)s"), "@{}".format),
    "to": (_("in reply to %(value)s"), "@{}".format),
    "lang": (_("in %(value)s"), own_name),
    "since": (_("since %(value)s"), date_format),
    "until": (_("before %(value)s"), date_format),
    "min_likes": (_("with at least %(value)s likes"), str),
    "filter": (_("by people you follow"), str),
    "in": (_("among your bookmarks"), str),
}
# Around what people typed. Nobody can post these, and the tokenizer drops them.
BEGIN, END = "\x02", "\x03"


class Chip(NamedTuple):
    says: str
    html: SafeString
    rest: str  # the query without this part


def chips_of(query: Query) -> list[Chip]:
    """None for a single word: the box says it."""
    if len(query.clauses) == 1 and query.is_plain:
        return []
    return [_chip(_said(it), without(query, at)) for at, it in enumerate(query.clauses)]


def without(query: Query, at: int) -> Query:
    return Query((*query.clauses[:at], *query.clauses[at + 1 :]))


def said(clause: Clause) -> str:
    return _plain(_said(clause))


def _chip(said: str, rest: Query) -> Chip:
    html = escape(said).replace(BEGIN, "<b><bdi>").replace(END, "</bdi></b>")
    return Chip(_plain(said), SafeString(html), str(rest))


def _plain(said: str) -> str:
    return said.replace(BEGIN, "").replace(END, "")


def _said(clause: Clause) -> str:
    if not clause.is_negated:
        return _either(map(_atom, clause.alternatives))
    (atom,) = clause.alternatives
    words = gettext("without %(what)s") if isinstance(atom, Words) else gettext("not %(what)s")
    return words % {"what": _atom(atom)}


def _either(said: Iterable[str]) -> str:
    whole, *others = said
    for other in others:
        whole = gettext("%(one)s or %(other)s") % {"one": whole, "other": other}
    return whole


def _atom(atom: Atom) -> str:
    if isinstance(atom, Filter):
        return _filter(atom)
    words = gettext("exactly %(words)s") if atom.is_phrase else "%(words)s"
    return words % {"words": _name(atom.text)}


def _filter(it: Filter) -> str:
    if it.value == ME:
        return gettext("by you") if it.name == "from" else gettext("in reply to you")
    if it.name == "has":
        return str(CONTENTS[str(it.value)])
    words, shown = FILTERS[it.name]
    return str(words) % {"value": _name(shown(it.value))}


def _name(value: str) -> str:
    return f"{BEGIN}{value}{END}"
