"""Every key name in Redis; `docs/redis-keys.md` says what each holds and who writes it.

A user's keys carry the hash tag of their partition: on a Redis Cluster all keys of a partition live
in one slot, where one script may touch them together.
"""

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any
from zlib import crc32

from django.conf import settings
from django.core.signals import setting_changed

from .servers import slots


@functools.cache
def _prefix() -> str:
    """Kept: a post makes a hundred names, and reading a setting takes longer than the rest."""
    return str(getattr(settings, "REDIS_KEY_PREFIX", ""))


@functools.cache
def _tags() -> tuple[str, ...]:
    """By partition. A project that only has queues needs no partitions."""
    return slots.tags(getattr(settings, "PARTITIONS", 1))


def _forget_settings(**_signal: Any) -> None:
    _prefix.cache_clear()
    _tags.cache_clear()


setting_changed.connect(_forget_settings)


def _key(name: str) -> str:
    return f"{_prefix()}{name}"


def _pattern(beginning: str) -> str:
    """For SCAN: all names with this beginning, and no others."""
    return re.sub(r"[*?\[\]\\]", r"\\\g<0>", beginning) + "*"


def everything() -> str:
    return _pattern(_key(""))


def kind(name: str) -> str:
    """`home` of `home:{fx}:7`."""
    return name.removeprefix(_key("")).partition(":")[0]


def number(name: str) -> int:
    """7 of `home:{fx}:7`; 0 if there is none."""
    end = name.rpartition(":")[2]
    return int(end) if end.isdecimal() and len(end) < 19 else 0


def partition(user_id: int) -> int:
    return user_id % len(_tags())


def tag(partition: int) -> str:
    return _tags()[partition]


def _tag_of(user_id: int) -> str:
    tags = _tags()
    return tags[user_id % len(tags)]


def _of_user(kind: str) -> Callable[[int], str]:
    return lambda user_id: f"{_prefix()}{kind}:{{{_tag_of(user_id)}}}:{user_id}"


def _of_owner(kind: str) -> Callable[[int, int], str]:
    """For what a user owns: the key lies in the owner's partition and ends with its own id."""
    return lambda owner_id, number: f"{_prefix()}{kind}:{{{_tag_of(owner_id)}}}:{number}"


def _by_partition(kind: str) -> Callable[[int, int], str]:
    return lambda partition, user_id: f"{_prefix()}{kind}:{{{tag(partition)}}}:{user_id}"


def _of_partition(kind: str) -> Callable[[int], str]:
    return lambda partition: f"{_prefix()}{kind}:{{{tag(partition)}}}"


def _beginning(kind: str) -> Callable[[int], str]:
    """What a partition's keys of this kind begin with; scripts append the id."""
    return lambda partition: f"{_prefix()}{kind}:{{{tag(partition)}}}:"


def _single(name: str) -> Callable[[], str]:
    return lambda: _key(name)


# Users
user = _of_user("user")
users = _beginning("user")
following = _of_user("following")
followers = _by_partition("followers")

# Spreads the lists of names on a big site over hashes that stay compact.
BUCKETS = 128


def _by_beginning(kind: str) -> Callable[[str], str]:
    """The hash with the list of a beginning; those with the same first letter share a slot."""

    def bucket(beginning: str) -> str:
        partition = crc32(beginning[0].encode()) % len(_tags())
        return _bucket(kind, partition, crc32(beginning.encode()) % BUCKETS)

    return bucket


def _all_buckets(kind: str) -> Callable[[], list[str]]:
    return lambda: [_bucket(kind, it, n) for it in range(len(_tags())) for n in range(BUCKETS)]


def _bucket(kind: str, partition: int, number: int) -> str:
    return f"{_prefix()}{kind}:{{{tag(partition)}}}:{number}"


names, all_names = _by_beginning("names"), _all_buckets("names")
tag_names, all_tag_names = _by_beginning("tag_names"), _all_buckets("tag_names")
noted_tags = _single("noted_tags")  # whose uses are to be counted again


