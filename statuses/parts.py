"""Parts of a status: what it holds beside its text, such as a place. Apps register theirs here.

A module `status_parts.py` in an app says which fields a part adds to the hash of a status, and how
it looks on pages, in streams, in exports and as evidence. Everything else takes parts as they come:
they are read, copied, kept with earlier versions, and hidden with the status.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeVar

from django.utils.safestring import SafeString

from .models import Status
from .reading.shown import ShownStatus
from .stored import FIELDS, PART_FIELDS, Counts, StoredStatus

T = TypeVar("T")
# What a status says in the fields of its parts. A field that is missing says nothing.
Said = Mapping[str, str]


class Part(ABC):
    # The names of its fields in the hash of a status.
    fields: tuple[str, ...]
    # What a search calls it, as in `has:poll`; empty: nobody looks for it.
    searched_as = ""

    @abstractmethod
    def read(self, rows: Collection[Status]) -> Mapping[int, Said]:
        """From SQL, by status: of those that have the part. At most one query for all."""

    def html(self, entry: ShownStatus, *, for_member: bool) -> str:  # noqa: ARG002 - not all are seen
        """Below the text, made each time the status is shown: keep what is the same for all. With
        buttons only for members. Not called for a status without the part.
        """
        return ""

    @abstractmethod
    def json(self, said: Said) -> Mapping[str, Any]:
        """What streams add to their JSON."""

    @abstractmethod
    def export(self, said: Said) -> Mapping[str, Any]:
        """What the author's export says."""

    @abstractmethod
    def evidence(self, said: Said) -> Mapping[str, str]:
        """What moderators read about it later, by title; in English, like the admin."""


PARTS: list[Part] = []


def register(part: Part) -> None:
    taken = {*(it.key for it in FIELDS), *Counts._fields, *PART_FIELDS} & {*part.fields}
    if taken:
        raise ValueError(f"A status has these fields already: {', '.join(sorted(taken))}")
    PARTS.append(part)
    PART_FIELDS.update(part.fields)


def read_parts(rows: Collection[Status]) -> list[Said]:
    found = [part.read(rows) for part in PARTS]
    return [_joined(said[row.pk] for said in found if row.pk in said) for row in rows]


def html_of(entry: ShownStatus, *, for_member: bool) -> SafeString:
    there = _parts_of(entry.status)
    return SafeString("".join(it.html(entry, for_member=for_member) for it in there))


def contents_of(status: StoredStatus) -> set[str]:
    """What searches call its parts."""
    return {it.searched_as for it in _parts_of(status) if it.searched_as}


def _parts_of(status: StoredStatus) -> list[Part]:
    said = dict(status.parts)
    return [it for it in PARTS if not said.keys().isdisjoint(it.fields)]


def json_of(said: Said) -> dict[str, Any]:
    return _joined(it.json(said) for it in PARTS)


def export_of(said: Said) -> dict[str, Any]:
    return _joined(it.export(said) for it in PARTS)


def evidence_of(said: Said) -> dict[str, str]:
    return _joined(it.evidence(said) for it in PARTS)


def _joined(mappings: Iterable[Mapping[str, T]]) -> dict[str, T]:
    return {name: value for some in mappings for name, value in some.items()}


class Place(Part):
    """Where it was posted. Pages don't show it."""

    fields = ("lat", "lon")

    def read(self, rows: Collection[Status]) -> Mapping[int, Said]:
        return {
            it.pk: {"lat": repr(it.latitude), "lon": repr(it.longitude)}
            for it in rows
            if it.latitude is not None
        }

    def json(self, said: Said) -> Mapping[str, Any]:
        where = place_in(said)
        return {"coordinates": where and {"type": "Point", "coordinates": [*where]}}

    def export(self, said: Said) -> Mapping[str, Any]:
        longitude, latitude = place_in(said) or (None, None)
        return {"latitude": latitude, "longitude": longitude}

    def evidence(self, said: Said) -> Mapping[str, str]:
        return {"Place": f"{said['lat']}, {said['lon']}"} if "lat" in said else {}


def place_in(said: Said) -> tuple[float, float] | None:
    """The longitude comes first."""
    return (float(said["lon"]), float(said["lat"])) if "lat" in said else None


register(Place())
