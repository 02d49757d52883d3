"""Queries as they were made, and a plain look at every row: who may find what, in words of its own.

It shares nothing with the search but the tokenizer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from relations.models import Block, Follow, Mute
from statuses.models import Bookmark, Status
from statuses.words.entities import find_entities
from statuses.words.terms import places, query_terms
from tests.search.lives import AUTHOR, EVERYBODY, Site, people, words
from users.models import User


@dataclass(frozen=True)
class Asked:
    """A query as it was made: one of each of the needed, none of the refused, and filters."""

    needed: list[list[str]]
    refused: list[str]
    filters: list[str]

    def written(self, site: Site) -> str:
        parts = [" OR ".join(some) for some in self.needed]
        parts += [f"-{it}" for it in self.refused] + self.filters
        for name in EVERYBODY:
            parts = [it.replace(f":{name}", f":{site.people[name].username}") for it in parts]
        return site.named(" ".join(parts))


one_word = st.one_of(
    *[words.filter(lambda it: " " not in it)] * 3,
    st.lists(words, min_size=2, max_size=3).map(lambda some: f'"{" ".join(some)}"'),
    people.map("from:{}".format),
    people.map("to:{}".format),
    st.sampled_from(["lang:en", "lang:zh", "has:link", "has:reply", "has:media", "咖", "คา", "te"]),
).filter(lambda it: len(it) < 60)
asked = st.builds(
    Asked,
    st.lists(st.lists(one_word, min_size=1, max_size=2), min_size=1, max_size=2),
    st.lists(one_word, max_size=1),
    st.lists(
        st.sampled_from(
            [
                *("from:me", "in:bookmarks", "filter:follows", "min_likes:1"),
                *("since:2024-01-02", "until:2024-01-02"),
            ]
        ),
        max_size=1,
    ),
)


def about(text: str) -> list[Asked]:
    """Queries that find this text, or just don't: a word of it, and two in a row refused."""
    one, other, *_ = text.split()
    return [
        Asked([[one]], [], []),
        Asked([[other], [f"from:{AUTHOR}"]], [], []),
        Asked([[one]], [f'"{one} {other}"'], []),
        Asked([[f'"{one} {other}"']], [], []),
    ]


def says(site: Site, row: Status, part: str) -> bool:
    """Has the row what one part of a query asks for?"""
    name, _, value = part.partition(":")
    username = site.people[value].username if value in site.people else ""
    match name:
        case "from":
            return row.author.username == username
        case "to":
            return row.reply_to_author is not None and row.reply_to_author.username == username
        case "lang":
            return row.language == value
        case "has":
            links = [it for it in find_entities(row.text) if it.kind == "link"]
            return {"link": bool(links), "reply": row.reply_to_id is not None}.get(value, False)
    return has_in_a_row(row.text, site.named(part).strip('"'))


def has_in_a_row(text: str, part: str) -> bool:
    wanted = query_terms(part)
    said = places(text, find_entities(text))
    if wanted is None:
        return True
    for start in range(len(said)):
        there = said[start : start + len(wanted.terms)]
        if len(there) == len(wanted.terms) and all(
            any(
                term.startswith(it) if wanted.is_open and it == wanted.terms[-1] else term == it
                for term in place
            )
            for it, place in zip(wanted.terms, there, strict=True)
        ):
            return True
    return False


def may_find(site: Site, row: Status, viewer: User | None, filters: Sequence[str]) -> bool:
    author = row.author
    if not author.is_active:
        return False
    if viewer and viewer != author:
        between = Block.objects.filter(blocker=author, blocked=viewer)
        if (between | Block.objects.filter(blocker=viewer, blocked=author)).exists():
            return False
    if "from:me" in filters:
        return author == viewer
    if "in:bookmarks" in filters:
        kept = Bookmark.objects.filter(user=viewer, status=row).exists()
        return kept and Status.objects.visible_to(viewer).filter(pk=row.pk).exists()
    if viewer and Mute.objects.filter(user=viewer, muted=author).exists():
        return False
    is_listed = row.visibility == 0 and not author.is_private and not author.is_silenced
    return is_listed and author.posts_are_searchable


def plainly_found(site: Site, query: Asked, viewer: User | None) -> list[str]:
    return [
        row.text
        for row in Status.objects.select_related("author", "reply_to_author").order_by("-pk")
        if row.boost_of_id is None
        and may_find(site, row, viewer, query.filters)
        and all(any(says(site, row, it) for it in some) for some in query.needed)
        and not any(says(site, row, it) for it in query.refused)
        and ("min_likes:1" not in query.filters or row.likes_count >= 1)
        and "until:2024-01-02" not in query.filters
        and (
            "filter:follows" not in query.filters
            or Follow.objects.filter(follower=viewer, followee=row.author).exists()
        )
    ]
