from collections.abc import Mapping

from pictures import tasks
from pictures.kinds import PictureKind, new_token
from pictures.making import Picture

from ..models import User
from .kinds import PICTURES

Pictures = Mapping[PictureKind, Picture | None]  # what changes; None takes the picture off


def save_files(user_id: int, pictures: Pictures) -> dict[str, str]:
    """The new value of each column. Outside the transaction: a storage may be slow."""
    return {kind.column: _saved(user_id, kind, picture) for kind, picture in pictures.items()}


def _saved(user_id: int, kind: PictureKind, picture: Picture | None) -> str:
    if picture is None:
        return ""
    token = new_token()
    tasks.remove_if_abandoned(user_id, kind, token)
    picture.save(token)
    return token


def forget_former(before: User, columns: Mapping[str, str]) -> None:
    """In the transaction that changes the columns; `before` is the locked row."""
    for kind in PICTURES:
        former, token = getattr(before, kind.column), columns.get(kind.column)
        if former and token is not None and former != token:
            remove = tasks.remove_replaced if token else tasks.remove_taken_off
            remove(before.pk, kind, former)


def remove_all(user: User) -> None:
    for row in User.objects.select_for_update().filter(pk=user.pk):
        for kind in PICTURES:
            if token := getattr(row, kind.column):
                tasks.remove_taken_off(row.pk, kind, token)
