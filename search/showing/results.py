"""What stands around the results of a search for posts."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple
from urllib.parse import urlencode

from statuses.reading.shown import StatusPage
from statuses.words.terms import QueryTerms
from users.models import User

from .. import people, tags
from ..index.documents import MARK
from ..live_searches import can_be_live
from ..models import LONGEST_QUERY
from ..posts import found_at_least
from ..query.meaning import meaning_of
from ..query.syntax import BadQuery, Clause, Filter, Query, Words
from .chips import chips_of, said, without

# Searches that are tried where nothing was found, and the posts that each looks for.
TRIED, COUNTED = 3, 10
# Shorter words are like too many others.
SHORTEST, BEGINNING, LIKENESS = 4, 2, 0.75
CANDIDATES = 40


class Attempt(NamedTuple):
    """A wider search that finds something. `posts`: how many, at most `COUNTED`."""

    query: str
    left_out: str
    posts: int

    @property
    def has_more(self) -> bool:
        return self.posts == COUNTED


def around(query: Query, page: StatusPage, *, viewer: User | None) -> dict[str, Any]:
    """One query for members; a few more if nothing was found."""
    found = {
        "chips": chips_of(query),
        "marks": words_of(query, viewer),
        "saved": _saved(query, viewer),
        "may_save": viewer is not None and len(str(query)) <= LONGEST_QUERY,
    }
    if page.is_first and not page.entries and not page.older:
        found |= {"attempts": attempts(query, viewer), "spellings": spellings(query, viewer)}
    return found


def live_address(query: Query, page: StatusPage, *, viewer: User | None) -> str:
    """Of the stream with what the first page would show next; empty if there is none."""
    if viewer is None or not page.is_first or not can_be_live(query):
        return ""
    return f"/streaming/search?{urlencode({'q': str(query)})}"


def words_of(query: Query, viewer: User | None) -> list[QueryTerms]:
    """What to mark: all but filters."""
    needed = meaning_of(query, viewer=viewer).wanted.needed
    return [it for some in needed for it in some if not it.terms[0].startswith(MARK)]


def _saved(query: Query, viewer: User | None) -> Any:
    return viewer.saved_searches.filter(query=str(query)).first() if viewer else None


def attempts(query: Query, viewer: User | None) -> list[Attempt]:
    """Without one of the parts: what narrows first, then the words."""
    if len(query.clauses) == 1:
        return []
    order = sorted(range(len(query.clauses)), key=lambda at: _is_of_words(query.clauses[at]))
    tried = [_attempt(query, at, viewer) for at in order[:TRIED]]
    return [it for it in tried if it is not None and it.posts]


def _is_of_words(clause: Clause) -> bool:
    return not clause.is_negated and isinstance(clause.alternatives[0], Words)


def _attempt(query: Query, at: int, viewer: User | None) -> Attempt | None:
    wider = without(query, at)
    try:
        count = found_at_least(wider, COUNTED, viewer=viewer)
    except BadQuery:
        return None  # nothing is left to look for
    return Attempt(str(wider), said(query.clauses[at]), count)


def spellings(query: Query, viewer: User | None) -> list[str]:
    """Queries with another word, which a tag or a username has, in the place of one."""
    found = (_respelled(query, at, viewer) for at in range(len(query.clauses)))
    return [it for it in found if it][:1]


def _respelled(query: Query, at: int, viewer: User | None) -> str | None:
    match query.clauses[at]:
        case Clause((Words(text=word, is_phrase=False),), is_negated=False):
            known = _words_like(word, viewer, begun="")
        case Clause((Filter(name="from", value=str(word)),), is_negated=False):
            known = _words_like(word, viewer, begun="from:")
        case _:
            return None
    if not known:
        return None
    parts = [*map(str, query.clauses)]
    return " ".join([*parts[:at], known[0], *parts[at + 1 :]])


def _words_like(word: str, viewer: User | None, *, begun: str) -> Sequence[str]:
    """By their beginning in an index: one or two queries. None for words that are there."""
    sign, bare = (word[:1], word[1:]) if word[:1] in "#@" else ("", word)
    wanted = bare.lower()
    if len(wanted) < SHORTEST or not wanted.isalnum():
        return []
    known = set[str]()
    if not begun and sign != "@":
        known |= {it.name for it in tags.find(wanted[:BEGINNING], limit=CANDIDATES)}
    if sign != "#":
        known |= _usernames(wanted[:BEGINNING], viewer)
    found = get_close_matches(wanted, sorted(known - {wanted}), n=1, cutoff=LIKENESS)
    return [f"{begun}{sign}{it}" for it in found]


def _usernames(beginning: str, viewer: User | None) -> set[str]:
    ids = people.find(beginning, viewer=viewer, limit=CANDIDATES, also_by_bio=False)
    found = User.objects.filter(pk__in=ids).values_list("username", flat=True)
    return {it.lower() for it in found}
