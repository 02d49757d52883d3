"""Whole addresses for other sites and programs, independent of the host that a visitor used."""

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from users.names.usernames import PATTERN

_status = re.compile(rf"/@(?P<username>{PATTERN})/(?P<id>[1-9][0-9]{{0,15}})/?")
_local_link = re.compile(r'(?<= href=")/(?!/)')


class StatusAddress(NamedTuple):
    username: str
    status_id: int


def absolute(path: str) -> str:
    return f"{settings.SITE_URL}{path}" if path.startswith("/") else path


def with_absolute_links(html: str) -> str:
    return _local_link.sub(f"{settings.SITE_URL}/", html)


def status_at(address: str) -> StatusAddress | None:
    try:
        parts, here = urlsplit(address), urlsplit(settings.SITE_URL)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or parts.netloc.lower() != here.netloc.lower():
        return None
    found = _status.fullmatch(parts.path)
    return StatusAddress(found["username"], int(found["id"])) if found else None
