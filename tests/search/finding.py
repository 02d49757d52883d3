"""What searches find, once everything is indexed and counted."""

from search import tasks
from search.posts import Order, search_posts
from search.query.parsing import parse
from taskqueue.drain import drain
from users.models import User


def index_all() -> None:
    drain()
    tasks.index_new.call()
    drain()


def count_tags() -> None:
    drain()
    tasks.count_tags.call()


def found(query: str, viewer: User | None = None, order: Order = "latest") -> list[str]:
    """The texts of all pages."""
    texts: list[str] = []
    before, below = None, None
    while True:
        page = search_posts(
            parse(query), viewer=viewer, before=before, below_score=below, order=order
        )
        texts += [entry.text for entry in page.entries]  # type: ignore[union-attr] # no gaps here
        before, below = page.older, float(page.more) if page.more else None
        if before is None and below is None:
            return texts
