"""A message as its readers get it, from Redis or from SQL."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from redistools import sealing
from redistools.ids import time_of

from .models import Message, Reaction


class StoredMessage(NamedTuple):
    id: int
    author_id: int
    version: int  # of the chat, when it last changed
    text: str = ""
    reply_to: int | None = None
    status_id: int | None = None
    edited_version: int = 0  # of the chat, when its words last changed; 0 if never
    is_deleted: bool = False
    # Emoji, and the ids of who reacted with it, in the order in which they did.
    reactions: tuple[tuple[str, tuple[int, ...]], ...] = ()

    @property
    def sent_at(self) -> datetime:
        return time_of(self.id)

    @property
    def is_edited(self) -> bool:
        return bool(self.edited_version)

    def without_words(self) -> "StoredMessage":
        return StoredMessage(self.id, self.author_id, self.version, is_deleted=True)


def stored(rows: Sequence[Message]) -> list[StoredMessage]:
    """One query, for their reactions."""
    reactions = _reactions([row.pk for row in rows])
    return [_stored(row, reactions.get(row.pk, {})) for row in rows]


def _stored(row: Message, reactions: dict[str, list[int]]) -> StoredMessage:
    return StoredMessage(
        id=row.pk,
        author_id=row.author_id,
        version=row.version,
        text=row.text,
        reply_to=row.reply_to,
        status_id=row.status_id,
        edited_version=row.edited_version,
        is_deleted=row.is_deleted,
        reactions=tuple((emoji, tuple(who)) for emoji, who in reactions.items()),
    )


def _reactions(message_ids: Collection[int]) -> dict[int, dict[str, list[int]]]:
    rows = Reaction.objects.filter(message__in=message_ids).order_by("pk")
    found: dict[int, dict[str, list[int]]] = {}
    for message_id, emoji, user_id in rows.values_list("message_id", "emoji", "user_id"):
        found.setdefault(message_id, {}).setdefault(emoji, []).append(user_id)
    return found


def seal(chat_id: int, message: StoredMessage) -> str:
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return sealing.seal(text.encode(), owner=_owner(chat_id))


def unseal(chat_id: int, sealed: str) -> StoredMessage | None:
    """None if it was changed, or is another chat's."""
    text = sealing.unseal(sealed, owner=_owner(chat_id))
    if text is None:
        return None
    message = StoredMessage(*json.loads(text))
    reactions = tuple((emoji, tuple(who)) for emoji, who in message.reactions)
    return message._replace(reactions=reactions)


def _owner(chat_id: int) -> str:
    return f"chat {chat_id}"
