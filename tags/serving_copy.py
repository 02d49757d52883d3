"""What Redis holds of tags: which ones a user follows."""

from collections.abc import Sequence

from redistools import keys
from redistools.copies import LoadedSets
from redistools.serving_copy import Scope, register
from users.models import User
from users.serving_copy import USERS

from . import store
from .models import Tag

TAGS = Scope("tags", Tag.objects.all)


def _load(rows: Sequence[User]) -> None:
    for user in rows:
        store.ensure(user.pk)


register(
    LoadedSets(
        kind="tags_followed",
        label="followed tags",
        about=USERS,
        names=lambda user: [keys.tags_followed(user.pk)],
        load=_load,
        in_sql=lambda user: {keys.tags_followed(user.pk): store.in_sql(user.pk)},
    )
)
