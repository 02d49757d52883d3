"""Every key name in Redis. `docs/redis-keys.md` says what each holds and who writes it.

A user's keys carry their partition as hash tag, so on a Redis Cluster all keys of one
partition live in one slot, where one script may touch them together.
"""

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


def semaphore(name: str) -> str:
    """The hash tag keeps the semaphore's three keys in one slot."""
    return _key(f"semaphore:{{{name}}}")


def rate_limit(name: str, subject: str) -> str:
    return _key(f"rate:{name}:{subject}")


def cache_entry(key: str, key_prefix: str, version: int) -> str:
    """Django's cache and sessions, through django-redis' KEY_FUNCTION."""
    return _key(f"cache:{key_prefix}{version}:{key}")
