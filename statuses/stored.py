"""A status as all readers get it: pages, streams and API clients.

Made once, from SQL, when the status is stored. Counters are not in it: a like changes nothing here.
Neither is its HTML: that follows from the text and the entities, and would double its size.
"""

from datetime import UTC, datetime
from typing import NamedTuple, Self

from django.utils.translation import gettext

from redistools.ids import time_of
from tags.names import fold
from users.audience import Visibility

from .words.entities import Entity, find_entities, read_entities, to_html, write_entities

# A hash has these only where they say something.
OPTIONAL_FIELDS = frozenset(
    (
        "entities lat lon warning sensitive visibility "
        "reply reply_uid reply_name thread boost boost_uid edited changed"
    ).split()
)


class StoredStatus(NamedTuple):
    """A tuple: a page makes thirty, and looks each one up."""

    id: int
    author_id: int
    username: str
    name: str
    text: str
    language: str
    latitude: float | None
    longitude: float | None
    entities: str = ""
    """As JSON (`found`)."""

    warning: str = ""
    """Readers see this first, and the text when they want to."""

    reply_to: int | None = None
    reply_to_author: int | None = None
    reply_to_username: str = ""
    thread: int | None = None
    """The status that began the thread; None where there is none but this."""

    boost_of: int | None = None
    boosted_author: int | None = None
    """The author of what it boosts."""

    visibility: int = Visibility.PUBLIC
    is_sensitive: bool = False
    edited_ms: int = 0
    """When it was last edited, in milliseconds since 1970; 0: never."""

    changed_ms: int = 0
    """The same, of edits and of what moderators changed. Tells the newer of two versions."""

    avatar: str = ""
    """The token of the author's picture (`pictures/kinds.py`)."""

    @property
    def html(self) -> str:
        """Escaped, with links. Pages keep what they make of it (`html/rendering.py`)."""
        return to_html(self.text, self.found)

    @property
    def posted_at(self) -> datetime:
        return time_of(self.id)

    @property
    def edited_at(self) -> datetime | None:
        return datetime.fromtimestamp(self.edited_ms / 1000, UTC) if self.edited_ms else None

    @property
    def cover(self) -> str:
        """What readers see until they want to see the text; empty: it is not covered."""
        return self.warning or (gettext("Marked as sensitive") if self.is_sensitive else "")

    @property
    def audience(self) -> str:
        """Who it is for, if not for everybody."""
        return (
            "" if self.visibility == Visibility.PUBLIC else str(Visibility(self.visibility).label)
        )

    @property
    def audience_icon(self) -> str:
        return {
            Visibility.UNLISTED: "moon",
            Visibility.FOLLOWERS: "lock",
            Visibility.MENTIONED: "at-sign",
        }[Visibility(self.visibility)]

    @property
    def counted_at(self) -> int | None:
        """The status whose counters include this one: answered or boosted by it."""
        return self.reply_to or self.boost_of

    @property
    def concerns_others(self) -> bool:
        """Does it answer or name anybody, or have a tag?"""
        named = self.may_mention or '"hashtag"' in self.entities
        return named or self.reply_to is not None

    @property
    def may_mention(self) -> bool:
        """Without reading the entities. Nobody can write this into a text, where " is escaped."""
        return '"mention"' in self.entities

    @property
    def people(self) -> set[int]:
        """Whom it names or answers: they see it, even if it is not for everybody."""
        named = {it.account.id for it in self.found if it.account}
        return named | ({self.reply_to_author} if self.reply_to_author else set())

    @property
    def tags(self) -> dict[str, str]:
        """How its tags are written the first time, by their folded names."""
        written: dict[str, str] = {}
        for entity in self.found:
            if entity.kind == "hashtag":
                written.setdefault(fold(entity.value), entity.value)
        return written

    @property
    def authors(self) -> set[int]:
        """Who said it, and whose words a boost passes on."""
        return {self.author_id, self.boosted_author or self.author_id}

    @property
    def is_reply_to_others(self) -> bool:
        """Not a thread that an author goes on with."""
        return self.reply_to is not None and self.reply_to_author != self.author_id

    @property
    def display_name(self) -> str:
        return self.name or self.username

    @property
    def found(self) -> list[Entity]:
        """Links, mentions and hashtags, in the order of the text."""
        return read_entities(self.entities)

    def saying(self, text: str) -> Self:
        """The same with another text, for what only looks at words: mentions lead nowhere."""
        return self._replace(text=text, entities=write_entities(find_entities(text)))

    def with_entities(self, entities: list[Entity]) -> Self:
        return self._replace(entities=write_entities(entities))

    def fields(self) -> dict[str, str]:
        """As in its hash, and in the events that streams are made of."""
        fields = {
            "id": str(self.id),
            "uid": str(self.author_id),
            "username": self.username,
            "name": self.name,
            "avatar": self.avatar,
            "text": self.text,
            "lang": self.language,
        }
        optional = {
            "entities": self.entities,
            "lat": "" if self.latitude is None else repr(self.latitude),
            "lon": "" if self.longitude is None else repr(self.longitude),
            "warning": self.warning,
            "reply": str(self.reply_to or ""),
            "reply_uid": str(self.reply_to_author or ""),
            "reply_name": self.reply_to_username,
            "thread": str(self.thread or ""),
            "boost": str(self.boost_of or ""),
            "boost_uid": str(self.boosted_author or ""),
            "visibility": str(int(self.visibility) or ""),
            "sensitive": "1" if self.is_sensitive else "",
            "edited": str(self.edited_ms or ""),
            "changed": str(self.changed_ms or ""),
        }
        return fields | {name: value for name, value in optional.items() if value}

    @classmethod
    def of(cls, fields: dict[str, str]) -> Self:
        return cls(
            id=int(fields["id"]),
            author_id=int(fields["uid"]),
            username=fields["username"],
            name=fields["name"],
            text=fields["text"],
            language=fields["lang"],
            latitude=float(fields["lat"]) if "lat" in fields else None,
            longitude=float(fields["lon"]) if "lon" in fields else None,
            entities=fields.get("entities", ""),
            warning=fields.get("warning", ""),
            reply_to=_number(fields, "reply"),
            reply_to_author=_number(fields, "reply_uid"),
            reply_to_username=fields.get("reply_name", ""),
            thread=_number(fields, "thread"),
            boost_of=_number(fields, "boost"),
            boosted_author=_number(fields, "boost_uid"),
            visibility=int(fields.get("visibility", Visibility.PUBLIC)),
            is_sensitive="sensitive" in fields,
            edited_ms=_number(fields, "edited") or 0,
            changed_ms=_number(fields, "changed") or 0,
            avatar=fields.get("avatar", ""),
        )


def _number(fields: dict[str, str], name: str) -> int | None:
    return int(fields[name]) if name in fields else None
