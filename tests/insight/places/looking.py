"""Asks Redis where addresses are."""

from collections.abc import Sequence

from insight.places import store
from insight.places.models import Place
from insight.places.ranges import Address, parsed
from redistools.client import get_client
from redistools.scripts import Batch


def numbers_of(addresses: Sequence[Address]) -> list[int]:
    batch = Batch(get_client())
    for it in addresses:
        store.find(batch, it.version, [it])
    return [found[0] for found in batch.run()]


def where(address: str) -> str:
    """`Berlin, Berlin, DE`; empty if it is unknown."""
    it = parsed(address)
    assert it is not None
    (number,) = numbers_of([it])
    return str(Place.objects.get(pk=number)) if number else ""
