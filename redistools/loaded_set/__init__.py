"""Sorted sets that copy SQL, and know whether the copy is whole.

A plain sorted set can't tell "nobody" from "lost". A loaded set keeps a mark beside its members:
`building` while it is loaded (writers write to it already, readers don't trust it), `0` when it is
whole. Without a mark it is whole down to its lowest member, and SQL has the rest; without a key it
is unknown, and loaded before anybody trusts it.

Loading is safe while others write. The mark comes first, so no addition is missed. Removing a
member changes the version (the score of `building`), and a load that may have read that member
starts over. Writers leave unknown sets alone.

A set that nobody reads for a month expires; writing to it does not count.
"""

from .loading import LoadFailed, Unknown, load, load_many, until_known
from .pages import highest, page, scored_page
from .reading import all_members, contents, known, members, members_after, newest_members, read
from .values import End, IdPage, Loaded, Range, Scored
from .writing import drop, most, put, put_arguments, write_pair

__all__ = [
    "End",
    "IdPage",
    "LoadFailed",
    "Loaded",
    "Range",
    "Scored",
    "Unknown",
    "all_members",
    "contents",
    "drop",
    "highest",
    "known",
    "load",
    "load_many",
    "members",
    "members_after",
    "most",
    "newest_members",
    "page",
    "put",
    "put_arguments",
    "read",
    "scored_page",
    "until_known",
    "write_pair",
]
