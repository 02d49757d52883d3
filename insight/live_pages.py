"""What a stream tells an open dashboard."""

from collections.abc import Mapping
from urllib.parse import parse_qs

from django.http import HttpRequest
from django.utils import translation

from streaming.asked.live_pages import register

from .dashboard import parts
from .dashboard.access import may_read
from .dashboard.ranges import range_called


class Dashboard:
    path = "/streaming/insight"
    seconds = 5.0

    def may_read(self, request: HttpRequest) -> bool:
        return may_read(request)

    def parts(self, asked: str, language: str) -> Mapping[str, str]:
        (key, *_) = parse_qs(asked).get("range", [""])
        with translation.override(language):
            return parts.parts_of(parts.look(range_called(key)))


register(Dashboard())
