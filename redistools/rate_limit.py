"""Rate limits over a sliding window: at most `limit` hits in any `window` seconds.

The window is an exact log, one sorted set entry for each hit: no burst at the edge of a fixed
window, an exact `retry_after`, and a hit can be given back. It costs up to `limit` entries of about
100 bytes for each active subject, so keep limits in the hundreds.
"""

import uuid
from dataclasses import KW_ONLY, dataclass

from django.utils.crypto import salted_hmac

from . import keys
from .client import Client
from .scripts import Script

_hit = Script(__file__, "rate_limit_hit")
MINUTE_MS = 60_000


@dataclass(frozen=True)
class Decision:
    """The answer to a hit. `retry_after` is the time until there is room for one more, 0 if now."""

    allowed: bool
    remaining: int
    retry_after: float
    subject: str
    hit: str


@dataclass(frozen=True)
class RateLimit:
    """One kind of limit; each subject (an address, a username) has a window of its own."""

    client: Client
    name: str
    _: KW_ONLY
    limit: int
    window: float
    # A second limit, for bursts; 0: none. The window is longer than a minute then.
    per_minute: int = 0

    def __post_init__(self) -> None:
        if self.limit < 1 or self.window < 0.001:
            raise ValueError(
                f"A rate limit needs a limit of at least 1 and a window of at least 1 ms, "
                f"got limit={self.limit}, window={self.window}"
            )

    def hit(self, subject: str, *, now_ms: int | None = None) -> Decision:
        """Counts a hit if there is room. Atomic, one round trip, O(log n) in the window's hits."""
        hit, clock = uuid.uuid4().hex, "" if now_ms is None else now_ms
        windows = [self.limit, int(self.window * 1000)]
        if self.per_minute:
            windows += [self.per_minute, MINUTE_MS]
        arguments = [hit, clock, *windows]
        allowed, remaining, wait_ms = _hit(self.client, [self._key(subject)], arguments)
        return Decision(bool(allowed), remaining, wait_ms / 1000, subject, hit)

    def give_back(self, decision: Decision) -> None:
        """Takes the hit out again, as if it had not happened. Atomic, O(log n)."""
        self.client.zrem(self._key(decision.subject), decision.hit)

    def _key(self, subject: str) -> str:
        """Subjects are what people typed, of any length, and may be private: keys hold a digest."""
        text = subject.encode("utf-8", "surrogatepass")
        digest = salted_hmac("redistools.rate_limit", text, algorithm="sha256").hexdigest()
        return keys.rate_limit(self.name, digest[:32])
