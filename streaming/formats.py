"""The formats of a stream: Twitter's JSON on lines, or server-sent events with HTML."""

from abc import ABC, abstractmethod
from datetime import datetime
from typing import Any

from django.utils import translation

from pictures.kinds import whole_address
from statuses import parts
from statuses.html.rendering import article
from statuses.stored import StoredStatus
from users.pictures.kinds import AVATAR

from .event import POST, StreamEvent, json_text

UNKNOWN_LANGUAGE = "und"
# Always English, so not by strftime.
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


class Dialect(ABC):
    name: str  # what is made of an event is kept under this, for all who want the same
    media_type: bytes
    keep_alive_seconds: int
    greeting: bytes  # sent with the headers, which would otherwise wait for the first event

    def event(self, event: StreamEvent) -> bytes:
        made = event.formatted
        if self.name not in made:
            made[self.name] = self.make(event)
        return made[self.name]

    @abstractmethod
    def make(self, event: StreamEvent) -> bytes: ...

    @abstractmethod
    def keep_alive(self, position: int) -> bytes: ...

    @abstractmethod
    def notice(self, message: dict[str, Any]) -> bytes:
        """Formats a limit, a warning, a disconnect message, or news for one user alone."""


class Lines(Dialect):
    name = "lines"
    media_type = b"application/json"
    keep_alive_seconds = 30
    greeting = b"\r\n"

    def make(self, event: StreamEvent) -> bytes:
        return self.notice(_twitter_event(event))

    def keep_alive(self, position: int) -> bytes:  # noqa: ARG002 - only ServerSent sends it
        return b"\r\n"

    def notice(self, message: dict[str, Any]) -> bytes:
        return json_text(message).encode() + b"\r\n"


class Delimited(Lines):
    name = "delimited"

    def notice(self, message: dict[str, Any]) -> bytes:
        """With the length before it, which includes the `\\r\\n` of the message."""
        line = super().notice(message)
        return b"%d\r\n%b" % (len(line), line)


class ServerSent(Dialect):
    media_type = b"text/event-stream"
    keep_alive_seconds = 15
    greeting = b":)\n\n"

    def __init__(self, language: str) -> None:
        self.name = language

    def make(self, event: StreamEvent) -> bytes:
        if not event.has_status:
            return _server_sent(event.position, "delete", str(event.facts.id))
        with translation.override(self.name):
            html = article(event.entry)
        name = "update" if event.kind == POST or event.is_new else "status.update"
        return _server_sent(event.position, name, html)

    def keep_alive(self, position: int) -> bytes:
        """Moves the browser's `Last-Event-ID` on while nothing else does."""
        return f":thump\nid: {position}\n\n".encode()

    def notice(self, message: dict[str, Any]) -> bytes:
        ((name, content),) = message.items()
        return _server_sent(None, name, json_text(self._in_language(content)))

    def _in_language(self, content: dict[str, Any]) -> dict[str, Any]:
        """HTML may come in several languages: takes the reader's, or any if they switched since."""
        html = content.get("html")
        if not isinstance(html, dict):
            return content
        return content | {"html": html.get(self.name) or next(iter(html.values()), "")}


def _server_sent(position: int | None, name: str, data: str) -> bytes:
    head = "" if position is None else f"id: {position}\n"
    lines = "".join(f"data: {part}\n" for part in data.splitlines() or [""])
    return f"{head}event: {name}\n{lines}\n".encode()


def _twitter_event(event: StreamEvent) -> dict[str, Any]:
    """With the position, where a client can resume. The status's id doesn't say what a client has
    got: a status may be published long after it was posted, or twice if Redis lost its newest
    moments.
    """
    position = {"event_id": event.position, "event_id_str": str(event.position)}
    if event.has_status:
        return twitter_status(event.status, event.original) | position
    status = {
        "id": event.facts.id,
        "id_str": str(event.facts.id),
        "user_id": event.facts.author_id,
        "user_id_str": str(event.facts.author_id),
    }
    return {"delete": {"status": status, **position}}


def twitter_status(status: StoredStatus, original: StoredStatus | None = None) -> dict[str, Any]:
    if original is None:
        return _twitter_status(status)
    text = f"RT @{original.username}: {original.text}"
    return _twitter_status(status._replace(text=text, language=original.language)) | {
        "retweeted_status": _twitter_status(original)
    }


def _twitter_status(status: StoredStatus) -> dict[str, Any]:
    return {
        "id": status.id,
        "id_str": str(status.id),
        "created_at": _time(status.posted_at),
        "text": status.text,
        "user": _author(status),
        "in_reply_to_status_id": status.reply_to,
        "in_reply_to_status_id_str": _text(status.reply_to),
        "in_reply_to_user_id": status.reply_to_author,
        "in_reply_to_user_id_str": _text(status.reply_to_author),
        "in_reply_to_screen_name": status.reply_to_username or None,
        "entities": _entities(status),
        "lang": status.language or UNKNOWN_LANGUAGE,
        **({"edited_at": _time(status.edited_at)} if status.edited_at else {}),
        **({"spoiler_text": status.warning} if status.warning else {}),
        **({"possibly_sensitive": True} if status.cover else {}),
        **parts.json_of(dict(status.parts)),
    }


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)


def _user(user_id: int, username: str, name: str) -> dict[str, Any]:
    return {"id": user_id, "id_str": str(user_id), "screen_name": username, "name": name}


def _author(status: StoredStatus) -> dict[str, Any]:
    avatar = whole_address(AVATAR, status.avatar) if status.avatar else None
    user = _user(status.author_id, status.username, status.display_name)
    return user | {"profile_image_url_https": avatar}


def _time(moment: datetime) -> str:
    day, month = DAYS[moment.weekday()], MONTHS[moment.month - 1]
    return f"{day} {month} {moment:%d %H:%M:%S +0000 %Y}"


def _entities(status: StoredStatus) -> dict[str, Any]:
    """Names without an account are no mentions."""
    found: dict[str, list[dict[str, Any]]] = {"hashtags": [], "user_mentions": [], "urls": []}
    for entity in status.found:
        indices = [entity.start, entity.end]
        if entity.kind == "hashtag":
            written = status.text[entity.start + 1 : entity.end]
            found["hashtags"].append({"text": written, "indices": indices})
        elif entity.kind == "link":
            link = {"url": entity.value, "expanded_url": entity.value, "indices": indices}
            found["urls"].append(link)
        elif entity.account:
            found["user_mentions"].append(_user(*entity.account) | {"indices": indices})
    return found
