"""When do the pages that are kept for visitors end (`sharing/kept_pages.py`)?

A page is about a *subject*, such as a profile or a tag, and each subject has a version: a random
word that is replaced whenever something changes. A page is kept with the versions that were there
before it was made, and shown only while they are the same. So writers need not know which pages
there are: they `touch` a subject after they have changed it. To touch `SITE` drops all pages: for
what becomes hidden, is edited or gets another name, which may stand on any page.

A subject that was not touched lately has no version, which is one too. For that to be safe,
versions live much longer than pages.
"""

import secrets

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch

# A page is made and kept for no longer than a minute or so.
VERSION_SECONDS = 600

SITE = "site"
EXPLORE = "explore"


def profile_of(username: str) -> str:
    return f"@{username.lower()}"


def tag_named(name: str) -> str:
    return f"#{name}"


def status_page(status_id: int | str) -> str:
    return f"status {status_id}"


def touch(batch: Batch, *subjects: str) -> None:
    """To be sent along with the change, after it. O(1) for each."""
    for subject in subjects:
        version = secrets.token_hex(8)
        batch.add("SET", keys.page_version(subject), version, "EX", VERSION_SECONDS)


def drop_all_pages(batch: Batch) -> None:
    """The end of a batch that hides something. On a cluster other nodes have done their part by
    then.
    """
    batch.fence()
    touch(batch, SITE)


def touch_now(*subjects: str) -> None:
    """One round trip."""
    batch = Batch(get_client())
    touch(batch, *subjects)
    batch.run()
