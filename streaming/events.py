"""What happens to clients, and who is told: see `taskqueue/consequences.py`.

Within the event loop: nothing here may wait.
"""

from taskqueue.consequences import Event


@Event
def clients_counted(count: int) -> None:
    """How many streams are open in this process; every second."""


@Event
def cut_off() -> None:
    """A client read too slowly."""
