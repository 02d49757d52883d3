"""What pages ask the apps above for."""

from typing import Any, NamedTuple

from taskqueue.consequences import Event


class StaffPlace(NamedTuple):
    """A place that the navigation leads some of the staff to."""

    address: str
    icon: str
    label: Any
    count: int = 0  # of what waits there


@Event
def places_for_staff(user: Any) -> None:
    """A page for somebody of the staff is made. Returns a StaffPlace; None if they have none."""
