"""What Redis holds of follows."""

from collections.abc import Sequence

from django.conf import settings

from redistools import keys
from redistools.copies import LoadedSets, Strings
from redistools.serving_copy import each, register
from users.models import User
from users.serving_copy import USERS

from . import store
from .blocks_and_mutes import viewpoint


def _load_followers(rows: Sequence[User]) -> None:
    """Leaves users without followers to the next reader, who finds that out."""
    for user in rows:
        if user.followers_count:
            store.ensure_followers(user.pk)


register(
    LoadedSets(
        kind="following",
        about=USERS,
        names=lambda user: [keys.following(user.pk)],
        load=each(lambda user: store.ensure_following(user.pk)),
        in_sql=lambda user: {keys.following(user.pk): store.following_in_sql(user.pk)},
    )
)

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
    )
)
