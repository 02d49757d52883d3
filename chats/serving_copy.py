"""What Redis holds of chats: their newest messages, and how much each member has not read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from redistools import keys
from redistools.client import get_client
from redistools.copies import Strings
from redistools.scripts import Batch
from redistools.serving_copy import Difference, Scope, Store, each, held_among, register
from users.models import User
from users.serving_copy import USERS

from . import counts, store
from .models import Chat

CHATS = Scope("chats", Chat.objects.all, title=lambda chat: f"chat {chat.pk}")


@dataclass(frozen=True, kw_only=True)
class Logs(Store):
    """No reader trusts a log that is older than its chat: it differs in nothing."""

    def differences(self, rows: Sequence[Chat]) -> Iterator[Difference]:
        ids = [row.pk for row in rows]
        present = held_among(keys.chat(pk) for pk in ids)
        for pk, log in zip(ids, store.held_of(ids), strict=True):
            if keys.chat(pk) in present and not _agrees(pk, log):
                yield Difference(f"log of chat {pk} differs from SQL", partial(store.forget, [pk]))


def _agrees(chat_id: int, log: store.Log | None) -> bool:
    if log is None:
        return False
    right = store.in_sql(chat_id, size=max(len(log.messages), store.SIZE))
    if right is None or log.version != right.version:
        return right is not None and log.version < right.version
    # A trim keeps some more than a load. Below its lowest message no reader trusts a log anyway.
    expected = right.messages if log.whole else right.messages[-len(log.messages) :]
    return log.messages == expected and log.whole <= right.whole


def _counts_in_sql(rows: Sequence[User]) -> list[str]:
    return [counts.written(counts.in_sql(row.pk)) for row in rows]


class KeptCounts(Strings):
    def differences(self, rows: Sequence[User]) -> Iterator[Difference]:
        """A count that goes on is none."""
        batch = Batch(get_client())
        for row in rows:
            batch.add("GET", keys.chat_counts(row.pk))
        pairs = zip(rows, batch.run(), strict=True)
        known = [row for row, held in pairs if held and counts.read(held)]
        yield from super().differences(known)


register(
    Logs(
        kind="chat",
        label="log",
        about=CHATS,
        names=lambda chat: [keys.chat(chat.pk)],
        load=each(lambda chat: store.load(chat.pk)),
    )
)

register(
    KeptCounts(
        kind="chat_counts",
        label="counts of unread messages",
        about=USERS,
        names=lambda user: [keys.chat_counts(user.pk)],
        load=each(lambda user: counts.counts_of(user.pk)),
        in_sql=_counts_in_sql,
        on_demand=True,
    )
)
