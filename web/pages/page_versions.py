"""What ends the pages that are kept for visitors (`kept_pages.py`) before their time.

All kept pages share one version: a random word, replaced when something must vanish at once because
it is hidden, deleted, edited or renamed, or its author suspended. A page is shown only while the
version is the one from before it was made. A missing version is one too: it lives much longer than
pages do.
"""

import secrets

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch

# A page is made and kept for no longer than a minute or so.
VERSION_SECONDS = 600


def drop_all_pages(batch: Batch) -> None:
    """Ends a batch that hides something. On a cluster, other nodes have done their part by then."""
    batch.fence()
    batch.add("SET", keys.page_version(), secrets.token_hex(8), "EX", VERSION_SECONDS)


def drop_all_pages_now() -> None:
    batch = Batch(get_client())
    drop_all_pages(batch)
    batch.run()
