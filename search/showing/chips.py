"""A query in plain words, part by part, each with the query that is left without it."""

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from statuses.words.languages import own_name

from ..query.syntax import ME, Atom, Clause, Filter, Query, Words

CONTENTS = {
    "link": _("with a link"),
    "reply": _("replies"),
    "media": _("with pictures"),
    "poll": _("with a poll"),
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


def _filter(it: Filter) -> str:  # noqa: PLR0911 - one line for each
    match it:
        case Filter("from", value) if value == ME:
            return gettext("by you")
        case Filter("from", value):
            return gettext("by %(account)s") % {"account": _name(f"@{value}")}
        case Filter("to", value):
            account = gettext("you") if value == ME else _name(f"@{value}")
            return gettext("in reply to %(account)s") % {"account": account}
        case Filter("lang", value):
            return gettext("in %(language)s") % {"language": _name(own_name(str(value)))}
        case Filter("has", value):
            return str(CONTENTS[str(value)])
        case Filter("since", date() as day):
            return gettext("since %(day)s") % {"day": _name(date_format(day))}
        case Filter("until", date() as day):
            return gettext("before %(day)s") % {"day": _name(date_format(day))}
        case Filter("min_likes", value):
            return gettext("with at least %(number)s likes") % {"number": _name(str(value))}
        case Filter("filter"):
            return gettext("by people you follow")
    return gettext("among your bookmarks")


def _name(value: str) -> str:
    return f"{BEGIN}{value}{END}"
