"""The tab of a search that finds people by their interests."""

from collections.abc import Iterator
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from relations.selectors import known_to
from tags.interests.selectors import interests_of, popular_interests
from users.decorators import viewer_of
from users.models import User
from users.store import Person
from web.languages import OFFERED, own_name

from ..models import LONGEST_QUERY
from ..selectors import MOST_PAGES, PEOPLE_PER_PAGE
from .asking import LANGUAGE, MOST_TAGS, Asked, asked_for
from .finding import Match, find, matches_of

# To choose from, with what is asked for; fewer above results, which phones have little room for.
CHOICES, FEW_CHOICES = 16, 8
# An address may name more; no more are read.
MOST_FIELDS = 20


class Choice(NamedTuple):
    name: str
    written: str
    is_chosen: bool


class FoundPerson(NamedTuple):
    person: Person
    why: str


def people_by_interests(request: HttpRequest, *, page: int) -> HttpResponse:
    viewer, asked = viewer_of(request), asked_in(request)
    found = find(asked, viewer=viewer, limit=MOST_PAGES * PEOPLE_PER_PAGE)
    first = (page - 1) * PEOPLE_PER_PAGE
    matches = matches_of(found[first : first + PEOPLE_PER_PAGE], asked)
    people = known_to(viewer, [it.user_id for it in matches])
    why = {it.user_id: _why(it, asked) for it in matches}
    context = {
        "query": asked.query,
        "results_in": "interests",
        "asked": asked,
        "people": people,
        "found": [FoundPerson(it, why[it.id]) for it in people.shown],
        "page": page,
        "next_page": page + 1 if found[first + PEOPLE_PER_PAGE :] and page < MOST_PAGES else None,
        "fewer": asked.least - 1,
        "choices": list(_choices(asked, viewer)),
        "languages": [(code, own_name(code)) for code in OFFERED],
        "numbers": range(1, MOST_TAGS),
    }
    return render(request, "search/interests.html", context)


def asked_in(request: HttpRequest) -> Asked:
    """What was typed into the search box, and what was chosen in the form of the tab."""
    given = request.GET
    typed = [given.get(name, "")[:LONGEST_QUERY] for name in ("q", "more")]
    chosen = [f"#{it}" for it in given.getlist("tag")[:MOST_FIELDS]]
    spoken = [LANGUAGE + it for it in given.getlist("lang")[:MOST_FIELDS] if it]
    least = given.get("least", "")
    is_number = least.isascii() and least.isdecimal() and len(least) < MOST_FIELDS
    return asked_for([*chosen, *typed, *spoken], least=int(least) if is_number else None)


def _choices(asked: Asked, viewer: User | None) -> Iterator[Choice]:
    """What is asked for, then the viewer's own interests, then those of many."""
    own = interests_of(viewer).tags if viewer else []
    popular = popular_interests(CHOICES)
    others = {it.name: it.written for it in own} | {it.name: it.written for it in popular}
    for name in asked.tags:
        yield Choice(name, others.get(name) or name, is_chosen=True)
    room = FEW_CHOICES - len(asked.tags) if asked.tags else CHOICES
    for name in [it for it in others if it not in asked.tags][:room]:
        yield Choice(name, others[name] or name, is_chosen=False)


def _why(match: Match, asked: Asked) -> str:
    names = ", ".join(str(tag) for tag in match.tags)
    if asked.least < len(asked.tags):
        words = _("%(number)s of %(all)s: %(tags)s")
        names = words % {"number": len(match.tags), "all": len(asked.tags), "tags": names}
    if not asked.languages:
        return names
    spoken = ", ".join(asked.language_names)
    return _("%(tags)s · speaks %(languages)s") % {"tags": names, "languages": spoken}
