"""Who was here on a day: visitors about, members exactly; never what they did.

*Visitors* are a HyperLogLog for each day, off by 1 % or so: it can count, and can't be asked who.
Members are in it by id; others by a digest of address and browser, with a key that is made anew
each day and forgotten with it: nobody can tell whether somebody came back the next day, nor find
out an address. *Actives* are a bit for each account, in its partition, for five weeks.
"""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings

from redistools import keys
from redistools.client import get_binary_client, get_client
from redistools.scripts import Batch
from web.client_address import address_from

from ..precisions import DAY, HOUR
from ..recording.buffer import Visit

# This month and the one before.
VISITORS_SECONDS = 63 * DAY
# Four weeks and the running one: what retention and monthly actives need.
ACTIVE_DAYS = 36
# A process sends the same visitor again after this long, should Redis have lost its memory.
MEMORY_SECONDS = 600
MOST_REMEMBERED = 50_000


def today() -> date:
    return datetime.now(UTC).date()


def add(batch: Batch, visits: Collection[Visit], *, day: date | None = None) -> None:
    """Of today. Atomic for each partition, O(visits)."""
    day = day or today()
    new = memory.new(day, visits)
    if not new:
        return
    batch.add("PFADD", keys.visitors(day.isoformat()), *_members(day, new))
    batch.add("EXPIREAT", keys.visitors(day.isoformat()), _end_of(day) + VISITORS_SECONDS)
    for user_id in {it.user_id for it in new if it.user_id}:
        _add_active(batch, day, user_id)


def _members(day: date, visits: Iterable[Visit]) -> list[bytes]:
    members = list(visits)
    key = _key_of(day) if any(not it.user_id for it in members) else b""
    return [str(it.user_id).encode() if it.user_id else _digest(key, it) for it in members]


def _digest(key: bytes, visit: Visit) -> bytes:
    address = address_from(visit.peer, visit.forwarded)
    text = f"{address}\n{visit.agent}".encode("utf-8", "surrogatepass")
    return hmac.digest(key, text, "sha256")[:16]


def _add_active(batch: Batch, day: date, user_id: int) -> None:
    key, place = _bit(day, user_id)
    batch.add("SETBIT", key, place, 1)
    batch.add("EXPIREAT", key, _end_of(day) + ACTIVE_DAYS * DAY)


def _end_of(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) + DAY


class Memory:
    """Of this process: whom it has sent already today. Keeps digests, not addresses."""

    def __init__(self) -> None:
        self._sent: set[bytes] = set()
        self._day: date | None = None
        self._until = 0.0

    def new(self, day: date, visits: Iterable[Visit]) -> list[Visit]:
        is_full = len(self._sent) > MOST_REMEMBERED
        if day != self._day or time.monotonic() > self._until or is_full:
            self._sent.clear()
            self._day, self._until = day, time.monotonic() + MEMORY_SECONDS
        new = []
        for visit in visits:
            reader = visit.user_id or visit
            digest = hashlib.blake2b(repr(reader).encode(), digest_size=12).digest()
            if digest not in self._sent:
                self._sent.add(digest)
                new.append(visit)
        return new

    def clear(self) -> None:
        self._sent.clear()
        _keys.clear()


memory = Memory()
_keys: dict[date, bytes] = {}
_keys_lock = threading.Lock()


def _key_of(day: date) -> bytes:
    """The first process of the day makes it, for all. One round trip once a day."""
    with _keys_lock:
        if day not in _keys:
            _keys.clear()
            batch, name = Batch(get_binary_client()), keys.visitor_key(day.isoformat())
            batch.add("SET", name, secrets.token_bytes(16), "NX", "EXAT", _end_of(day) + HOUR)
            batch.add("GET", name)
            _keys[day] = batch.run()[1] or secrets.token_bytes(16)
        return _keys[day]


# Reading ------------------------------------------------------------------------------------------


def count(days: Iterable[date]) -> int:
    """Different visitors over all these days, within 1 % or so. A member counts once, anybody else
    once a day. One round trip.
    """
    names = [keys.visitors(day.isoformat()) for day in days]
    return int(get_client().pfcount(*names)) if names else 0


def actives(days: Iterable[date]) -> "Actives":
    """The members who were here on any of these days. One round trip, O(accounts / 8) bytes."""
    wanted, partitions = list(days), range(settings.PARTITIONS)
    batch = Batch(get_binary_client())
    for partition in partitions:
        for day in wanted:
            batch.add("GET", keys.actives(partition, day.isoformat()))
    answers = batch.run()
    step = len(wanted)
    return Actives([_or(answers[it * step : (it + 1) * step]) for it in partitions])


def _or(answers: list[Any]) -> str:
    """Of several bitmaps, as a text of bits, the lowest account first."""
    length = max((len(it) for it in answers if it), default=0)
    bits = 0
    for answer in filter(None, answers):
        bits |= int.from_bytes(answer.ljust(length, b"\0"), "big")
    return f"{bits:0{8 * length}b}" if length else ""


class Actives:
    def __init__(self, by_partition: list[str]) -> None:
        self._by_partition = by_partition

    @property
    def count(self) -> int:
        return sum(bits.count("1") for bits in self._by_partition)

    def between(self, first: int, end: int) -> int:
        """How many have an id from `first` on and below `end`."""
        partitions = len(self._by_partition)
        return sum(
            bits.count("1", _place(first, it, partitions), _place(end, it, partitions))
            for it, bits in enumerate(self._by_partition)
        )

    def __contains__(self, user_id: int) -> bool:
        return bool(self.between(user_id, user_id + 1))


def _place(user_id: int, partition: int, partitions: int) -> int:
    """Of the first account of the partition with this id or a higher one."""
    return max(0, -(-(user_id - partition) // partitions))


# One account --------------------------------------------------------------------------------------


def days_of(user_id: int) -> list[date]:
    """On which it was here, the newest first. One round trip."""
    day = today()
    days = [day - timedelta(days=back) for back in range(ACTIVE_DAYS + 1)]
    batch = Batch(get_client())
    for day in days:
        batch.add("GETBIT", *_bit(day, user_id))
    return [day for day, was_here in zip(days, batch.run(), strict=True) if was_here]


def forget(user_id: int) -> None:
    """An account is gone. Two round trips."""
    batch = Batch(get_client())
    for day in days_of(user_id):
        batch.add("SETBIT", *_bit(day, user_id), 0)
    batch.run()


def _bit(day: date, user_id: int) -> tuple[str, int]:
    key = keys.actives(keys.partition(user_id), day.isoformat())
    return key, user_id // settings.PARTITIONS
