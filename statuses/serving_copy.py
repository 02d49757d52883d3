"""What Redis holds of statuses: a hash each, and every author's timeline."""

from collections.abc import Sequence
from functools import partial

from redistools import keys, loaded_set
from redistools.copies import Hashes, LoadedSets
from redistools.loaded_set import Loaded
from redistools.serving_copy import Scope, register
from users.models import User
from users.serving_copy import USERS

from . import services, store
from .models import Status, StatusQuerySet
from .reactions import store as reaction_store
from .reactions.counts import counts_of
from .reactions.rows import REACTIONS, Reaction


def _rows() -> StatusQuerySet:
    return Status.objects.with_names()


STATUSES = Scope("statuses", _rows, title=lambda it: f"status {it.pk}", at_once=200)


class StatusHashes(Hashes):
    def remove(self, name: str) -> None:
        """Repeats the lost deletion, everywhere."""
        status_id = keys.number(name)
        author_id = store.author_of(status_id)
        if author_id is not None:
            services.retract_deleted(status_id=status_id, author_id=author_id)
        super().remove(name)


def _fields_in_sql(rows: Sequence[Status]) -> list[dict[str, str]]:
    return [
        stored.fields() | counts_of(row).fields()
        for row, stored in zip(rows, store.render(rows), strict=True)
    ]


def _load_hashes(rows: Sequence[Status]) -> None:
    store.refresh_statuses([status.pk for status in rows])


def _load_profiles(rows: Sequence[User]) -> None:
    store.ensure_profiles([user.pk for user in rows])


register(
    StatusHashes(
        kind="status",
        about=STATUSES,
        names=lambda status: [keys.status(status.pk)],
        load=_load_hashes,
        in_sql=_fields_in_sql,
    )
)

register(
    LoadedSets(
        kind="profile",
        about=USERS,
        names=lambda user: [keys.profile(user.pk)],
        load=_load_profiles,
        in_sql=lambda user: {
            keys.profile(user.pk): store.profile_in_sql(
                user.pk, limit=loaded_set.most(store.PROFILE_SIZE)
            )
        },
        harmless=store.without_trace,
    )
)


register(
    LoadedSets(
        kind="posts",
        about=USERS,
        names=lambda user: [keys.posts(user.pk)],
        load=lambda rows: store.ensure_posts([user.pk for user in rows]),
        in_sql=lambda user: {
            keys.posts(user.pk): store.posts_in_sql(
                user.pk, limit=loaded_set.most(store.PROFILE_SIZE)
            )
        },
        harmless=store.without_trace,
    )
)


def _load_reactions(reaction: Reaction, rows: Sequence[User]) -> None:
    for user in rows:
        reaction_store.ensure(keys.reactions(reaction, user.pk), user.pk)


def _reactions_in_sql(reaction: Reaction, user: User) -> dict[str, Loaded]:
    most = loaded_set.most(reaction_store.REACTIONS_KEPT)
    return {keys.reactions(reaction, user.pk): reaction_store.in_sql(reaction, user.pk, limit=most)}


def _reaction_keys(reaction: Reaction, user: User) -> list[str]:
    return [keys.reactions(reaction, user.pk)]


for _reaction in REACTIONS:
    register(
        LoadedSets(
            kind=f"{_reaction}s",
            about=USERS,
            names=partial(_reaction_keys, _reaction),
            load=partial(_load_reactions, _reaction),
            in_sql=partial(_reactions_in_sql, _reaction),
            # What belonged to a deleted status is removed bit by bit.
            harmless=store.without_trace,
        )
    )
