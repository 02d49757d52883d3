"""Hash tags that spread partitions evenly over the nodes of a Redis Cluster.

A cluster gives each node a range of its 16,384 slots, and the tag of a key decides its slot. With
the numbers 0 to 15 as tags, four of eight nodes would hold all partitions. So each partition has a
word whose slot is in the middle of its share: nodes with equal ranges hold equally many.
"""

from binascii import crc_hqx
from collections.abc import Iterator
from functools import cache
from itertools import count, product
from string import ascii_lowercase

SLOTS = 16_384
# How far from the middle, as a part of a share: little enough for up to 16 nodes.
LEEWAY = 40


@cache
def tags(partitions: int, beginning: str = "") -> tuple[str, ...]:
    """One for each partition: the beginning and the first words that fit. Takes a millisecond."""
    found: dict[int, str] = {}
    leeway = SLOTS // (LEEWAY * partitions)
    for word in _words():
        slot = slot_of(beginning + word)
        partition = slot * partitions // SLOTS
        if abs(slot - middle(partition, partitions)) <= leeway:
            found.setdefault(partition, beginning + word)
            if len(found) == partitions:
                break
    return tuple(found[partition] for partition in range(partitions))


def middle(partition: int, partitions: int) -> int:
    return (2 * partition + 1) * SLOTS // (2 * partitions)


def slot_of(tag: str) -> int:
    return crc_hqx(tag.encode(), 0) % SLOTS


def _words() -> Iterator[str]:
    """a, b … z, aa, ab …"""
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            yield "".join(letters)
