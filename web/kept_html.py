"""HTML that a process renders once and keeps, but for a few holes.

What stands on every page is nearly the same on each, and to render it takes longer than to read a
timeline. Keep the pieces in an `lru_cache`, by everything that they depend on; what differs from
one page to the next (a token, an age) goes into the holes.
"""

import secrets
from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

# Nobody can guess it, so nobody can write it into a name or a status; no escaping changes it.
HOLE = SafeString(f"hole{secrets.token_hex(16)}")


def render_pieces(template: str, context: Mapping[str, Any]) -> list[str]:
    """What stands around each `HOLE` that the context holds."""
    return render_to_string(template, dict(context)).strip().split(HOLE)
