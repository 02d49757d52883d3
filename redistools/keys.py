"""Every key name in Redis. `docs/redis-keys.md` says what each holds and who writes it.

A user's keys carry their partition as hash tag, so on a Redis Cluster all keys of one
partition live in one slot, where one script may touch them together.
"""

import re

from django.conf import settings


def _key(name: str) -> str:
    return f"{settings.REDIS_KEY_PREFIX}{name}"


def partition(user_id: int) -> int:
    partitions: int = settings.PARTITIONS
    return user_id % partitions


def user(user_id: int) -> str:
    return _key(f"user:{{{partition(user_id)}}}:{user_id}")


def id_sequence(name: str) -> str:
    return _key(f"ids:{name}")


def lock(name: str) -> str:
    return _key(f"lock:{name}")


def semaphore_tickets(name: str) -> str:
    """The hash tag keeps both keys of a semaphore in one slot."""
    return _key(f"semaphore:{{{name}}}:tickets")


def semaphore_leases(name: str) -> str:
    return _key(f"semaphore:{{{name}}}:leases")


def rate_limit(name: str, subject_digest: str) -> str:
    return _key(f"rate:{name}:{subject_digest}")


def cache_entry(key: str, key_prefix: str, version: int) -> str:
    """Django's cache and sessions, through django-redis' KEY_FUNCTION."""
    return _key(f"cache:{key_prefix}{version}:{key}")


def cache_entries(key_prefix: str) -> str:
    """The pattern that finds all of them, and no other key, with SCAN."""
    return re.sub(r"[*?\[\]\\]", r"\\\g<0>", _key(f"cache:{key_prefix}")) + "*"


def queue(name: str, part: str) -> str:
    """A part of a task queue (`taskqueue.store.PARTS`); the hash tag keeps a queue in one slot."""
    return _key(f"queue:{{{name}}}:{part}")


def queued_task(name: str, task_id: str) -> str:
    return queue(name, f"task:{task_id}")
