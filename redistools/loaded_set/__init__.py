"""Sorted sets that copy SQL, and know whether the copy is whole.

A plain sorted set can't tell "nobody" from "lost". A loaded set keeps a mark beside its members:

    no key       unknown: load it from SQL before trusting it
    `building`   being loaded; writers write to it already, readers do not trust it yet
    `0`          whole: what is not in it does not exist
    no mark      whole down to its lowest member; what is older was trimmed and is in SQL

Loading is safe while others write. The mark comes first, so no addition is missed from then on.
Removing a member changes the version (the score of `building`), and a load that may already have
read that member from SQL starts over. Writers leave unknown sets alone.

A set that nobody reads for a month expires, and is loaded when it is next needed. Writing to it
does not count: nobody needs what only others write to.
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
