"""What goes with an account. Other apps register here what they do before it is deleted."""

from collections.abc import Callable

from .models import User

Leave = Callable[[User], None]

_leaves: list[Leave] = []


def before_leaving(leave: Leave) -> Leave:
    """Register what runs inside the transaction that deletes an account: afterwards SQL no longer
    knows whom it followed, or what it said.
    """
    _leaves.append(leave)
    return leave


def leave(user: User) -> None:
    for each in _leaves:
        each(user)
