"""Where addresses are, in Redis: sorted sets of blocks (`ranges.py`), made from the file in SQL."""

import base64
import secrets
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_binary_client, get_client
from redistools.scripts import Argument, Batch, Script
from redistools.serving_copy import Difference

from .models import PlacesFile, PlacesPart
from .ranges import FAMILIES, Address, Block, Family, Run, blocks, packed, position, unpacked

RUNS_OF_A_PART = 20_000
BLOCKS_AT_ONCE = 200
# A load that died leaves what it had until then.
LOAD_SECONDS = 3600

_find_places = Script(__file__, "find_places")
_replace_ranges = Script(__file__, "replace_ranges")


def names() -> list[str]:
    return [keys.place_ranges(it) for it in ("version", *map(str, FAMILIES))]


# Looking up ---------------------------------------------------------------------------------------


def find(batch: Batch, family: Family, addresses: Sequence[Address]) -> None:
    """The answer is the number of a place for each, or nothing if there are no ranges in Redis.
    O(log ranges) for each; some hundred at most.
    """
    arguments: list[Argument] = []
    for address in addresses:
        arguments += divmod(position(address), 1 << 32)
    batch.call(_find_places, [keys.place_ranges(str(family))], arguments)


# The file in SQL ----------------------------------------------------------------------------------


def parts(family: Family, runs: Iterable[Run]) -> Iterator[PlacesPart]:
    """Rows that are not saved yet, and belong to no file."""
    for some in chunks(runs, RUNS_OF_A_PART):
        content = base64.b64encode(zlib.compress(packed(some))).decode()
        yield PlacesPart(family=family, content=content)


def current() -> PlacesFile | None:
    return PlacesFile.objects.order_by("-pk").first()


def runs_of(file: PlacesFile, family: Family) -> Iterator[Run]:
    parts = PlacesPart.objects.filter(file=file, family=family).order_by("pk")
    for content in parts.values_list("content", flat=True).iterator(chunk_size=10):
        yield from unpacked(zlib.decompress(base64.b64decode(content)))


# Loading ------------------------------------------------------------------------------------------


def load() -> None:
    """Readers find the ranges of before until all of the new ones are there."""
    if file := current():
        token = secrets.token_hex(8)
        pairs = []
        for family in FAMILIES:
            loaded = keys.place_load(str(family), token)
            send(loaded, blocks(runs_of(file, family)))
            pairs += [loaded, keys.place_ranges(str(family))]
        _replace_ranges(get_client(), [keys.place_ranges("version"), *pairs], [file.pk])


def send(name: str, content: Iterable[Block]) -> None:
    for some in chunks(content, BLOCKS_AT_ONCE):
        batch = Batch(get_client())
        batch.add("ZADD", name, *(it for block in some for it in block))
        batch.add("EXPIRE", name, LOAD_SECONDS)
        batch.run()


def is_loaded() -> bool:
    """Are they all there, of the file that SQL has? One round trip."""
    file = current()
    batch = Batch(get_client())
    for name in names():
        batch.add("EXISTS", name)
    batch.add("GET", keys.place_ranges("version"))
    *there, version = batch.run()
    return file is None or (all(there) and version == str(file.pk))


def unload() -> None:
    get_client().unlink(*names())


def differences() -> Iterator[Difference]:
    """A set that is not there is none: it is unknown, and loaded within a minute."""
    file = current()
    client = get_binary_client()
    for family in FAMILIES:
        name = keys.place_ranges(str(family))
        wanted = blocks(runs_of(file, family)) if file else iter(())
        if client.exists(name) and set(client.zrange(name, 0, -1)) != {it.content for it in wanted}:
            yield Difference(f"ranges of IPv{family} addresses differ from SQL", partial(load))
