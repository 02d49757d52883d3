"""When a task that raised is tried again."""

import random
from datetime import timedelta

LONGEST_DELAY = timedelta(hours=1)


def delay_before_retry(failures: int, backoff: timedelta) -> float:
    """Seconds to wait: doubling with each failure, at most an hour, and never in step.

    The second half of the wait is left to chance, so that tasks that failed together (their
    server was down) do not come back together.
    """
    doubled = backoff.total_seconds() * 2.0 ** min(failures - 1, 30)
    longest = min(doubled, LONGEST_DELAY.total_seconds())
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, keeps no secret
