"""RSS: the newest public posts of an account, or with a tag.

Feed readers have no account, so they get what visitors see; and only what explore and public
streams may have too, since a feed passes on what it was given.
"""

from collections.abc import Sequence

from django.http import HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Rss201rev2Feed
from django.utils.http import http_date
from django.utils.text import Truncator
from django.utils.translation import get_language, gettext

from statuses.parts import html_of
from statuses.reading.shown import ShownStatus
from tags.models import Tag
from timelines import selectors
from users.audience import Visibility
from users.models import User

from .addresses import absolute, with_absolute_links

ENTRIES = 30
# Boosts and unlisted posts stand between them.
READ = 2 * ENTRIES
TITLE_LENGTH = 80


def of_profile(account: User) -> HttpResponse:
    name = account.get_full_name()
    names = {"name": name, "username": account.username}
    feed = _feed(
        gettext("%(name)s (@%(username)s)") % names,
        page=reverse("profile", args=[account.username]),
        address=reverse("profile_feed", args=[account.username]),
        description=account.bio or gettext("Public posts from @%(username)s") % names,
    )
    return _answer(feed, selectors.profile(account, viewer=None, limit=READ))


def of_tag(tag: Tag) -> HttpResponse:
    feed = _feed(
        str(tag),
        page=reverse("tag", args=[tag.name]),
        address=reverse("tag_feed", args=[tag.name]),
        description=gettext("Public posts with %(tag)s") % {"tag": tag},
    )
    return _answer(feed, selectors.tag_timeline(tag, viewer=None, limit=READ))


def _feed(title: str, *, page: str, address: str, description: str) -> Rss201rev2Feed:
    return Rss201rev2Feed(
        title=title,
        link=absolute(page),
        description=description,
        language=get_language(),
        feed_url=absolute(address),
    )


def _answer(feed: Rss201rev2Feed, found: Sequence[ShownStatus]) -> HttpResponse:
    entries = [it for it in found if _is_for_feeds(it)][:ENTRIES]
    for entry in entries:
        _add(feed, entry)
    response = HttpResponse(feed.writeString("utf-8"), content_type="application/rss+xml")
    response.headers["Cache-Control"] = "no-cache"
    if entries:
        changed = max(entry.status.edited_at or entry.status.posted_at for entry in entries)
        response.headers["Last-Modified"] = http_date(changed.timestamp())
    return response


def _is_for_feeds(entry: ShownStatus) -> bool:
    return entry.boost is None and entry.status.visibility == Visibility.PUBLIC


def _add(feed: Rss201rev2Feed, entry: ShownStatus) -> None:
    """Leaves out what is covered on pages: feed readers can't fold it away."""
    address = absolute(reverse("status", args=[entry.username, entry.id]))
    names = {"name": entry.status.display_name, "username": entry.username}
    is_covered = bool(entry.status.cover)
    html = entry.status.html + html_of(entry, for_member=False)
    feed.add_item(
        title=Truncator(entry.summary).chars(TITLE_LENGTH),
        link=address,
        description=entry.summary if is_covered else with_absolute_links(html),
        author_name=gettext("%(name)s (@%(username)s)") % names,
        pubdate=entry.status.posted_at,
        unique_id=address,
    )
