"""HTML that a process renders once and keeps, except for a few holes.

Much of a page is nearly the same on every page, and rendering it takes longer than reading a
timeline. Keep the pieces in an `lru_cache`, keyed by everything that they depend on; what differs
from one page to the next (a token, an age) goes into the holes.
"""

import secrets
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

# Nobody can guess it, so nobody can write it into a name or a status; escaping leaves it as it is.
HOLE = SafeString(f"hole{secrets.token_hex(16)}")


def render_pieces(template: str, context: Mapping[str, Any]) -> list[str]:
    """The HTML around each `HOLE` in the context."""
    return render_to_string(template, dict(context)).strip().split(HOLE)


def filled(pieces: Sequence[str], values: Sequence[str]) -> str:
    """The pieces with their holes filled in order. Values beyond the last hole are left out: what
    is not shown to everybody stands at the end.
    """
    between = [*values[: len(pieces) - 1], ""]
    return "".join(chain.from_iterable(zip(pieces, between, strict=True)))
