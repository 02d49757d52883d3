from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count, Sum

from configuration.current import site
from redistools.outages.errors import REDIS_ERRORS, is_redis_outage
from users.models import User

KEY, KEPT_SECONDS = "about:numbers", 2 * 3600


class Numbers(NamedTuple):
    people: int
    posts: int


def numbers() -> Numbers | None:
    """None until they were counted, and while Redis is away. One round trip."""
    try:
        kept: list[int] | None = cache.get(KEY)
    except REDIS_ERRORS as error:
        if not is_redis_outage(error):
            raise
        return None
    return Numbers(*kept) if kept else None


def count() -> None:
    """Reads all accounts. Posts are the sum of their counters."""
    active = User.objects.filter(is_active=True)
    counted = active.aggregate(people=Count("pk"), posts=Sum("statuses_count"))
    cache.set(KEY, [counted["people"], counted["posts"] or 0], KEPT_SECONDS)


def own_rules() -> str:
    return Path(settings.RULES_FILE).read_text() if settings.RULES_FILE else site().rules
