"""What this process has measured and not sent yet: adding to it asks nobody, and never raises for
want of a store. `sending.py` takes it away once a second.
"""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from ..figures import TimingKind, series_name
from ..log.message import Line, Lines, Message
from ..sketch import Sketch
from ..structures import durations

# Of each sort. While Redis is away they add up: some minutes of a busy process. What comes then is
# dropped, and counted.
MOST_HELD = 5_000
MOST_MESSAGES_HELD = 500
# To send one takes up to 3 ms of the processor.
MOST_TRACEBACKS_HELD = 50


class Visit(NamedTuple):
    """By an account, or by a browser at an address. Never leaves the process as it is."""

    user_id: int  # 0 for a visitor
    peer: str = ""
    agent: str = ""
    forwarded: str = ""  # where the peer is a proxy of ours, the address


@dataclass
class Timed:
    sketch: Sketch = field(default_factory=Sketch)
    slowest_at: int = 0


@dataclass
class Recorded:
    counts: dict[tuple[str, int], int] = field(default_factory=dict)  # by series and second
    # By page, hundreds of the status, and second.
    answers: dict[tuple[str, int, int], int] = field(default_factory=dict)
    peaks: dict[tuple[str, int], int] = field(default_factory=dict)
    levels: dict[str, int] = field(default_factory=dict)
    timed: dict[tuple[TimingKind, str, int], Timed] = field(default_factory=dict)  # and hour
    # Of the kinds that are shown over time, by the shortest step of plots: buckets of a sketch.
    durations: dict[tuple[TimingKind, int], Counter[int]] = field(default_factory=dict)
    visits: set[Visit] = field(default_factory=set)
    viewed_posts: Counter[int] = field(default_factory=Counter)
    viewed_tags: Counter[str] = field(default_factory=Counter)
    logged: dict[tuple[Message, int], Lines] = field(default_factory=dict)  # and hour
    tracebacks: dict[Message, str] = field(default_factory=dict)

    def count_answers(self) -> None:
        for (page, hundreds, second), times in self.answers.items():
            for name, label in (("requests", f"{hundreds}xx"), ("pages", f"{page} {hundreds}xx")):
                key = (series_name(name, label), second)
                self.counts[key] = self.counts.get(key, 0) + times
        self.answers.clear()

    @property
    def size(self) -> int:
        return sum(map(len, vars(self).values()))


class Buffer:
    """Off until `sending.start`: then one lock, taken for less than a microsecond."""

    def __init__(self) -> None:
        self.is_on = False
        # Garbage may log as it is collected, and signal handlers do: at any point, also below.
        self._lock = threading.RLock()
        self._held = Recorded()
        self._dropped = 0

    def count(self, name: str, label: str = "", by: int = 1) -> None:
        key = (series_name(name, label), int(time.time()))
        if not self.is_on:
            return
        with self._lock:
            counts = self._held.counts
            if key in counts:
                counts[key] += by
            elif self._has_room(len(counts)):
                counts[key] = by

    def peak(self, name: str, value: float, label: str = "") -> None:
        """A sample keeps the highest value of all processes."""
        key = (series_name(name, label), int(time.time()))
        if not self.is_on:
            return
        with self._lock:
            peaks = self._held.peaks
            if key in peaks or self._has_room(len(peaks)):
                peaks[key] = max(peaks.get(key, 0), round(value))

    def level(self, name: str, value: int) -> None:
        """This process's share of a gauge that is summed over all processes."""
        series_name(name)
        if self.is_on:
            with self._lock:
                self._held.levels[name] = value

    def timed(self, kind: TimingKind, name: str, seconds: float) -> None:
        if self.is_on:
            now = int(time.time())
            with self._lock:
                self._add_time((kind, name, now // 3600), now, seconds * 1000)

    def answered(self, page: str, status: int, seconds: float) -> None:
        """A request. All that is counted of it at once: some are answered within 150 µs."""
        if not self.is_on:
            return
        now = int(time.time())
        answer = (page, status // 100, now)
        with self._lock:
            self._add_time(("page", page, now // 3600), now, seconds * 1000)
            answers = self._held.answers
            if answer in answers or self._has_room(len(answers)):
                answers[answer] = answers.get(answer, 0) + 1

    def _add_time(self, key: tuple[TimingKind, str, int], now: int, ms: float) -> None:
        held = self._held.timed.get(key)
        if held is None:
            if not self._has_room(len(self._held.timed)):
                return
            held = self._held.timed[key] = Timed()
        if ms > held.sketch.most:
            held.slowest_at = now
        bucket = held.sketch.add(ms)
        if key[0] in durations.KINDS:
            self._add_duration((key[0], durations.slot_of(now)), bucket)

    def _add_duration(self, key: tuple[TimingKind, int], bucket: int) -> None:
        held = self._held.durations
        if key in held:
            held[key][bucket] += 1
        elif self._has_room(len(held)):
            held[key] = Counter({bucket: 1})

    def visit(self, visit: Visit) -> None:
        if self.is_on:
            with self._lock:
                visits = self._held.visits
                if visit in visits or self._has_room(len(visits)):
                    visits.add(visit)

    def viewed(self, *, post: int | None = None, tag: str = "") -> None:
        if not self.is_on:
            return
        with self._lock:
            held = self._held
            if self._has_room(len(held.viewed_posts) + len(held.viewed_tags)):
                if post is not None:
                    held.viewed_posts[post] += 1
                if tag:
                    held.viewed_tags[tag] += 1

    def log(self, message: Message, hour: int, line: Line, traceback: str = "") -> None:
        """Of equal lines the last one stays, and how many there were."""
        if not self.is_on:
            return
        with self._lock:
            logged = self._held.logged
            if (message, hour) not in logged:
                if not self._has_room(len(logged), MOST_MESSAGES_HELD):
                    return
                logged[message, hour] = Lines(line)
            lines = logged[message, hour]
            lines.times += 1
            lines.last = line
            if traceback:
                self._held.tracebacks[message] = traceback

    def wants_traceback(self, message: Message) -> bool:
        """One is enough until it is sent: to make it takes longer than all else."""
        held = self._held.tracebacks
        return message not in held and len(held) < MOST_TRACEBACKS_HELD

    def take(self) -> Recorded:
        """All that is held. What was dropped before is counted with it."""
        with self._lock:
            taken, self._held = self._held, Recorded()
            dropped, self._dropped = self._dropped, 0
        if dropped:
            taken.counts[series_name("dropped"), int(time.time())] = dropped
        taken.count_answers()
        return taken

    def lose(self, recorded: Recorded) -> None:
        """It could not be sent, or perhaps it was: nothing is ever counted twice."""
        with self._lock:
            self._dropped += recorded.size

    def _has_room(self, held: int, most: int = MOST_HELD) -> bool:
        if held < most:
            return True
        self._dropped += 1
        return False


buffer = Buffer()
