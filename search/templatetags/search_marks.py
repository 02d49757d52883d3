"""`{% filter mark_posts:asked %}` … `{% endfilter %}`: marks words in the articles of a page."""

from collections.abc import Collection

import regex
from django import template
from django.utils.safestring import SafeString

from statuses.words.terms import QueryTerms
from users.names.folding import terms_of

from ..showing.marking import Finder, beginning, beginnings, mark, words_in_posts

register = template.Library()

# What people wrote is escaped, so these can only be the elements of our own templates.
_of_posts = regex.compile(
    r'(?<open><(?<tag>p) class="status-text[^>]*>|<(?<tag>span) dir="auto">)'
    r"(?<inside>.*?)(?=</(?P=tag)>)",
    regex.DOTALL,
)
_of_people = regex.compile(
    r'(?<open><(?<tag>bdi|span|p) class="person-(?:name|login|bio)"[^>]*>)'
    r"(?<inside>.*?)(?=</(?P=tag)>)",
    regex.DOTALL,
)


@register.filter
def mark_posts(html: str, asked: Collection[QueryTerms]) -> SafeString:
    """`html` is a page of finished articles."""
    return _within(_of_posts, html, words_in_posts(asked)) if asked else SafeString(html)


@register.filter
def mark_people(html: str, query: str) -> SafeString:
    return _within(_of_people, html, beginnings(terms_of(query)))


@register.filter
def mark_tag(html: str, query: str) -> SafeString:
    """`html` is escaped."""
    return SafeString(mark(html, beginning(query)))


def _within(elements: regex.Pattern[str], html: str, find: Finder) -> SafeString:
    return SafeString(elements.sub(lambda it: it["open"] + mark(it["inside"], find), html))
