"""A status as all readers get it: pages, streams and API clients.

Made once, from SQL, when the status is stored. Counters are not in it: a like changes nothing here.
"""

from datetime import datetime
from typing import NamedTuple, Self

from redistools.ids import time_of

from .entities import Entity, read_entities, to_html, write_entities


class StoredStatus(NamedTuple):
    """A tuple: a page makes thirty, and looks each one up."""

    id: int
    author_id: int
    username: str
    name: str
    text: str
    html: str
    language: str
    latitude: float | None
    longitude: float | None
    entities: str = ""
    """As JSON (`found`): pages don't need them, they have the HTML."""

    @property
    def posted_at(self) -> datetime:
        return time_of(self.id)

    @property
    def display_name(self) -> str:
        return self.name or self.username

    @property
    def found(self) -> list[Entity]:
        """Links, mentions and hashtags, in the order of the text."""
        return read_entities(self.entities)

    def with_entities(self, entities: list[Entity]) -> Self:
        html = to_html(self.text, entities)
        return self._replace(html=html, entities=write_entities(entities))

    def fields(self) -> dict[str, str]:
        """As in its hash, and in the events that streams are made of."""
        fields = {
            "id": str(self.id),
            "uid": str(self.author_id),
            "username": self.username,
            "name": self.name,
            "text": self.text,
            "html": self.html,
            "lang": self.language,
        }
        if self.entities:
            fields["entities"] = self.entities
        if self.latitude is not None and self.longitude is not None:
            fields |= {"lat": repr(self.latitude), "lon": repr(self.longitude)}
        return fields

    @classmethod
    def of(cls, fields: dict[str, str]) -> Self:
        return cls(
            id=int(fields["id"]),
            author_id=int(fields["uid"]),
            username=fields["username"],
            name=fields["name"],
            text=fields["text"],
            html=fields["html"],
            language=fields["lang"],
            latitude=float(fields["lat"]) if "lat" in fields else None,
            longitude=float(fields["lon"]) if "lon" in fields else None,
            entities=fields.get("entities", ""),
        )
