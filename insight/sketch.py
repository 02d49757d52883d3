"""How long something took, over many times: count, extremes, mean, deviation, percentiles.

Percentiles come from a sketch (DDSketch, VLDB 2019): each time falls into a bucket, and each bucket
is 4 % wider than the one before. So a percentile is off by 2 % at most, whatever the distribution.
Buckets are counts: those of processes and hours add up.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, inf, log, sqrt

ERROR = 0.02
_RATIO = (1 + ERROR) / (1 - ERROR)
_LOG_OF_RATIO = log(_RATIO)
# Below a microsecond nothing is told apart.
SHORTEST_MS = 0.001


def bucket_of(ms: float) -> int:
    return ceil(log(max(ms, SHORTEST_MS)) / _LOG_OF_RATIO)


def middle_of(bucket: int) -> float:
    """Within 2 % of all that fell into the bucket."""
    upper: float = _RATIO**bucket
    return 2 * upper / (_RATIO + 1)


@dataclass
class Sketch:
    """All in milliseconds."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    least: float = inf
    most: float = 0.0
    buckets: dict[int, int] = field(default_factory=dict)

    def add(self, ms: float) -> int:
        """Returns the bucket, for others that count the same time."""
        self.count += 1
        self.total += ms
        self.squares += ms * ms
        self.least = min(self.least, ms)
        self.most = max(self.most, ms)
        bucket = bucket_of(ms)
        self.buckets[bucket] = self.buckets.get(bucket, 0) + 1
        return bucket

    def merge(self, other: "Sketch") -> None:
        self.count += other.count
        self.total += other.total
        self.squares += other.squares
        self.least = min(self.least, other.least)
        self.most = max(self.most, other.most)
        for bucket, count in other.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + count

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def deviation(self) -> float:
        if not self.count:
            return 0.0
        return sqrt(max(0.0, self.squares / self.count - self.mean**2))

    def percentile(self, percent: float) -> float:
        """What as many percent took no longer than. 0 if nothing was measured."""
        left = percent / 100 * self.count
        for bucket in sorted(self.buckets):
            left -= self.buckets[bucket]
            if left <= 0:
                return min(max(middle_of(bucket), self.least), self.most)
        return self.most


def sketch_from(fields: Mapping[str, str]) -> Sketch:
    """As `add_timing.lua` writes them: the names of buckets are numbers."""
    buckets = {int(name): int(count) for name, count in fields.items() if _is_number(name)}
    return Sketch(
        count=int(fields.get("count", 0)),
        total=float(fields.get("total", 0)),
        squares=float(fields.get("squares", 0)),
        least=float(fields.get("least", inf)),
        most=float(fields.get("most", 0)),
        buckets=buckets,
    )


def _is_number(name: str) -> bool:
    return name.lstrip("-").isdecimal()
