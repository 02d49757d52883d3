"""What Redis holds of tags: which ones a user follows."""

from redistools import keys
from redistools.copies import SetRow, register_sets
from redistools.serving_copy import Scope
from users.serving_copy import USERS

from . import store
from .models import Tag

TAGS = Scope("tags", Tag.objects.all)

register_sets(
    USERS, SetRow("tags_followed", keys.tags_followed, store.in_sql), label="followed tags"
)
