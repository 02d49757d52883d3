"""What happens to tasks and workers, and who is told: see `consequences.py`."""

from typing import Literal

from .consequences import Event

Ending = Literal["done", "again", "failed"]


@Event
def task_ended(path: str, ending: Ending, seconds: float) -> None:
    """An attempt at a task, in the process that made it."""


@Event
def worker_began() -> None:
    """This process runs tasks from now on."""


@Event
def worker_ended() -> None:
    """It runs none any more, and is about to end."""
