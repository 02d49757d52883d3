"""Orders to all stream processes: whose streams end at once (`streaming/engine/control.py`)."""

import json
import logging
from collections.abc import Collection, Mapping
from functools import partial

from django.db import transaction
from redis.exceptions import RedisError

from redistools import keys
from redistools.client import get_client

logger = logging.getLogger(__name__)


def end_streams_of_user(
    user_id: int, reason: str = "The account may no longer listen, or has to connect again."
) -> None:
    """Ends the streams of all its tokens and pages, at the commit.

    Never raises: if the order gets lost, the processes find out by themselves (`chores.py`).
    """
    _tell_after_commit({"users": [user_id], "reason": reason})


def end_streams_of_sessions(digests: Collection[str], reason: str) -> None:
    _tell_after_commit({"sessions": list(digests), "reason": reason})


def end_streams_of_tokens(token_ids: Collection[int]) -> None:
    _tell_after_commit({"tokens": list(token_ids), "reason": "The token was revoked."})


def tell(order: Mapping[str, object]) -> None:
    get_client().publish(keys.stream_control_channel(), json.dumps(order))


def _tell_after_commit(order: Mapping[str, object]) -> None:
    transaction.on_commit(partial(_try_to_tell, order))


def _try_to_tell(order: Mapping[str, object]) -> None:
    try:
        tell(order)
    except RedisError as error:
        logger.warning("Streams could not be ended at once: %s", error)
