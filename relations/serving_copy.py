"""What Redis holds of follows."""

from collections.abc import Sequence

from django.conf import settings

from redistools import keys
from redistools.copies import LoadedSets, SetRow, Strings, register_sets
from redistools.serving_copy import register
from users.models import User
from users.serving_copy import USERS

from . import store
from .blocks_and_mutes import viewpoint


def _load_followers(rows: Sequence[User]) -> None:
    """Leaves users without followers to the next reader, who finds that out."""
    for user in rows:
        if user.followers_count:
            store.ensure_followers(user.pk)


register_sets(USERS, SetRow("following", keys.following, store.following_in_sql), is_shown=True)

register(
    Strings(
        kind="viewpoint",
        about=USERS,
        names=lambda user: [keys.viewpoint(user.pk)],
        load=lambda rows: viewpoint.refresh([user.pk for user in rows]),
        in_sql=lambda rows: [viewpoint.in_sql(user.pk) for user in rows],
    )
)

register(
    LoadedSets(
        kind="followers",
        about=USERS,
        names=lambda user: [keys.followers(q, user.pk) for q in range(settings.PARTITIONS)],
        load=_load_followers,
        in_sql=lambda user: store.followers_in_sql(user.pk),
        is_shown=True,
    )
)
