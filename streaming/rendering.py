"""A status as the pages show it, made from an event, the same for every reader."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from statuses.entities import find_entities, to_html
from statuses.rendering import article
from statuses.store import StoredStatus

from .status_json import UNKNOWN_LANGUAGE


def status_html(status: Mapping[str, Any]) -> str:
    stored = _stored(status)
    return article(stored, now=timezone.now())


def _stored(status: Mapping[str, Any]) -> StoredStatus:
    text, user = status["text"], status["user"]
    logins = {mention["screen_name"].lower() for mention in status["entities"]["user_mentions"]}
    longitude, latitude = (status["coordinates"] or {}).get("coordinates", (None, None))
    return StoredStatus(
        id=status["id"],
        author_id=user["id"],
        login=user["screen_name"],
        name=user["name"],
        text=text,
        html=to_html(text, find_entities(text), logins=logins),
        language="" if status["lang"] == UNKNOWN_LANGUAGE else status["lang"],
        latitude=latitude,
        longitude=longitude,
    )
