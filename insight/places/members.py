"""Where each member was last: two bytes for each account, in strings of its partition."""

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings

from configuration.current import site
from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_binary_client, get_client
from redistools.scripts import Batch, Script
from users.models import User

from .ranges import UNKNOWN

# With what Redis adds, just below a size of memory that it can ask for.
MEMBERS_OF_A_CHUNK = 4_000
BYTES = 2
CHUNKS_AT_ONCE = 100

_note_place = Script(__file__, "note_place")


def are_noted() -> bool:
    return bool(settings.INSIGHT and site().notes_places)


def note(batch: Batch, user_id: int, place: int) -> None:
    """Atomic, O(1)."""
    key, offset = _bytes_of(user_id)
    batch.call(_note_place, [key], [offset, place, BYTES * MEMBERS_OF_A_CHUNK])


def forget(user_id: int) -> None:
    batch = Batch(get_client())
    note(batch, user_id, UNKNOWN)
    batch.run()


def place_of(user_id: int) -> int:
    """One round trip."""
    key, offset = _bytes_of(user_id)
    client: Any = get_binary_client()
    return int.from_bytes(client.getrange(key, offset, offset + BYTES - 1), "big")


def _bytes_of(user_id: int) -> tuple[str, int]:
    chunk, place = divmod(user_id // settings.PARTITIONS, MEMBERS_OF_A_CHUNK)
    return keys.places(keys.partition(user_id), chunk), BYTES * place


def count() -> Counter[int]:
    """How many members were last in which place. O(accounts): two bytes for each are read."""
    found: Counter[int] = Counter()
    for some in chunks(_names(), CHUNKS_AT_ONCE):
        batch = Batch(get_binary_client())
        for name in some:
            batch.add("GET", name)
        for held in filter(None, batch.run()):
            found.update(_numbers(held))
    del found[UNKNOWN]
    return found


def _numbers(held: bytes) -> Iterable[int]:
    numbers = array("H", held)
    if sys.byteorder == "little":
        numbers.byteswap()
    return numbers


def forget_all() -> None:
    for some in chunks(_names(), CHUNKS_AT_ONCE):
        batch = Batch(get_client())
        for name in some:
            batch.add("UNLINK", name)
        batch.run()


def _names() -> Iterator[str]:
    """Of all chunks that there may be: ids rise."""
    newest = User.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    last = newest // settings.PARTITIONS // MEMBERS_OF_A_CHUNK
    for partition in range(settings.PARTITIONS):
        for chunk in range(last + 1):
            yield keys.places(partition, chunk)
