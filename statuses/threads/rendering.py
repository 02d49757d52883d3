"""A thread as HTML, at the speed of a join: what stands around its entries is kept."""

from collections.abc import Sequence

from django.utils.safestring import SafeString

from web.languages import kept_in_each_language
from web.pages.kept_html import KeptHtml, holes, render_kept

from ..html.rendering import each_entry
from .page import ThreadEntry


def thread_html(lines: Sequence[ThreadEntry], *, for_member: bool) -> SafeString:
    entries = each_entry([it.entry for it in lines], for_member=for_member)
    around = (_line(it.indent, joined=it.is_joined, continued=it.is_continued) for it in lines)
    filled = (it.filled({"entry": html}) for it, html in zip(around, entries, strict=True))
    return SafeString("\n".join(filled))


@kept_in_each_language(100)
def _line(indent: int, *, joined: bool, continued: bool) -> KeptHtml:
    line = {"indent": indent, "is_joined": joined, "is_continued": continued}
    return render_kept("statuses/_thread_entry.html", line | holes("entry"))
