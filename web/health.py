"""Do the stores answer? Both ports say so at /healthz."""

import redis
from django.db import DatabaseError, connection

from redistools.client import get_client


def check_stores() -> dict[str, str]:
    """`{"sql": "ok", "redis": "ok"}`, or what is wrong with a store."""
    return {"sql": _check_sql(), "redis": _check_redis()}


def is_healthy(stores: dict[str, str]) -> bool:
    return all(state == "ok" for state in stores.values())


def _check_sql() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "does not answer"
    return "ok"


def _check_redis() -> str:
    try:
        get_client().ping()
    except redis.ResponseError:
        # A full disk, say. The details are for the log, not for everybody.
        return "refuses commands"
    except redis.RedisError:
        return "does not answer"
    return "ok"
