"""Every key name in Redis. `docs/redis-keys.md` says what each holds and who writes it.

A user's keys carry the hash tag of their partition, so on a Redis Cluster all keys of one
partition live in one slot, where one script may touch them together.
"""

import functools
import re
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed

from .servers import slots


@functools.cache
def _prefix() -> str:
    """Before all names. Kept: a post makes a hundred of them, and reading a setting takes longer
    than the rest.
    """
    return str(getattr(settings, "REDIS_KEY_PREFIX", ""))


@functools.cache
def _tags() -> tuple[str, ...]:
    """Kept for the same reason. Another project, which only has queues, needs no partitions."""
    return slots.tags(getattr(settings, "PARTITIONS", 1))


def _forget_settings(**_signal: Any) -> None:
    """Tests change them."""
    _prefix.cache_clear()
    _tags.cache_clear()


setting_changed.connect(_forget_settings)


def _key(name: str) -> str:
    return f"{_prefix()}{name}"


def _pattern(beginning: str) -> str:
    """For SCAN: all names with this beginning, and no others."""
    return re.sub(r"[*?\[\]\\]", r"\\\g<0>", beginning) + "*"


def everything() -> str:
    """The pattern that finds every key of the site."""
    return _pattern(_key(""))


def kind(name: str) -> str:
    """The first word of a key: `home` of `home:{fx}:7`."""
    return name.removeprefix(_key("")).partition(":")[0]


def number(name: str) -> int:
    """The number at the end of a key: 7 of `home:{fx}:7`. 0 if there is none."""
    end = name.rpartition(":")[2]
    return int(end) if end.isdecimal() and len(end) < 19 else 0


def partition(user_id: int) -> int:
    return user_id % len(_tags())


def tag(partition: int) -> str:
    """The hash tag of a partition's keys."""
    return _tags()[partition]


def _tag_of(user_id: int) -> str:
    return tag(partition(user_id))


def user(user_id: int) -> str:
    return _key(f"user:{{{_tag_of(user_id)}}}:{user_id}")


def users(partition: int) -> str:
    """What the keys of a partition's users begin with; scripts append the id."""
    return _key(f"user:{{{tag(partition)}}}:")


def suggested(user_id: int) -> str:
    """Whom a user might like to follow, for a few minutes."""
    return _key(f"suggested:{{{_tag_of(user_id)}}}:{user_id}")


def following(user_id: int) -> str:
    return _key(f"following:{{{_tag_of(user_id)}}}:{user_id}")


def viewpoint(user_id: int) -> str:
    """What a user does not want to see, or may not: blocks, mutes, hidden boosts, muted words."""
    return _key(f"viewpoint:{{{_tag_of(user_id)}}}:{user_id}")


def followers(partition: int, user_id: int) -> str:
    """The user's followers who live in that partition."""
    return _key(f"followers:{{{tag(partition)}}}:{user_id}")


def suspended() -> str:
    """The hash tag keeps the accounts and their version in one slot, so they are read in order."""
    return _key("suspended:{suspension}:ids")


def suspension_version() -> str:
    return _key("suspended:{suspension}:version")


def session(digest: str) -> str:
    """Of the key in the cookie, so that nobody can log in with what Redis holds."""
    return _key(f"session:{digest}")


def status(status_id: int) -> str:
    return _key(f"status:{status_id}")


def statuses(status_ids: Iterable[int]) -> list[str]:
    """All keys of a page at once: reading the settings for each would take longer than the rest."""
    beginning = _key("status:")
    return [f"{beginning}{status_id}" for status_id in status_ids]


def reactions(reaction: str, user_id: int) -> str:
    """What a user has done with statuses: likes, boosts, bookmarks."""
    return _key(f"{reaction}s:{{{_tag_of(user_id)}}}:{user_id}")


def profile(user_id: int) -> str:
    return _key(f"profile:{{{_tag_of(user_id)}}}:{user_id}")


def posts(user_id: int) -> str:
    """The profile without replies to others."""
    return _key(f"posts:{{{_tag_of(user_id)}}}:{user_id}")


def notifications(user_id: int) -> str:
    return _key(f"notifications:{{{_tag_of(user_id)}}}:{user_id}")


def notification(notification_id: int) -> str:
    return _key(f"notification:{notification_id}")


