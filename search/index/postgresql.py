"""The index as vectors with a GIN, which knows no order, and reads all that fits: half a second for
two words that are everywhere. So a look at the newest posts tells first whether walking on finds
enough. Left to itself, the planner mixes both, and takes a second.
"""

from collections import defaultdict
from collections.abc import Sequence

from statuses.words.terms import Place, QueryTerms
from web.sql.ready_sql import select_by

from .documents import MARK
from .wanted import Bounds, Wanted

# Posts a millisecond or so takes, or a third of it; several words are seldom in one of the newest.
LOOKED_AT, LOOKED_AT_FOR_SEVERAL = 1_000, 300
# Beyond it, a GIN is quicker: it has few to read.
WALKED = 20_000
AMONG_THE_NEWEST = """
    SELECT rowid FROM (
        SELECT rowid, terms FROM search_entry WHERE rowid > %s AND rowid < %s
        ORDER BY rowid DESC LIMIT %s
    ) AS newest WHERE terms @@ %s::tsquery ORDER BY rowid DESC LIMIT %s
"""
BY_GIN = """
    WITH found AS MATERIALIZED (SELECT rowid FROM search_entry WHERE terms @@ %s::tsquery)
    SELECT rowid FROM found WHERE rowid > %s AND rowid < %s ORDER BY rowid DESC LIMIT %s
"""
ENTRIES = """
    SELECT rowid, tsvector_to_array(terms) FROM search_entry WHERE rowid > %s AND rowid < %s
    ORDER BY rowid LIMIT %s
"""
# A vector has so many positions of a term, and drops the others.
MOST_POSITIONS = 255
# In posts with a term that has more: where it stands is not known.
CROWDED = f"{MARK}crowded"


def written(document: Sequence[Place]) -> str:
    """As PostgreSQL writes it itself."""
    positions = defaultdict[str, list[int]](list)
    for position, place in enumerate(document, start=1):
        for term in place:
            positions[term].append(position)
    if any(len(it) > MOST_POSITIONS for it in positions.values()):
        positions[CROWDED].append(len(document) + 1)
    return " ".join(
        f"{_quoted(term)}:{','.join(map(str, positions[term][:MOST_POSITIONS]))}"
        for term in sorted(positions, key=str.encode)
    )


def newest(wanted: Wanted, bounds: Bounds, limit: int) -> list[int]:
    """Newest first. Up to three queries, of some milliseconds."""
    query = _query(wanted)
    looked_at = LOOKED_AT if wanted.is_simple else LOOKED_AT_FOR_SEVERAL
    found = _among_the_newest(looked_at, query, bounds, limit)
    if len(found) < limit <= len(found) * WALKED // looked_at:
        found = _among_the_newest(WALKED, query, bounds, limit)
    if len(found) == limit:
        return found
    return [status_id for (status_id,) in select_by(BY_GIN, [query, *bounds, limit])]


def _among_the_newest(walked: int, query: str, bounds: Bounds, limit: int) -> list[int]:
    """Stops where there are enough."""
    found = select_by(AMONG_THE_NEWEST, [*bounds, walked, query, limit])
    return [status_id for (status_id,) in found]


def entries(bounds: Bounds, limit: int) -> list[tuple[int, list[str]]]:
    return [(status_id, terms) for status_id, terms in select_by(ENTRIES, [*bounds, limit])]


def _query(wanted: Wanted) -> str:
    refused = [f"!{_one(it)}" for it in wanted.surely_refused]
    return " & ".join([*(_any(some) for some in wanted.needed), *refused])


def _any(some: Sequence[QueryTerms]) -> str:
    return f"({' | '.join(map(_one, some))})"


def _one(asked: QueryTerms) -> str:
    terms = [_quoted(it) for it in asked.terms]
    if asked.is_open:
        terms[-1] += ":*"
    if len(terms) == 1:
        return terms[0]
    return f"({' <-> '.join(terms)}) | ({' & '.join([*terms, _quoted(CROWDED)])})"


def _quoted(term: str) -> str:
    escaped = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
