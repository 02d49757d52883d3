"""How an event looks to clients: Twitter's JSON on lines, or server-sent events with HTML."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from pictures.kinds import whole_address
from statuses import parts
from statuses.stored import StoredStatus
from statuses.words.entities import Entity
from users.pictures.kinds import AVATAR

UNKNOWN_LANGUAGE = "und"
# Always English, so not by strftime.
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
# JSON need not escape these, but clients that split text into lines would split here.
_UNUSUAL_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"})


def json_text(message: Mapping[str, Any]) -> str:
    """Never contains a line break, whatever is in the message."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_UNUSUAL_LINE_ENDS)


def line(message: Mapping[str, Any]) -> bytes:
    return json_text(message).encode() + b"\r\n"


def delimited(message: bytes) -> bytes:
    """With the length before it, which includes the `\\r\\n` of the message."""
    return b"%d\r\n%b" % (len(message), message)


def server_sent(position: int | None, name: str, data: str) -> bytes:
    head = "" if position is None else f"id: {position}\n"
    lines = "".join(f"data: {part}\n" for part in data.splitlines() or [""])
    return f"{head}event: {name}\n{lines}\n".encode()


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
        "entities": _entities(status.found),
        "lang": status.language or UNKNOWN_LANGUAGE,
        **({"edited_at": _time(status.edited_at)} if status.edited_at else {}),
        **({"spoiler_text": status.warning} if status.warning else {}),
        **({"possibly_sensitive": True} if status.cover else {}),
        **parts.json_of(dict(status.parts)),
    }


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)


def twitter_delete(status_id: int, author_id: int, position: int) -> dict[str, Any]:
    status = {
        "id": status_id,
        "id_str": str(status_id),
        "user_id": author_id,
        "user_id_str": str(author_id),
    }
    return {"delete": {"status": status, **event_place(position)}}


def event_place(position: int) -> dict[str, Any]:
    """Where a client can resume. The status's id doesn't say what a client has got: a status may be
    published long after it was posted, or twice if Redis lost its newest moments.
    """
    return {"event_id": position, "event_id_str": str(position)}


def _user(user_id: int, username: str, name: str) -> dict[str, Any]:
    return {"id": user_id, "id_str": str(user_id), "screen_name": username, "name": name}


def _author(status: StoredStatus) -> dict[str, Any]:
    avatar = whole_address(AVATAR, status.avatar) if status.avatar else None
    user = _user(status.author_id, status.username, status.display_name)
    return user | {"profile_image_url_https": avatar}


def _time(moment: datetime) -> str:
    day, month = DAYS[moment.weekday()], MONTHS[moment.month - 1]
    return f"{day} {month} {moment:%d %H:%M:%S +0000 %Y}"


def _entities(entities: Collection[Entity]) -> dict[str, Any]:
    """Names without an account are no mentions."""
    found: dict[str, list[dict[str, Any]]] = {"hashtags": [], "user_mentions": [], "urls": []}
    for entity in entities:
        indices = [entity.start, entity.end]
        if entity.kind == "hashtag":
            found["hashtags"].append({"text": entity.value, "indices": indices})
        elif entity.kind == "link":
            link = {"url": entity.value, "expanded_url": entity.value, "indices": indices}
            found["urls"].append(link)
        elif entity.account:
            found["user_mentions"].append(_user(*entity.account) | {"indices": indices})
    return found
