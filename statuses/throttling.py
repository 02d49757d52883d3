"""How often one may post. The block raises RateLimited instead of running once it is too often."""

from contextlib import AbstractContextManager

from redistools.client import get_client
from redistools.rate_limit import Decision, RateLimit

STATUSES_PER_HOUR = 300
HOUR = 60 * 60


def posting(*, author_id: int) -> AbstractContextManager[Decision]:
    limit = RateLimit(get_client(), "post", limit=STATUSES_PER_HOUR, window=HOUR)
    return limit.counting(str(author_id))
