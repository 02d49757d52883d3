"""Partitions over the nodes of a cluster: each node has as many as any other, or one more."""

from collections import Counter

import pytest
from redis.crc import key_slot

from redistools.servers.slots import SLOTS, middle, slot_of, tags

PARTITIONS = (1, 2, 3, 10, 16, 17, 64, 256, 4096)


def per_node(partitions: int, nodes: int) -> list[int]:
    """With ranges of slots as `redis-cli --cluster create` gives them out."""
    starts = [round(SLOTS * node / nodes) for node in range(nodes)]
    slots = [slot_of(tag) for tag in tags(partitions)]
    counts = Counter(max(node for node in range(nodes) if starts[node] <= slot) for slot in slots)
    return [counts[node] for node in range(nodes)]


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("nodes", range(2, 17))
def test_nodes_have_equally_many_partitions(partitions: int, nodes: int) -> None:
    counts = per_node(partitions, nodes)
    assert sum(counts) == partitions
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_every_partition_has_a_short_tag_of_its_own_in_the_middle_of_its_share(
    partitions: int,
) -> None:
    found = tags(partitions)
    assert len(set(found)) == partitions
    assert max(map(len, found)) <= 4
    for partition, tag in enumerate(found):
        assert abs(slot_of(tag) - middle(partition, partitions)) <= SLOTS / partitions / 40


def test_the_slot_is_the_one_that_redis_computes() -> None:
    assert slot_of("foo") == key_slot(b"user:{foo}:7") == 12182


def test_tags_never_change() -> None:
    """Otherwise everything in Redis would have to be rebuilt."""
    assert " ".join(tags(16)) == "ma at dj j cf pv el fx ly ph er ff agb aj dt t"
