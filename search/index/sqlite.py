"""The index as a table of FTS5, which walks its lists from the newest end, and stops."""

from collections.abc import Sequence

from statuses.words.terms import Place, QueryTerms
from web.sql.ready_sql import select_by

from .documents import MARK, flat
from .wanted import Bounds, Wanted

NEWEST = """
    SELECT rowid FROM search_entry WHERE search_entry MATCH %s AND rowid > %s AND rowid < %s
    ORDER BY rowid DESC LIMIT %s
"""
ENTRIES = """
    SELECT rowid, terms FROM search_entry WHERE rowid > %s AND rowid < %s ORDER BY rowid LIMIT %s
"""
# FTS5 has one term at each position. Most places have one or two.
TERMS_OF_A_PLACE = 2
# In posts that have places with more: these may stand further apart.
WIDE = f"{MARK}wide"


def written(document: Sequence[Place]) -> str:
    is_wide = any(len(place) > TERMS_OF_A_PLACE for place in document)
    return " ".join([*flat(document), *([WIDE] if is_wide else [])])


def newest(wanted: Wanted, bounds: Bounds, limit: int) -> list[int]:
    """Newest first, one query. Terms that should stand in a row are only near each other."""
    found = select_by(NEWEST, [_match(wanted), *bounds, limit])
    return [status_id for (status_id,) in found]


def entries(bounds: Bounds, limit: int) -> list[tuple[int, list[str]]]:
    found = select_by(ENTRIES, [*bounds, limit])
    return [(status_id, terms.split(" ")) for status_id, terms in found]


def _match(wanted: Wanted) -> str:
    needed = " AND ".join(_any(some) for some in wanted.needed)
    refused = wanted.surely_refused
    return f"({needed}) NOT {_any(refused)}" if refused else needed


def _any(some: Sequence[QueryTerms]) -> str:
    return f"({' OR '.join(map(_one, some))})"


def _one(asked: QueryTerms) -> str:
    terms = [_quoted(it) for it in asked.terms]
    if asked.is_open:
        terms[-1] += " *"
    if len(terms) == 1:
        return terms[0]
    near = f"NEAR({' '.join(terms)}, {TERMS_OF_A_PLACE * len(terms)})"
    return f"{near} OR ({' AND '.join([*terms, _quoted(WIDE)])})"


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
