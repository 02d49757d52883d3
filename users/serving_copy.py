"""What Redis holds of accounts."""

from collections.abc import Sequence

from redistools import keys
from redistools.copies import Hashes, LoadedSets
from redistools.serving_copy import SITE, Row, Subject, register

from . import store, suspension
from .models import User

USERS = Subject("users", User.objects.all)


class Suspended(LoadedSets):
    """The ids, and the version under which processes keep them."""

    def sets(self, row: Row) -> list[str]:  # noqa: ARG002 - there is one for the site
        return [keys.suspended()]

    def repair(self, row: Row, name: str) -> None:  # noqa: ARG002 - as above
        """The version too, so that processes that keep the wrong ids read them again."""
        self.forget([row])


def _load_users(rows: Sequence[User]) -> None:
    store.refresh_users([user.pk for user in rows])


register(
    Hashes(
        kind="user",
        about=USERS,
        names=lambda user: [keys.user(user.pk)],
        load=_load_users,
        in_sql=lambda rows: [store.fields_of(user) for user in rows],
    )
)

register(
    Suspended(
        kind="suspended",
        label="suspended accounts",
        about=SITE,
        names=lambda _site: [keys.suspended(), keys.suspension_version()],
        load=lambda _site: suspension.read_again(),
        in_sql=lambda _site: {keys.suspended(): suspension.in_sql()},
    )
)
