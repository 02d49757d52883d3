"""How often one may post. Raises RateLimited, without running the block, at the limit."""

from contextlib import AbstractContextManager

from redistools.client import get_client
from redistools.rate_limit import Decision, RateLimit

STATUSES_PER_HOUR = 300
HOUR = 60 * 60


def posting(*, author_id: int) -> AbstractContextManager[Decision]:
    limit = RateLimit(get_client(), "post", limit=STATUSES_PER_HOUR, window=HOUR)
    return limit.counting(str(author_id))
