"""Pages whose parts change while they are open. An app above us registers them in a module
`live_pages.py`.
"""

from collections.abc import Mapping
from functools import cache
from typing import Protocol

from django.http import HttpRequest
from django.utils.module_loading import autodiscover_modules


class LivePage(Protocol):
    path: str  # of its stream
    seconds: float  # between two looks

    def may_read(self, request: HttpRequest) -> bool: ...

    def parts(self, asked: str, language: str) -> Mapping[str, str]:
        """HTML by the id of the element that it fills. `asked`: the query of the address."""


_registered: dict[str, LivePage] = {}


def register(page: LivePage) -> None:
    _registered[page.path] = page


def page_at(path: str) -> LivePage | None:
    discover()
    return _registered.get(path)


@cache
def discover() -> None:
    autodiscover_modules("live_pages")
