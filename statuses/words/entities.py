"""Links, mentions and hashtags in a text, and the HTML that is made of them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple
from urllib.parse import quote

import regex
from django.utils.html import escape
from linkify_it import LinkifyIt

from tags import names as tags
from users.names.usernames import PATTERN

LONGEST_SHOWN_LINK = 40

_links = LinkifyIt(options={"fuzzy_email": False})
for _scheme in ("ftp:", "mailto:", "//"):
    _links.add(_scheme, None)
# Inside a word, @ and # mean nothing: mail@example.com, C#program. And @alice@other.example is
# somebody elsewhere, not our @alice.
_signs = regex.compile(
    rf"(?<![\w@#/])(?:@(?P<mention>{PATTERN})(?!@?\w)|#(?P<hashtag>{tags.PATTERN}))"
)
# Every link has one of these, most texts have none: looking for links takes as long as the rest.
_may_link = regex.compile(r"://|\.\S|localhost", regex.IGNORECASE)
_unread_prefix = regex.compile(r"\A(?:https?://)?(?:www\.)?", regex.IGNORECASE)
# A name before the host (https://bank.example@evil.example) or a change of the writing direction
# makes an address look like another one.
_misleading = regex.compile(r"[a-z]+://[^/?#]*@|.*\p{Bidi_Control}", regex.IGNORECASE)


class Mentioned(NamedTuple):
    id: int
    username: str
    name: str


@dataclass(frozen=True)
class Entity:
    kind: Literal["link", "mention", "hashtag"]
    start: int
    end: int
    # The address of a link, a username, the folded name of a tag.
    value: str
    # For a mention, if the account exists. Without one it is plain text.
    account: Mentioned | None = None


def find_entities(text: str) -> list[Entity]:
    links = list(_find_links(text))
    signs = [sign for sign in _find_signs(text) if not any(_overlap(sign, link) for link in links)]
    return sorted([*links, *signs], key=lambda entity: entity.start)


def mentioned_names(entities: Collection[Entity]) -> set[str]:
    return {entity.value.lower() for entity in entities if entity.kind == "mention"}


def with_accounts(entities: Collection[Entity], accounts: Mapping[str, Mentioned]) -> list[Entity]:
    return [
        replace(entity, account=accounts.get(entity.value.lower()))
        if entity.kind == "mention"
        else entity
        for entity in entities
    ]


def to_html(text: str, entities: Collection[Entity]) -> str:
    pieces: list[str] = []
    end = 0
    for entity in entities:
        pieces.append(escape(text[end : entity.start]))
        pieces.append(_entity_html(text[entity.start : entity.end], entity))
        end = entity.end
    pieces.append(escape(text[end:]))
    return "".join(pieces).replace("\n", "<br>")


def _find_links(text: str) -> Iterator[Entity]:
    if not _may_link.search(text):
        return
    for match in _links.match(text) or []:
        # Before an @ it is a mailbox: first.me@example.com does not link to first.me.
        is_mailbox = text[match.last_index : match.last_index + 1] == "@"
        if not is_mailbox and not _misleading.match(match.raw):
            yield Entity("link", match.index, match.last_index, match.url)


def _find_signs(text: str) -> Iterator[Entity]:
    for match in _signs.finditer(text):
        if name := match["mention"]:
            yield Entity("mention", match.start(), match.end(), name)
        elif tag := tags.fold(match["hashtag"]):
            yield Entity("hashtag", match.start(), match.end(), tag)


def _overlap(one: Entity, other: Entity) -> bool:
    return one.start < other.end and other.start < one.end


def _entity_html(shown: str, entity: Entity) -> str:
    if entity.kind == "link":
        address, label = escape(entity.value), escape(_shorten(shown))
        return f'<a href="{address}" rel="nofollow noopener noreferrer ugc">{label}</a>'
    if entity.account:
        return f'<a class="mention" href="/@{escape(entity.value)}/">{escape(shown)}</a>'
    if entity.kind == "hashtag":
        return f'<a class="hashtag" href="{quote(f"/tags/{entity.value}/")}">{escape(shown)}</a>'
    return escape(shown)


def _shorten(link: str) -> str:
    bare = _unread_prefix.sub("", link).rstrip("/")
    return bare if len(bare) <= LONGEST_SHOWN_LINK else bare[: LONGEST_SHOWN_LINK - 1] + "…"