def interests(partition: int, tag_id: int) -> str:
    """Those who live in the partition and have this tag on their profile."""
    return f"{_prefix()}interests:{{{tag(partition)}}}:{tag_id}"


def speakers(partition: int, code: str) -> str:
    """Those who live in the partition and speak this language."""
    return f"{_prefix()}speakers:{{{tag(partition)}}}:{code}"


def interest_load(partition: int, term: int | str) -> str:
    """Whether the set of a tag or language, as it is read from SQL, still counts."""
    return f"{_prefix()}interest_load:{{{tag(partition)}}}:{term}"


def interest_part(partition: int, name: str) -> str:
    """A set of these while it is read."""
    return f"{_prefix()}interest_part:{{{tag(partition)}}}:{name}"


lowest_numbers = _of_partition("lowest_numbers")  # of people, as sets of interests have them
suggested = _of_user("suggested")  # whom they might like to follow
suggestions_due = _single("suggestions_due")  # for whom they are worked out again
viewpoint = _of_user("viewpoint")  # blocks, mutes, hidden boosts, muted words
# The hash tag keeps the accounts and their version in one slot, so they are read in order.
suspended = _single("suspended:{suspension}:ids")
suspension_version = _single("suspended:{suspension}:version")


def session(digest: str) -> str:
    """By a digest of the key in the cookie, so that nobody can log in with what Redis holds."""
    return _key(f"session:{digest}")


# Statuses and timelines


def status(status_id: int) -> str:
    return _key(f"status:{status_id}")


def statuses(status_ids: Iterable[int]) -> list[str]:
    """All keys of a page at once: reading the settings for each would take longer than the rest."""
    beginning = _key("status:")
    return [f"{beginning}{status_id}" for status_id in status_ids]


def reactions(reaction: str, user_id: int) -> str:
    return _key(f"{reaction}s:{{{_tag_of(user_id)}}}:{user_id}")


profile = _of_user("profile")
posts = _of_user("posts")  # the profile without replies to others
home = _of_user("home")
homes = _beginning("home")
important = _of_user("important")  # the home in the order of importance, for a few minutes
mentions = _of_user("mentions")  # the statuses that name or answer a user
addressees = _of_user("addressees")  # the people whom a user names or answers
tags_followed = _of_user("tags_followed")
tags = _beginning("tag")  # a partition's copies of tags
list_timeline = _of_owner("list")
lists = _beginning("list")
list_members = _of_owner("members")
listed = _by_partition("listed")  # the lists with the user in them, by their owners' partitions
pulled = _beginning("pulled")  # copies of pulled authors
pull_authors = _of_partition("pull_authors")
deleted_statuses = _of_partition("deleted")
# One in each slot that a partition's keys live in: where it is missing, others are too.
memory_mark = _of_partition("memory")
notifications = _of_user("notifications")


# By a chat's id: it lies in one of the same partitions.
chat = _of_user("chat")
chat_counts = _of_user("chat_counts")


search_segments = _single("search:{search}:segments")  # which segments the window has


SEGMENTS_OF_A_RUN = 16


def search_run(number: int) -> int:
    """Segments of a run share a partition, so that one script reads them all."""
    return number // SEGMENTS_OF_A_RUN


def search_segment(number: int) -> str:
    """Its state; scripts make the names of all else in its place."""
    tags = _tags()
    return f"{_prefix()}search:{{{tags[search_run(number) % len(tags)]}}}:{number}:state"


def search_blocks(partition: int) -> str:
    """What a partition's blocks of numbers begin with; scripts append theirs."""
    return f"{_prefix()}search:{{{tag(partition)}}}:blocks:"


def notification(notification_id: int) -> str:
    return _key(f"notification:{notification_id}")


# Tools


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
    return _pattern(_key(f"cache:{key_prefix}"))


