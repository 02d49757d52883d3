"""A thread as HTML, at the speed of a join: what stands around its articles is kept."""

from collections.abc import Sequence

from django.utils.html import escape
from django.utils.safestring import SafeString

from web.languages import kept_in_each_language
from web.pages.kept_html import KeptHtml, holes, render_kept

from ..html.rendering import each_article
from .page import Kind, ThreadEntry

# About 300 bytes each. Most are ways on to other pages, one for each status that has them.
KEPT_LINES = 20_000


def entries_html(entries: Sequence[ThreadEntry], *, for_member: bool, path: str) -> SafeString:
    """`path` is that of the thread's page."""
    shown = [it.status for it in entries if it.kind == "status" and it.status]
    articles = iter(each_article(shown, for_member=for_member))
    address = escape(path)

    def line(entry: ThreadEntry) -> SafeString:
        if entry.kind == "status":
            line = _line(
                "status", entry.indent, joined=entry.is_joined, continued=entry.is_continued
            )
            return line.filled({"article": next(articles)})
        username = entry.status.username if entry.status else ""
        return _line(entry.kind, entry.indent, entry.id, username).filled({"path": address})

    return SafeString("\n".join(map(line, entries)))


@kept_in_each_language(KEPT_LINES)
def _line(
    kind: Kind,
    indent: int,
    status_id: int = 0,
    username: str = "",
    *,
    joined: bool = False,
    continued: bool = False,
) -> KeptHtml:
    line = {
        "kind": kind,
        "indent": indent,
        "id": status_id,
        "username": username,
        "is_joined": joined,
        "is_continued": continued,
    }
    return render_kept("statuses/_thread_entry.html", line | holes("article", "path"))
