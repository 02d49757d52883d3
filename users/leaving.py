"""What goes with an account. Apps that know of accounts say here what has to be done before."""

from collections.abc import Callable

from .models import User

Leave = Callable[[User], None]

_leaves: list[Leave] = []


def before_leaving(leave: Leave) -> Leave:
    """Register what runs inside the transaction that deletes an account: afterwards SQL can't tell
    any more who it followed, or what it said.
    """
    _leaves.append(leave)
    return leave


def leave(user: User) -> None:
    for each in _leaves:
        each(user)
