"""What Redis holds of tags: which ones a user follows."""

from redistools import keys
from redistools.copies import LoadedSets
from redistools.serving_copy import Scope, each, register
from users.serving_copy import USERS

from . import store
from .models import Tag

TAGS = Scope("tags", Tag.objects.all)


register(
    LoadedSets(
        kind="tags_followed",
        label="followed tags",
        about=USERS,
        names=lambda user: [keys.tags_followed(user.pk)],
        load=each(lambda user: store.ensure(user.pk)),
        in_sql=lambda user: {keys.tags_followed(user.pk): store.in_sql(user.pk)},
    )
)
