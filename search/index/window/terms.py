"""Terms as the window knows them: six bytes of a digest. Of a hundred million terms, one shares its
digest with another of its segment; what is found is compared with its text.
"""

from collections.abc import Iterable
from hashlib import blake2b
from itertools import product
from math import prod
from typing import NamedTuple

from ..wanted import Wanted

DIGEST_BYTES = 6
# Each alternative is looked for by itself.
MOST_ALTERNATIVES = 8


class Looked(NamedTuple):
    """All of one of the alternatives, none of the refused."""

    alternatives: list[bytes]
    refused: bytes


def digests(terms: Iterable[str]) -> bytes:
    """In a row, each once."""
    return b"".join(
        blake2b(it.encode(), digest_size=DIGEST_BYTES).digest() for it in dict.fromkeys(terms)
    )


def looked_for(wanted: Wanted) -> Looked | None:
    """None if only SQL can say: beginnings of terms, and too many alternatives. Terms in a row are
    looked for in any order.
    """
    if not wanted.needed or any(it.is_open for some in wanted.needed for it in some):
        return None
    if prod(map(len, wanted.needed)) > MOST_ALTERNATIVES:
        return None
    alternatives = {
        digests(sorted(term for asked in one for term in asked.terms))
        for one in product(*wanted.needed)
    }
    refused = [it.terms[0] for it in wanted.surely_refused if not it.is_open]
    return Looked(sorted(alternatives), digests(refused))
