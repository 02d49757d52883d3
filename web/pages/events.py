"""What happens with pages, and who is told: see `taskqueue/consequences.py`."""

from taskqueue.consequences import Event


@Event
def kept_page_wanted(*, is_there: bool) -> None:
    """A visitor asks for a page of a kind that is kept."""
