"""HTML that a process renders once and keeps, except for a few holes.

Rendering it takes longer than reading a timeline. Keep it with `kept_in_each_language`, keyed by
everything else that it depends on; what differs between pages (a token, an age) goes into holes.
"""

import secrets
from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

from configuration.current import site

from ..languages import kept_in_each_language

# Stands around the name of a hole. Nobody can guess it, so nobody can write it into a name or a
# status; escaping leaves it as it is.
MARK = f"hole{secrets.token_hex(16)}"


def holes(*names: str) -> dict[str, SafeString]:
    """Variables for a template, which can only write them out."""
    return {name: SafeString(f"{MARK}{name}{MARK}") for name in names}


class KeptHtml:
    def __init__(self, html: str) -> None:
        self._parts = html.split(MARK)  # HTML and names of holes in turns
        self._holes = [*enumerate(self._parts)][1::2]

    def filled(self, values: Mapping[str, str]) -> SafeString:
        """The values are HTML; those without a hole are left out."""
        parts = self._parts.copy()
        for place, name in self._holes:
            parts[place] = values[name]
        return SafeString("".join(parts))


def render_kept(template: str, context: Mapping[str, Any]) -> KeptHtml:
    return KeptHtml(render_to_string(template, dict(context)).strip())


def fill_template(template: str, values: Mapping[str, str]) -> SafeString:
    """Like `render_to_string`, if the template only writes the values out or asks for them."""
    there = {name: conditional_escape(value) for name, value in values.items() if value}
    return _kept(template, *there).filled(there)


@kept_in_each_language(1_000)
def _kept(template: str, *names: str) -> KeptHtml:
    return render_kept(template, {"site_name": site().name, **holes(*names)})
