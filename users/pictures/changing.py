"""Giving an account other pictures."""

from collections.abc import Mapping

from ..models import User
from . import files, tasks
from .kinds import Kind, new_token
from .making import Picture

Pictures = Mapping[Kind, Picture | None]
"""What changes; None takes the picture off."""


def save_files(user_id: int, pictures: Pictures) -> dict[str, str]:
    """The new value of each column. Outside the transaction: a storage may be slow."""
    return {kind.value: _saved(user_id, kind, picture) for kind, picture in pictures.items()}


def _saved(user_id: int, kind: Kind, picture: Picture | None) -> str:
    if picture is None:
        return ""
    token = new_token()
    tasks.remove_if_abandoned(user_id, kind, token)
    files.save(picture, token)
    return token


def forget_former(before: User, columns: Mapping[str, str]) -> None:
    """In the transaction that changes the columns; `before` is the locked row."""
    for column, token in columns.items():
        former = getattr(before, column)
        if former and former != token:
            remove = tasks.remove_replaced if token else tasks.remove_taken_off
            remove(before.pk, Kind(column), former)
