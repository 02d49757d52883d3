"""What may explain a plot: deploys, and how many measures moderators took. Nobody's name."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from django.utils.translation import gettext

from moderation.models import Kind, Measure

from ..models import Deploy
from .ranges import Window

# How many are looked at, the newest first.
MOST_DEPLOYS = 50
MOST_MEASURES = 1_000


class Mark(NamedTuple):
    second: int
    kind: Literal["deploy", "measure"]
    words: str


def marks_in(window: Window) -> list[Mark]:
    """The newest first. Two queries."""
    return sorted([*_deploys(window), *_measures(window)], reverse=True)


def _deploys(window: Window) -> Iterator[Mark]:
    for row in Deploy.objects.order_by("-number")[:MOST_DEPLOYS]:
        second = int(row.at.timestamp())
        if window.since <= second < window.until:
            words = gettext("Deploy: version %(version)s") % {"version": row.version}
            yield Mark(second, "deploy", words)


def _measures(window: Window) -> Iterator[Mark]:
    """By step and kind. Rows are in the order of their time: no index on it is needed."""
    since = datetime.fromtimestamp(window.since, UTC)
    newest = Measure.objects.exclude(kind=Kind.DISMISS).order_by("-pk")
    counts = Counter[tuple[int, str]]()
    for at, kind in newest.values_list("created_at", "kind")[:MOST_MEASURES]:
        if at < since:
            break
        second = int(at.timestamp())
        counts[second - (second - window.since) % window.step, kind] += 1
    for (second, kind), count in counts.items():
        yield Mark(second, "measure", f"{Kind(kind).label}: {count}")
