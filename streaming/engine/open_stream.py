"""One open stream: what its client asked for, and what it gets."""

import time
import uuid

from relations.blocks_and_mutes.muted_words import SHOW
from relations.blocks_and_mutes.viewpoint import NOBODY, this_moment
from statuses.visibility.predicate import VisibilityContext
from statuses.visibility.rules import FeedRules, HomeRules, Rules

from ..asked.listener import Listener
from ..asked.matching import Filter
from ..asked.searches import LiveSearch, searching
from ..event import StreamEvent
from ..formats import Dialect
from . import notices
from .notices import Goodbye
from .writer import Writer


class OpenStream:
    def __init__(
        self,
        dialect: Dialect,
        wanted: Filter,
        *,
        listener: Listener,
        stream_name: str,
        home_of: int | None = None,
        search: LiveSearch | None = None,
        stall_warnings: bool = False,
        statuses_per_second: int = 0,
    ) -> None:
        self.dialect = dialect
        self.wanted = wanted
        self.listener = listener
        self.stream_name = stream_name
        self.home_of = home_of
        self.search = search
        self.viewpoint = NOBODY  # whom and what the listener does not want to see, or may not
        self.viewpoint_turn = 0  # rises with each look at it (`visible.py`)
        self.follows_changed = 0  # how often `wanted.authors` or `wanted.tags` has changed
        self.ticket = uuid.uuid4().hex
        self.position = 0  # events up to here are not for this stream, or it has had them
        self.writer = Writer(dialect, stream_name, stall_warnings=stall_warnings)
        self._allowance = Allowance(statuses_per_second)
        self._withheld_reported = 0
        self._rules = _rules_of(home_of, search)
        self._context_before = VisibilityContext(listener.user_id)

    @property
    def closed(self) -> bool:
        return self.writer.closed

    @property
    def is_of_a_page(self) -> bool:
        """Pages also get what is for their reader alone."""
        return self.home_of is not None or self.search is not None

    def finds(self, event: StreamEvent) -> bool:
        """For replays; live, `searches.py` finds the streams. Deletions always pass."""
        if self.search is None or event.is_private:
            return False
        if not event.has_status:
            return True
        return event.facts.is_findable and self.search.fits(searching().cut(event.status).document)

    def offer(self, event: StreamEvent) -> None:
        if event.position <= self.position:
            return
        self.position = event.position
        if self.shows(event) and (not event.has_status or self._allowance.take()):
            self.writer.put(self.dialect.event(self.seen(event)))

    def seen(self, event: StreamEvent) -> StreamEvent:
        """Removes links to people who are blocked. Most listeners block nobody."""
        blocked = self.viewpoint.blocked
        return event.without_mentions(blocked.__contains__) if blocked else event

    def shows(self, event: StreamEvent) -> bool:
        """Hides people who are blocked and, in a home or a search, what its page hides. Deletions
        always pass: the status may have come when the client wanted it.
        """
        if not event.has_status:
            return True
        if event.is_narrow and not event.authors <= self.wanted.authors:
            return False
        if self.viewpoint.blocked & event.authors:
            return False
        return self._rules is None or self._comes_up(event, self._rules)

    def _comes_up(self, event: StreamEvent, rules: Rules) -> bool:
        """Ignores folding: what a page would fold away is not sent, and waits for the next page."""
        return rules.action(event.entry, self._context, this_moment()) == SHOW

    @property
    def _context(self) -> VisibilityContext:
        """Kept until something changes, since every event of a home asks for it."""
        kept = self._context_before
        if kept.viewpoint is not self.viewpoint or kept.followed is not self.wanted.authors:
            reader = self.listener.user_id
            kept = VisibilityContext(reader, self.viewpoint, followed=self.wanted.authors)
            self._context_before = kept
        return kept

    def replay(self, event: StreamEvent) -> None:
        """Sends an event from the log, whatever the allowance. The caller waits for room."""
        self.position = event.position
        self.writer.put(self.dialect.event(event))

    def report_withheld(self) -> None:
        withheld = self._allowance.withheld
        if withheld > self._withheld_reported:
            self._withheld_reported = withheld
            self.writer.put(self.dialect.notice(notices.limit(withheld)))

    def close(self, goodbye: Goodbye, reason: str) -> None:
        self.writer.close(goodbye, reason)


def _rules_of(home_of: int | None, search: LiveSearch | None) -> Rules | None:
    if home_of is not None:
        return HomeRules()
    return FeedRules() if search is not None else None


class Allowance:
    """A bucket of one second's worth of statuses that fills evenly. A rate of 0: no limit."""

    __slots__ = ("_left", "_rate", "_since", "withheld")

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._left = float(rate)
        self._since = time.monotonic()
        self.withheld = 0

    def take(self) -> bool:
        if not self._rate:
            return True
        now = time.monotonic()
        self._left = min(self._rate, self._left + (now - self._since) * self._rate)
        self._since = now
        if self._left < 1:
            self.withheld += 1
            return False
        self._left -= 1
        return True
