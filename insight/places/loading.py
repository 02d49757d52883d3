"""Loading a file: SQL first, then Redis, which holds the ranges as long as places are noted."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from django.db import transaction

from . import figures, members, store, table
from .files import Range, contents, read
from .models import PlacesFile, PlacesPart

PARTS_AT_ONCE = 20

# Sees each range on its way, to show how far it is.
Watch = Callable[[Iterable[Range]], Iterable[Range]]


def load_file(path: Path, *, watch: Watch = iter) -> PlacesFile:
    """The file takes the place of the one before at once, in SQL and then in Redis.

    Raises FileError, and changes nothing then.
    """
    found = contents(watch(read(path)))
    numbers = table.numbers_for(found)
    parts = [
        part
        for family, runs in found.runs.items()
        for part in store.parts(family, runs.renamed(numbers.__getitem__))
    ]
    file = _replace(PlacesFile(name=path.name, ranges=found.ranges), parts)
    keep()
    return file


def _replace(file: PlacesFile, parts: Iterable[PlacesPart]) -> PlacesFile:
    with transaction.atomic():
        file.save()
        PlacesPart.objects.bulk_create(_of(file, parts), batch_size=PARTS_AT_ONCE)
        PlacesFile.objects.exclude(pk=file.pk).delete()
    return file


def _of(file: PlacesFile, parts: Iterable[PlacesPart]) -> Iterator[PlacesPart]:
    for part in parts:
        part.file = file
        yield part


def keep() -> None:
    """Loads what Redis does not have; where places are not noted, forgets what it has of them."""
    if not members.are_noted():
        forget_all()
    elif not store.is_loaded():
        store.load()


def forget_all() -> None:
    store.unload()
    members.forget_all()
    figures.forget()
