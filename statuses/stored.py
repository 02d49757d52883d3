"""A status as all readers get it: pages, streams and API clients.

Made once, from SQL, when the status is stored. Counters are not in it: a like changes nothing here.
Neither is its HTML: that follows from the text and the entities, and would double its size.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, Self, get_args, get_type_hints

from django.utils.translation import gettext

from redistools.ids import time_of
from users.audience import Visibility

from .models import Status
from .words.entities import Entity, Mentioned, find_entities, to_html

BEGINNING, MILLISECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1)
# The names of the fields that parts bring (`parts.py`).
PART_FIELDS: set[str] = set()


class Field(NamedTuple):
    """A field of a status: what it is called in the hash, which events copy, and where a row that
    was read `with_names` has it.
    """

    key: str
    source: str = ""
    # Is it exported for its author, and kept as evidence?
    is_said: bool = False
    # In a `StoredStatus`, which gives the rest too.
    name: str = ""
    read: Callable[[str], Any] = str
    default: Any = ""
    # Others are in the hash only where they say something.
    is_required: bool = False

    def write(self, value: Any) -> str:
        return str(value) if self.read is str else str(int(value))


class StoredStatus(NamedTuple):
    """A tuple: a page makes thirty, and looks each one up."""

    id: Annotated[int, Field("id", "pk")]
    author_id: Annotated[int, Field("uid", "author_id")]
    username: Annotated[str, Field("username", "author.username")]
    name: Annotated[str, Field("name", "author.name")]
    # The token of the author's picture (`pictures/kinds.py`).
    avatar: Annotated[str, Field("avatar", "author.avatar")]
    text: Annotated[str, Field("text", "text", is_said=True)]
    language: Annotated[str, Field("lang", "language", is_said=True)]
    # Readers see this first, and the text when they want to.
    warning: Annotated[str, Field("warning", "warning", is_said=True)] = ""
    reply_to: Annotated[int | None, Field("reply", "reply_to_id")] = None
    reply_to_author: Annotated[int | None, Field("reply_uid", "reply_to_author_id")] = None
    reply_to_username: Annotated[str, Field("reply_name", "answered_username")] = ""
    # The status that began the thread; None where there is none but this.
    thread: Annotated[int | None, Field("thread", "thread_id")] = None
    boost_of: Annotated[int | None, Field("boost", "boost_of_id")] = None
    # The author of what it boosts.
    boosted_author: Annotated[int | None, Field("boost_uid", "boost_of_author_id")] = None
    visibility: Annotated[int, Field("visibility", "visibility")] = Visibility.PUBLIC
    is_sensitive: Annotated[bool, Field("sensitive", "is_sensitive")] = False
    # When it was last edited, in milliseconds since 1970; 0: never.
    edited_ms: Annotated[int, Field("edited", "edited_at")] = 0
    # The same, of edits and of what moderators changed. Tells the newer of two versions.
    changed_ms: Annotated[int, Field("changed", "changed_at")] = 0
    # As JSON (`found`).
    entities: Annotated[str, Field("entities")] = ""
    # What its parts say: their fields in the hash, sorted.
    parts: tuple[tuple[str, str], ...] = ()

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
                written.setdefault(entity.value, self.text[entity.start + 1 : entity.end])
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
        rows = json.loads(self.entities) if self.entities else []
        return [
            Entity(kind, start, end, value, Mentioned(*account) if account else None)
            for kind, start, end, value, *account in rows
        ]

    def saying(self, text: str) -> Self:
        """The same with another text, for what only looks at words: mentions lead nowhere."""
        return self._replace(text=text).with_entities(find_entities(text))

    def with_entities(self, entities: Collection[Entity]) -> Self:
        return self._replace(entities=_written(entities))

    def fields(self) -> dict[str, str]:
        """As in its hash, and in the events that streams are made of."""
        said = zip(FIELDS, self, strict=False)
        written = {it.key: it.write(value) for it, value in said if value or it.is_required}
        return written | dict(self.parts)

    @classmethod
    def of(cls, fields: dict[str, str]) -> Self:
        values, parts = [*_DEFAULTS, ()], []
        for key, text in fields.items():
            if known := _READERS.get(key):
                place, read = known
                values[place] = read(text) if read else text
            elif key in PART_FIELDS:
                parts.append((key, text))
        if parts:
            values[-1] = tuple(sorted(parts))
        return cls._make(values)

    @classmethod
    def of_row(cls, row: Status, entities: Collection[Entity], parts: Mapping[str, str]) -> Self:
        values = map(_stored, _values_of(row), _DEFAULTS)
        return cls._make([*values, _written(entities), tuple(sorted(parts.items()))])


class Counts(NamedTuple):
    """In the hash too, but beside the status (`reactions/counts.py`)."""

    likes: int = 0
    boosts: int = 0
    replies: int = 0
    version: int = 0

    def fields(self) -> dict[str, str]:
        """Most statuses are never counted, and have no fields."""
        return {name: str(count) for name, count in self._asdict().items()} if any(self) else {}

    @classmethod
    def of(cls, fields: dict[str, str]) -> Self:
        if "version" not in fields:
            return _UNCOUNTED  # type: ignore[return-value] # nobody makes another kind
        get = fields.get
        return cls(
            int(get("likes", 0)),
            int(get("boosts", 0)),
            int(get("replies", 0)),
            int(get("version", 0)),
        )


_UNCOUNTED = Counts()


def _written(entities: Collection[Entity]) -> str:
    rows = [[it.kind, it.start, it.end, it.value, *(it.account or ())] for it in entities]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")) if rows else ""


def _stored(value: Any, default: Any) -> Any:
    if isinstance(value, datetime):
        return (value - BEGINNING) // MILLISECOND
    return default if value is None else value


def _table() -> Iterator[Field]:
    """In the order of a `StoredStatus`."""
    defaults = StoredStatus._field_defaults
    for name, hint in get_type_hints(StoredStatus, include_extras=True).items():
        if name != "parts":
            kind, field = get_args(hint)
            read: type = next(iter(get_args(kind)), kind)
            default, is_required = defaults.get(name, read()), name not in defaults
            yield field._replace(name=name, read=read, default=default, is_required=is_required)


FIELDS = list(_table())
OPTIONAL_FIELDS = frozenset(it.key for it in FIELDS if not it.is_required)
_DEFAULTS = [it.default for it in FIELDS]
# Texts are as the hash has them. A page reads hundreds of fields.
_READERS = {it.key: (place, None if it.read is str else it.read) for place, it in enumerate(FIELDS)}
_values_of = attrgetter(*(it.source for it in FIELDS if it.source))


def said_by(row: Status) -> dict[str, Any]:
    return {it.name: getattr(row, it.source) for it in FIELDS if it.is_said}
