"""The serving copy of a chat: its newest messages, in a hash of the chat's partition.

A chat has a version in SQL, which rises with each change, and its log says which one it has.
Readers know the chat's version, since they ask SQL whether they are a member, and trust no older
log. So a late, lost or repeated write is never a wrong answer: the next reader loads the log.

Messages are sealed (`redistools/sealing.py`): who reads Redis does not read what people say.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Argument, Batch, Script

from .models import Chat, Message
from .stored import StoredMessage, seal, stored, unseal

# A page and a little more; older ones are in SQL.
SIZE, SLACK = 60, 20
# After the last write or load. An idle chat takes no room at all.
LIFETIME = 24 * 3600
VERSION, WHOLE = "version", "whole"

_put = Script(__file__, "put_message")
_load = Script(__file__, "load_messages")


class Log(NamedTuple):
    """The newest messages, oldest first. If it is not `whole`, SQL has older ones."""

    version: int
    messages: list[StoredMessage]
    whole: bool

    @property
    def floor(self) -> int:
        """Below it only SQL knows."""
        return self.messages[0].id if self.messages and not self.whole else 0


def put(batch: Batch, chat_id: int, message: StoredMessage, *, is_new: bool) -> None:
    """Along with a batch, after each commit. Atomic, O(1) apart from trims."""
    marks: list[Argument] = [message.version, message.id, seal(chat_id, message), int(is_new)]
    batch.call(_put, [keys.chat(chat_id)], [*marks, SIZE, SLACK, LIFETIME])


def read(chat: Chat) -> Log:
    """As of the chat's version or newer. One round trip; if Redis lacks it, another and two or
    three queries.
    """
    held = held_of([chat.pk])[0]
    if held is not None and held.version >= chat.version:
        return held
    return load(chat.pk) or Log(0, [], whole=True)


def held_of(chat_ids: Sequence[int]) -> list[Log | None]:
    """What Redis holds of these; None if it holds nothing that can be read. One round trip."""
    batch = Batch(get_client())
    for chat_id in chat_ids:
        batch.add("HGETALL", keys.chat(chat_id))
    return [_log(*it) for it in zip(chat_ids, batch.run(), strict=True)]


def _log(chat_id: int, fields: dict[str, str]) -> Log | None:
    if VERSION not in fields or WHOLE not in fields:
        return None
    version, whole = int(fields.pop(VERSION)), fields.pop(WHOLE) == "1"
    found = [unseal(chat_id, sealed) for sealed in fields.values()]
    messages = [it for it in found if it is not None]
    # What can't be read was changed by somebody, or sealed with another `SECRET_KEY`.
    if {str(it.id) for it in messages} != fields.keys():
        return None
    return Log(version, sorted(messages), whole)


def load(chat_id: int) -> Log | None:
    """Writes the log from SQL. None without a chat. One round trip."""
    log = in_sql(chat_id)
    if log is not None:
        pairs = [part for it in log.messages for part in (it.id, seal(chat_id, it))]
        _load(get_client(), [keys.chat(chat_id)], [log.version, int(log.whole), LIFETIME, *pairs])
    return log


def in_sql(chat_id: int, *, size: int = SIZE) -> Log | None:
    """The version first: a change in between is then in a log that looks older than it is."""
    chat = Chat.objects.filter(pk=chat_id).values_list("version", flat=True).first()
    if chat is None:
        return None
    newest = list(Message.objects.filter(chat=chat_id).order_by("-pk")[: size + 1])
    return Log(chat, stored(newest[:size][::-1]), whole=len(newest) <= size)


def forget(chat_ids: Collection[int]) -> None:
    batch = Batch(get_client())
    for chat_id in chat_ids:
        batch.add("UNLINK", keys.chat(chat_id))
    batch.run()