def visitor_page(digest: str) -> str:
    """A page as visitors get it; the digest is that of its address, host and language."""
    return _key(f"page:{digest}")


site_settings = _single("site:settings")  # what was chosen for the site, and its version
rules = _single("rules:on")  # of the moderators, and their version
page_version = _single("page_version")  # of all pages that are kept for visitors
outbox_done = _single("outbox:done")
rebuild_progress = _single("rebuild_progress")


def queue(name: str, part: str) -> str:
    """A part of a task queue (`taskqueue.store.PARTS`); the hash tag keeps a queue in one slot."""
    return _key(f"queue:{{{name}}}:{part}")


def queued_task(name: str, task_id: str) -> str:
    return queue(name, f"task:{task_id}")


def trending(board: str) -> str:
    """The hash tag keeps the boards and what belongs to them in one slot."""
    return _key(f"trending:{{explore}}:{board}")


def trending_people(board: str) -> str:
    """The prefix of who counted already; scripts append the tag or status."""
    return f"{trending(board)}:people:"


def trending_written() -> str:
    return f"{trending('tags')}:written"


# Measurements. A series, or what is timed of one kind, lies in one slot: one script writes it.


def series(name: str, seconds: int, number: int) -> str:
    """A stretch of one series in one precision."""
    return _key(f"series:{{{name}}}:{seconds}:{number}")


def timing(kind: str, hour: int, name: str) -> str:
    return f"{timed(kind, hour)}:{name}"


def timed(kind: str, hour: int) -> str:
    """The names of this kind that were timed in an hour."""
    return _key(f"timings:{{{kind}}}:{hour}")


def slowest(kind: str, hour: int) -> str:
    return _key(f"slowest:{{{kind}}}:{hour}")


def durations(kind: str, seconds: int, number: int) -> str:
    """All that was timed of a kind in one step of that length."""
    return _key(f"durations:{{{kind}}}:{seconds}:{number}")


totals = _single("totals")  # of all counters and times, since Redis has known them


def level(name: str) -> str:
    """What each process says of a gauge that is summed over all of them."""
    return _key(f"levels:{name}")


def log(severity: str, part: str) -> str:
    """`lines` or `messages`: all of a severity lies in one slot."""
    return _key(f"log:{{{severity}}}:{part}")


def log_message(severity: str, message_id: str = "") -> str:
    """Without an id, what the names of all begin with."""
    return log(severity, f"message:{message_id}")


def log_frequent(severity: str, hour: int) -> str:
    return log(severity, f"frequent:{hour}")


def visitors(day: str) -> str:
    """The hash tag lets one command count several days."""
    return _key(f"visitors:{{visitors}}:{day}")


def visitor_key(day: str) -> str:
    return _key(f"visitor_key:{day}")


def actives(partition: int, day: str) -> str:
    return _key(f"actives:{{{tag(partition)}}}:{day}")


def viewed(what: str) -> str:
    return _key(f"viewed:{what}")


def place_ranges(part: str) -> str:
    """Where addresses are: `4`, `6`, and the `version` of both. One script replaces all three."""
    return _key(f"place_ranges:{{places}}:{part}")


def place_load(part: str, token: str) -> str:
    """The same while they are loaded."""
    return _key(f"place_load:{{places}}:{part}:{token}")


def places(partition: int, chunk: int) -> str:
    """Where members of a partition were last."""
    return _key(f"places:{{{tag(partition)}}}:{chunk}")


place_figures = _single("place_figures")  # how many members are where, for a day


# The hash tag keeps what one script writes for an event in one slot.
event_log = _single("events:{stream}:log")
private_log = _single("events:{stream}:private_log")  # events that not everybody may see
event_marks = _single("events:{stream}:marks")
# These are pub/sub channels, not keys.
event_channel = _single("events:{stream}:live")
private_channel = _single("events:{stream}:private")
personal_channel = _single("events:{stream}:personal")  # for one user's pages
stream_control_channel = _single("events:{stream}:control")
