"""Six figures at the top: how it is now, and how that differs from the period before."""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from django.utils.translation import gettext

from .drawing import spark
from .numbers import Value, duration, shown, whole
from .plots import LAG_PROMISED, REQUESTS
from .reading import Pair, Readings, newest, total
from .troubles import MOST_WAITING, Trouble

Direction = Literal["up", "down", ""]
Judgement = Literal["good", "bad", ""]


# Of 95 in 100 pages: what is slower feels slow (ms).
LONGEST_RESPONSE = 300


class Change(NamedTuple):
    words: str
    direction: Direction = ""
    judgement: Judgement = ""


class Tile(NamedTuple):
    key: str  # of the plot that it belongs to
    title: str
    value: str
    change: Change
    spark: str
    before: str
    is_late: bool


def tiles_of(readings: Readings, troubles: Sequence[Trouble]) -> list[Tile]:
    late = {key for it in troubles for key in it.keys}
    return list(_tiles(readings, late))


def _tiles(it: Readings, late: Collection[str]) -> Iterator[Tile]:
    posts = it.added(("posts", ""), ("replies", ""))
    requests = it.added(*REQUESTS)
    yield _counted("posts", gettext("Posts"), posts, late)
    yield _counted("requests", gettext("Requests"), requests, late)
    times = it.percentile("page", 95)
    now, before = (it.overall("page", before=half).percentile(95) for half in (False, True))
    words = gettext("Response, p95")
    change = _slower(now, before, longest=LONGEST_RESPONSE)
    yield _tile("response_times", words, duration(now), change, times, late)
    depth = it.added(*it.of_queues("queue_depth"))
    most = _at_most(depth, MOST_WAITING)
    yield _tile("queue_depth", gettext("Queue depth"), _newest(depth), most, depth, late)
    lag = it.percentile("fan_out", 99)
    now, before = (it.overall("fan_out", before=half).percentile(99) for half in (False, True))
    change = _slower(now, before, longest=LAG_PROMISED)
    yield _tile("fan_out_lag", gettext("Fan-out lag, p99"), duration(now), change, lag, late)
    streams = it.of("stream_clients")
    most = _at_most(streams)
    yield _tile("streams", gettext("Stream clients"), _newest(streams), most, streams, late)


def _counted(key: str, title: str, pair: Pair, late: Collection[str]) -> Tile:
    now, before = total(pair.now), total(pair.before)
    return _tile(key, title, whole(now), _more_or_less(now, before), pair, late)


def _tile(
    key: str, title: str, value: str, change: Change, pair: Pair, late: Collection[str]
) -> Tile:
    top = max((it for it in [*pair.now, *pair.before] if it is not None), default=1.0)
    lines = spark(pair.now, top), spark(pair.before, top)
    return Tile(key, title, value, change, *lines, key in late)


def _more_or_less(now: float, before: float) -> Change:
    if not before:
        return Change(gettext("nothing before"))
    percent = round(100 * (now - before) / before)
    if not percent:
        return Change(gettext("as before"))
    if percent > 0:
        return Change(gettext("%(count)s %% more") % {"count": whole(percent)}, "up")
    return Change(gettext("%(count)s %% less") % {"count": whole(-percent)}, "down")


def _slower(now: float, before: float, *, longest: float) -> Change:
    if not now or not before:
        return Change(gettext("nothing to compare"))
    # A sketch knows no better.
    if abs(now - before) <= 0.04 * before:
        return Change(gettext("as before"))
    is_slower = now > before
    words = gettext("%(time)s more") if is_slower else gettext("%(time)s less")
    is_bad = is_slower and now > longest
    direction: Direction = "up" if is_slower else "down"
    judgement: Judgement = "bad" if is_bad else "" if is_slower else "good"
    return Change(words % {"time": duration(abs(now - before))}, direction, judgement)


def _at_most(pair: Pair, limit: float = 0.0) -> Change:
    known = [it for it in pair.now if it is not None]
    if not known:
        return Change(gettext("not sampled"))
    words = gettext("%(count)s at most") % {"count": whole(max(known))}
    return Change(words, "", "bad" if limit and max(known) > limit else "")


def _newest(pair: Pair) -> str:
    value: Value = newest(pair.now)
    return shown(value, "count")
