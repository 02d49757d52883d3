"""Links, mentions and hashtags in a text, and the HTML made of them, once, when it is posted."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

import regex
from django.utils.html import escape
from linkify_it import LinkifyIt

from users.usernames import PATTERN

LONGEST_SHOWN_LINK = 40
# What a mention's link begins with; nobody can write it into a text, where < is escaped.
MENTION_LINK = '<a class="mention"'

_links = LinkifyIt(options={"fuzzy_email": False})
for _scheme in ("ftp:", "mailto:", "//"):
    _links.add(_scheme, None)
# A sign inside a word is no sign: neither in mail@example.com nor in a C#program. And
# @alice@other.example is somebody elsewhere, not our @alice.
_signs = regex.compile(
    rf"(?<![\w@#/])(?:@(?P<mention>{PATTERN})(?!@?\w)|#(?P<hashtag>\w*\p{{L}}\w*))"
)
_unread_prefix = regex.compile(r"\A(?:https?://)?(?:www\.)?", regex.IGNORECASE)
_mention_links = regex.compile(
    rf'{MENTION_LINK} href="/@(?P<name>{PATTERN})/">(?P<shown>[^<]*)</a>'
)
# A name before the host (https://bank.example@evil.example) or a change of the writing direction
# makes an address look like another one.
_misleading = regex.compile(r"[a-z]+://[^/?#]*@|.*\p{Bidi_Control}", regex.IGNORECASE)


@dataclass(frozen=True)
class Entity:
    """`value` is the address, the name or the tag, without its sign."""

    kind: Literal["link", "mention", "hashtag"]
    start: int
    end: int
    value: str


def find_entities(text: str) -> list[Entity]:
    """In the order of the text; none overlaps another."""
    links = list(_find_links(text))
    signs = [sign for sign in _find_signs(text) if not any(_overlap(sign, link) for link in links)]
    return sorted([*links, *signs], key=lambda entity: entity.start)


def mentioned_names(entities: Collection[Entity]) -> set[str]:
    return {entity.value.lower() for entity in entities if entity.kind == "mention"}


def to_html(text: str, entities: Collection[Entity], *, logins: Collection[str]) -> str:
    """Escaped, with links; a mention is one only for the names in `logins` (lower case)."""
    pieces: list[str] = []
    end = 0
    for entity in entities:
        pieces.append(escape(text[end : entity.start]))
        pieces.append(_entity_html(text[entity.start : entity.end], entity, logins))
        end = entity.end
    pieces.append(escape(text[end:]))
    return "".join(pieces).replace("\n", "<br>")


def unlink_mentions(html: str, *, logins: Collection[str]) -> str:
    """What `to_html` made, with these mentions (names in lower case) as plain text."""
    return _mention_links.sub(
        lambda link: link["shown"] if link["name"].lower() in logins else link[0], html
    )


def _find_links(text: str) -> Iterator[Entity]:
    for match in _links.match(text) or []:
        # What stands before an @ is a mailbox: first.me@example.com is no page of first.me.
        is_mailbox = text[match.last_index : match.last_index + 1] == "@"
        if not is_mailbox and not _misleading.match(match.raw):
            yield Entity("link", match.index, match.last_index, match.url)


def _find_signs(text: str) -> Iterator[Entity]:
    for match in _signs.finditer(text):
        kind: Literal["mention", "hashtag"] = "mention" if match["mention"] else "hashtag"
        yield Entity(kind, match.start(), match.end(), match[kind])


def _overlap(one: Entity, other: Entity) -> bool:
    return one.start < other.end and other.start < one.end


def _entity_html(shown: str, entity: Entity, logins: Collection[str]) -> str:
    if entity.kind == "link":
        address, label = escape(entity.value), escape(_shorten(shown))
        return f'<a href="{address}" rel="nofollow noopener noreferrer ugc">{label}</a>'
    if entity.kind == "mention" and entity.value.lower() in logins:
        return f'{MENTION_LINK} href="/@{escape(entity.value)}/">{escape(shown)}</a>'
    return escape(shown)


def _shorten(link: str) -> str:
    bare = _unread_prefix.sub("", link).rstrip("/")
    return bare if len(bare) <= LONGEST_SHOWN_LINK else bare[: LONGEST_SHOWN_LINK - 1] + "…"
