from typing import Any

from django.http import HttpRequest

from configuration import current

from .pages.announcements import announcement
from .pages.reduced_service import is_reduced


def site(request: HttpRequest) -> dict[str, Any]:
    now = current.site()
    return {
        "site_name": now.name,
        "site_description": now.description,
        "takes_anybody": now.takes_anybody,
        "announcement": announcement(request),
        "is_reduced": is_reduced(request),
    }
