"""A post inside another site's page: what oEmbed says of it (https://oembed.com)."""

from typing import Any, NamedTuple

from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext

from configuration.current import site
from statuses.reading.shown import ShownStatus
from statuses.selectors import status_or_404
from users.selectors import account_or_404
from web.refusals import Refusal

from .addresses import absolute, status_at

WIDTH, NARROWEST = 550, 220
# In pixels: what stands around the text, a line of it, and how much wider than a letter it is.
FRAME_HEIGHT, LINE_HEIGHT, LETTER_WIDTH, MARGINS = 150, 24, 8, 40
# Nobody has to ask again for as long as this, in seconds.
CACHE_AGE = 3600


class EmbedRequest(NamedTuple):
    status: ShownStatus
    width: int


def asked_for(parameters: QueryDict) -> EmbedRequest:
    if parameters.get("format", "json") != "json":
        raise Refusal("format must be json.", code="format", status=501)
    if not (address := parameters.get("url")):
        raise Refusal("url must be the address of a post.", code="url")
    width, _height = (_size(parameters, name) for name in ("maxwidth", "maxheight"))
    place = status_at(address)
    if place is None:
        raise Refusal("There is no post at this address.", code="not_found", status=404)
    account = account_or_404(place.username)
    status = status_or_404(account, place.status_id, viewer=None)
    return EmbedRequest(status, max(NARROWEST, min(width or WIDTH, WIDTH)))


def _size(parameters: QueryDict, name: str) -> int | None:
    given = parameters.get(name)
    if given is None:
        return None
    if not given.isascii() or not given.isdecimal() or not 0 < int(given[:9]) < 10**8:
        words = f"{name} must be a number of pixels, got {given[:40]!r}."
        raise Refusal(words, code=name)
    return int(given)


def oembed(asked: EmbedRequest) -> dict[str, Any]:
    status, width = asked
    author = absolute(reverse("profile", args=[status.username]))
    return {
        "version": "1.0",
        "type": "rich",
        "title": gettext("Post by %(name)s") % {"name": status.status.display_name},
        "author_name": status.status.display_name,
        "author_url": author,
        "provider_name": site().name,
        "provider_url": f"{settings.SITE_URL}/",
        "cache_age": CACHE_AGE,
        "html": _frame(status, width),
        "width": width,
        "height": _height(status, width),
    }


def _frame(status: ShownStatus, width: int) -> str:
    address = reverse("embed", args=[status.username, status.status.id])
    return format_html(
        '<iframe src="{}" width="{}" height="{}" title="{}" loading="lazy" '
        'sandbox="allow-popups allow-popups-to-escape-sandbox" '
        'style="border:0;max-width:100%"></iframe>',
        absolute(address),
        width,
        _height(status, width),
        gettext("Post by %(name)s") % {"name": status.status.display_name},
    )


def _height(status: ShownStatus, width: int) -> int:
    """Guesses from the text: a frame can't ask its contents."""
    letters = (width - MARGINS) // LETTER_WIDTH
    lines = sum(1 + len(line) // letters for line in status.summary.splitlines())
    return FRAME_HEIGHT + LINE_HEIGHT * lines
