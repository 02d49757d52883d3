"""What Redis holds of statuses: a hash each, and every author's timeline."""

from collections.abc import Sequence
from functools import partial

from redistools import keys
from redistools.copies import Hashes, SetRow, register_sets
from redistools.serving_copy import Scope, register
from users.serving_copy import USERS

from . import services, store
from .models import Status, StatusQuerySet
from .reactions import store as reaction_store
from .reactions.counts import counts_of
from .reactions.rows import REACTIONS


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


register(
    StatusHashes(
        kind="status",
        about=STATUSES,
        names=lambda status: [keys.status(status.pk)],
        load=lambda rows: store.refresh_statuses([status.pk for status in rows]),
        in_sql=_fields_in_sql,
        is_shown=True,
    )
)

register_sets(
    USERS,
    SetRow("profile", keys.profile, store.profile_in_sql, store.PROFILE_SIZE),
    SetRow("posts", keys.posts, store.posts_in_sql, store.PROFILE_SIZE),
    harmless=store.without_trace,  # what belonged to a deleted status is removed bit by bit
    is_shown=True,
)
register_sets(
    USERS,
    *(
        SetRow(
            *(f"{it}s", partial(keys.reactions, it), partial(reaction_store.in_sql, it)),
            cap=reaction_store.REACTIONS_KEPT,
        )
        for it in REACTIONS
    ),
    harmless=store.without_trace,  # what belonged to a deleted status is removed bit by bit
)
