"""A thread as HTML, at the speed of a join: what stands around its articles is kept."""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from django.utils.html import escape
from django.utils.safestring import SafeString

from web.kept_html import HOLE, filled, render_pieces

from ..rendering import Reader, shown_article
from .page import Entry, Kind

# About 300 bytes each. Most are ways on to other pages, one for each status that has them.
KEPT_LINES = 20_000


def entries_html(
    entries: Iterable[Entry], reader: Reader, *, now: datetime, path: str, back: str
) -> SafeString:
    """`path` is that of the thread's page; `back` as in `shown_article`."""
    address = escape(path)

    def line(entry: Entry) -> str:
        if entry.kind == "status" and entry.status:
            inside = shown_article(entry.status, reader, now=now, back=back)
            return filled(_line("status", entry.indent), [inside])
        username = entry.status.username if entry.status else ""
        return filled(_line(entry.kind, entry.indent, entry.id, username), [address])

    return SafeString("\n".join(map(line, entries)))


@lru_cache(KEPT_LINES)
def _line(kind: Kind, indent: int, status_id: int = 0, username: str = "") -> list[str]:
    context = {
        "kind": kind,
        "indent": indent,
        "id": status_id,
        "username": username,
        "article": HOLE,
        "path": HOLE,
    }
    return render_pieces("statuses/_thread_entry.html", context)