def homes(partition: int) -> str:
    """The prefix of a partition's home keys; scripts append the reader's id."""
    return _key(f"home:{{{tag(partition)}}}:")


def home(user_id: int) -> str:
    return f"{homes(partition(user_id))}{user_id}"


def lists(partition: int) -> str:
    """The prefix of a partition's list timelines; scripts append the list's id."""
    return _key(f"list:{{{tag(partition)}}}:")


def list_timeline(owner_id: int, list_id: int) -> str:
    return f"{lists(partition(owner_id))}{list_id}"


def list_members(owner_id: int, list_id: int) -> str:
    return _key(f"members:{{{_tag_of(owner_id)}}}:{list_id}")


def listed(partition: int, user_id: int) -> str:
    """The lists with the user in them whose owners live in that partition."""
    return _key(f"listed:{{{tag(partition)}}}:{user_id}")


def pulled(partition: int) -> str:
    """The prefix of a partition's copies of pulled authors; scripts append the author's id."""
    return _key(f"pulled:{{{tag(partition)}}}:")


def pull_authors(partition: int) -> str:
    return _key(f"pull_authors:{{{tag(partition)}}}")


def important(user_id: int) -> str:
    """The home in the order of importance, for a few minutes."""
    return _key(f"important:{{{_tag_of(user_id)}}}:{user_id}")


def tags(partition: int) -> str:
    """The prefix of a partition's copies of tags; scripts append the tag's id."""
    return _key(f"tag:{{{tag(partition)}}}:")


def tags_followed(user_id: int) -> str:
    return _key(f"tags_followed:{{{_tag_of(user_id)}}}:{user_id}")


def mentions(user_id: int) -> str:
    """The statuses that name or answer a user."""
    return _key(f"mentions:{{{_tag_of(user_id)}}}:{user_id}")


def addressees(user_id: int) -> str:
    """The people whom a user names or answers."""
    return _key(f"addressees:{{{_tag_of(user_id)}}}:{user_id}")


def deleted_statuses(partition: int) -> str:
    return _key(f"deleted:{{{tag(partition)}}}")


def memory_mark(partition: int) -> str:
    """One in each slot that a partition's keys live in: where it is missing, others are too."""
    return _key(f"memory:{{{tag(partition)}}}")


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
    """Django's cache, through django-redis' KEY_FUNCTION."""
    return _key(f"cache:{key_prefix}{version}:{key}")


def cache_entries(key_prefix: str) -> str:
    """The SCAN pattern that finds all of them, and no other key."""
    return _pattern(_key(f"cache:{key_prefix}"))


def visitor_page(digest: str) -> str:
    """A page as visitors get it; the digest is that of its address, host and language."""
    return _key(f"page:{digest}")


def page_version() -> str:
    """Of all pages that are kept for visitors."""
    return _key("page_version")


def outbox_done() -> str:
    return _key("outbox:done")


def queue(name: str, part: str) -> str:
    """A part of a task queue (`taskqueue.store.PARTS`); the hash tag keeps a queue in one slot."""
    return _key(f"queue:{{{name}}}:{part}")


def queued_task(name: str, task_id: str) -> str:
    return queue(name, f"task:{task_id}")


def queue_names() -> str:
    return _key("queue_names")


def rebuild_progress() -> str:
    return _key("rebuild_progress")


def trending(board: str) -> str:
    """The hash tag keeps the boards and what belongs to them in one slot."""
    return _key(f"trending:{{explore}}:{board}")


def trending_people(board: str) -> str:
    """The prefix of who counted already; scripts append the tag or status."""
    return f"{trending(board)}:people:"


def trending_written() -> str:
    return f"{trending('tags')}:written"


def event_log() -> str:
    """The hash tag keeps what one script writes for an event in one slot."""
    return _key("events:{stream}:log")


def private_log() -> str:
    """Events that not everybody may see."""
    return _key("events:{stream}:private_log")


def event_marks() -> str:
    return _key("events:{stream}:marks")


def event_channel() -> str:
    """A pub/sub channel, not a key."""
    return _key("events:{stream}:live")


def private_channel() -> str:
    """A pub/sub channel, not a key."""
    return _key("events:{stream}:private")


def personal_channel() -> str:
    """A pub/sub channel, not a key: for one user's pages."""
    return _key("events:{stream}:personal")


def stream_control_channel() -> str:
    """A pub/sub channel, not a key."""
    return _key("events:{stream}:control")
