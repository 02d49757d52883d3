"""What of the running hour took longest, and what was read most."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from statuses.reading.shown import ShownStatus
from tags.models import Tag
from users.models import User

from .. import selectors
from ..figures import TimingKind
from ..selectors import Timing

MOST_NAMES = 6
MOST_VIEWED = 8

KINDS: tuple[tuple[TimingKind, str | Promise], ...] = (
    ("page", pgettext_lazy("that are answered", "Pages")),
    ("task", _("Tasks")),
    ("redis", _("Calls of Redis")),
    ("sql", _("Statements of SQL")),
)


class Slowest(NamedTuple):
    kind: TimingKind
    words: str | Promise
    timings: list[Timing]


class Viewed(NamedTuple):
    posts: list[ShownStatus]
    tags: list[Tag]


def slowest() -> list[Slowest]:
    """By what 95 of 100 stay below. Two round trips for each kind."""
    return [Slowest(kind, words, _slowest_of(kind)) for kind, words in KINDS]


def _slowest_of(kind: TimingKind) -> list[Timing]:
    by_p95 = sorted(selectors.timings(kind), key=lambda it: it.p95, reverse=True)
    return by_p95[:MOST_NAMES]


def viewed(reader: User) -> Viewed:
    """Only what everybody may see."""
    return Viewed(
        selectors.most_viewed_posts(reader, limit=MOST_VIEWED),
        selectors.most_viewed_tags(limit=MOST_VIEWED),
    )
