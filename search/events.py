"""What happens to saved searches, and who is told: see `taskqueue/consequences.py`."""

from collections.abc import Collection

from taskqueue.consequences import Event


@Event
def found_for_searches(searches: Collection[tuple[int, int]]) -> None:
    """Something new for saved searches that notify, or they are gone: accounts and ids. Inside the
    transaction.
    """
