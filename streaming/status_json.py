"""Statuses as API clients get them."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from statuses.entities import Entity, find_entities, mentioned_names
from statuses.store import StoredStatus
from users.models import User

from .accounts import by_names

UNKNOWN_LANGUAGE = "und"
# English whatever the server speaks, so no strftime.
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def status_objects(statuses: Collection[StoredStatus]) -> dict[int, dict[str, Any]]:
    """By id, ready for `json.dumps`. One query for the mentions of all, if there are any."""
    entities = {status.id: find_entities(status.text) for status in statuses}
    names = {name for some in entities.values() for name in mentioned_names(some)}
    accounts = by_names(names)
    return {status.id: _object(status, entities[status.id], accounts) for status in statuses}


def _object(
    status: StoredStatus, entities: Collection[Entity], accounts: Mapping[str, User]
) -> dict[str, Any]:
    return {
        "id": status.id,
        "id_str": str(status.id),
        "created_at": _time(status.posted_at),
        "text": status.text,
        "user": _user(status.author_id, status.login, status.display_name),
        "in_reply_to_status_id": None,
        "in_reply_to_user_id": None,
        "coordinates": _coordinates(status),
        "entities": _entities(entities, accounts),
        "lang": status.language or UNKNOWN_LANGUAGE,
    }


def _user(user_id: int, login: str, name: str) -> dict[str, Any]:
    return {"id": user_id, "id_str": str(user_id), "screen_name": login, "name": name}


def _time(moment: datetime) -> str:
    """`Wed Aug 27 13:08:45 +0000 2008`."""
    day, month = DAYS[moment.weekday()], MONTHS[moment.month - 1]
    return f"{day} {month} {moment:%d %H:%M:%S +0000 %Y}"


def _coordinates(status: StoredStatus) -> dict[str, Any] | None:
    """GeoJSON: the longitude comes first."""
    if status.longitude is None:
        return None
    return {"type": "Point", "coordinates": [status.longitude, status.latitude]}


def _entities(entities: Collection[Entity], accounts: Mapping[str, User]) -> dict[str, Any]:
    """A mention is one only of somebody who exists."""
    found: dict[str, list[dict[str, Any]]] = {"hashtags": [], "user_mentions": [], "urls": []}
    for entity in entities:
        indices = [entity.start, entity.end]
        if entity.kind == "hashtag":
            found["hashtags"].append({"text": entity.value, "indices": indices})
        elif entity.kind == "link":
            link = {"url": entity.value, "expanded_url": entity.value, "indices": indices}
            found["urls"].append(link)
        elif user := accounts.get(entity.value.lower()):
            mention = _user(user.pk, user.username, user.get_full_name())
            found["user_mentions"].append(mention | {"indices": indices})
    return found
