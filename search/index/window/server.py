"""May this site have a window? It needs a setting, and a Redis that keeps big sets of small numbers
compact: otherwise it would take five times the memory.
"""

import logging
from functools import cache
from typing import Any

from django.conf import settings
from redis.exceptions import ResponseError

from redistools.client import Client, get_client
from redistools.servers.cluster import GuardedCluster

# Of a server, and how many members the sets of a full segment have.
OPTION, NEEDED = "set-max-intset-entries", 65_536

logger = logging.getLogger(__name__)


def is_on() -> bool:
    return settings.SEARCH_WINDOW > 0 and _keeps_sets_compact(settings.REDIS_URL)


@cache
def _keeps_sets_compact(_url: str) -> bool:
    """Asks each server once."""
    wrong = what_is_wrong(get_client())
    if wrong:
        logger.warning("%s", wrong)
    return not wrong


def what_is_wrong(client: Client) -> str:
    """For people; empty if all masters are set right. One round trip to each."""
    try:
        lowest = min(_entries_of_each(client))
    except ResponseError as error:
        return _words(f"Redis does not say what its {OPTION} is ({error})")
    return "" if lowest >= NEEDED else _words(f"Redis has {OPTION} {lowest}")


def _words(reason: str) -> str:
    return (
        f"{reason}, so searches use SQL alone: set {OPTION} {NEEDED} in redis.conf "
        "(deploy/redis.conf has it), or SEARCH_WINDOW=0"
    )


def _entries_of_each(client: Client) -> list[int]:
    if not isinstance(client, GuardedCluster):
        found: Any = [client.config_get(OPTION)]
    else:
        answers: Any = client.config_get(OPTION, target_nodes=GuardedCluster.PRIMARIES)
        # One node answers for itself, several by name.
        found = [answers] if OPTION in answers else answers.values()
    return [int(it.get(OPTION, 0)) for it in found]
