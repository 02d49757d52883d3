"""What the memory of Redis is used for, estimated from some keys that it chooses at random."""

from collections.abc import Mapping

from redistools import keys
from redistools.client import get_client
from redistools.sample import keys_at_random

from ..figures import MEMORY_KINDS
from .buffer import buffer

SAMPLED = 1_000
OTHER = MEMORY_KINDS[-1]

# By the first word of a name (`keys.kind`). All others are `other`.
KINDS: Mapping[str, tuple[str, ...]] = {
    "timelines": (
        *("home", "profile", "posts", "important", "mentions", "addressees", "list", "tag"),
        *("pulled", "pull_authors", "deleted", "notifications", "notification"),
    ),
    "posts": ("status", "likes", "boosts", "bookmarks", "trending"),
    "messages": ("chat", "chat_counts"),
    "people": (
        *(
            "user",
            "following",
            "followers",
            "viewpoint",
            "suggested",
            "suggestions_due",
            "suspended",
            "members",
        ),
        *("listed", "tags_followed"),
    ),
    "search": (
        *("search", "names", "tag_names", "noted_tags", "interests", "speakers"),
        *("interest_load", "interest_part", "lowest_numbers"),
    ),
    "sessions": ("session", "rate", "semaphore"),
    "pages": ("page", "page_version", "cache"),
    "queue": ("queue", "outbox"),
    "streams": ("events",),
    "figures": (
        *("series", "timings", "slowest", "durations", "totals", "levels"),
        *("visitors", "visitor_key", "actives", "viewed", "log"),
        *("places", "place_ranges", "place_figures", "place_load"),
    ),
}
_KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}


def sample() -> None:
    """Some twenty round trips of a millisecond to each master."""
    for kind, size in estimated().items():
        buffer.peak("redis_memory", size, kind)


def estimated() -> dict[str, int]:
    """Bytes by kind. Of kinds that have few keys, it is rough."""
    found = dict.fromkeys(MEMORY_KINDS, 0.0)
    for name, size, stands_for in keys_at_random(get_client(), of_each=SAMPLED):
        found[_KIND_OF.get(keys.kind(name), OTHER)] += size * stands_for
    return {kind: round(size) for kind, size in found.items()}
