from typing import Any

from django.conf import settings
from django.http import HttpRequest

from .pages.reduced_service import is_reduced


def site(request: HttpRequest) -> dict[str, Any]:
    return {"site_name": settings.SITE_NAME, "is_reduced": is_reduced(request)}
