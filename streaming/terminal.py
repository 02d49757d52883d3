"""Streams for people: read from the API like any client, shown in colour."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from django.core.management.color import Style

from web.plain_text import printable

# Three keep-alives missed: the server is gone.
SILENCE_SECONDS = 90


class StreamError(Exception):
    """Says why the stream could not be opened."""


def messages(
    url: str, path: str, parameters: dict[str, str], token: str
) -> Iterator[dict[str, Any]]:
    asked = urlencode({name: value for name, value in parameters.items() if value})
    request = Request(  # noqa: S310 - the operator's own server
        f"{url}{path}?{asked}", headers={"Authorization": f"Bearer {token}"}
    )
    try:
        with urlopen(request, timeout=SILENCE_SECONDS) as stream:  # noqa: S310 - as above
            yield from (json.loads(line) for line in stream if line.strip())
    except HTTPError as error:
        raise StreamError(_reason(error)) from error
    except (URLError, OSError) as error:
        raise StreamError(f"{url} does not answer: {error}") from error


def show(message: dict[str, Any], style: Style) -> str:
    if "text" in message:
        user = message["user"]
        who = (
            style.SUCCESS(printable(user["name"]))
            + " "
            + style.HTTP_INFO(f"@{user['screen_name']}")
        )
        return f"{who}  {message['created_at'][11:19]}\n{_coloured_text(message, style)}\n"
    ((kind, content),) = message.items()
    if kind == "delete":
        return style.WARNING(f"✗ {content['status']['id']} was deleted\n")
    return style.NOTICE(f"{kind}: {printable(json.dumps(content, ensure_ascii=False))}\n")


def _coloured_text(message: dict[str, Any], style: Style) -> str:
    text = printable(message["text"])
    found = [entity for some in message["entities"].values() for entity in some]
    for entity in sorted(found, key=lambda entity: -entity["indices"][0]):
        start, end = entity["indices"]
        text = text[:start] + style.HTTP_NOT_MODIFIED(text[start:end]) + text[end:]
    return str(text)


def _reason(error: HTTPError) -> str:
    try:
        reason = json.load(error)["error"]
    except (ValueError, KeyError):
        reason = error.reason
    return f"{error.code}: {reason}"
