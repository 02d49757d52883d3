"""What Redis holds of statuses: a hash each, and every author's timeline."""

from collections.abc import Sequence

from redistools import keys, loaded_set
from redistools.copies import Hashes, LoadedSets
from redistools.serving_copy import Subject, register
from users.models import User
from users.serving_copy import USERS

from . import services, store
from .models import Status, StatusQuerySet


def _rows() -> StatusQuerySet:
    return Status.objects.select_related("author")


STATUSES = Subject("statuses", _rows, title=lambda it: f"status {it.pk}", at_once=200)


class StatusHashes(Hashes):
    def remove(self, name: str) -> None:
        """The deletion was lost: repeat it, everywhere."""
        status_id = keys.number(name)
        author_id = store.author_of(status_id)
        if author_id is not None:
            services.retract_deleted(status_id=status_id, author_id=author_id)
        super().remove(name)


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
        in_sql=lambda rows: [stored.fields() for stored in store.render(rows)],
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
