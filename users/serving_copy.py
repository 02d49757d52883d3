from collections.abc import Collection, Iterator, Sequence
from functools import partial

from redistools import keys
from redistools.copies import Hashes, LoadedSets, Strings
from redistools.serving_copy import SITE, Difference, Row, Scope, Store, each, register

from . import store
from .login import session_rows
from .models import Session, User
from .names import index as name_index
from .standing import suspension

USERS = Scope("users", User.objects.all)
SESSIONS = Scope("sessions", Session.objects.all)


class Suspended(LoadedSets):
    def sets(self, row: Row) -> list[str]:  # noqa: ARG002 - there is one for the site
        return [keys.suspended()]

    def repair(self, row: Row, name: str) -> None:  # noqa: ARG002 - as above
        """The version too, so that processes that keep the wrong ids read them again."""
        self.forget([row])


class Sessions(Strings):
    def strays(self, found: Collection[str]) -> Iterator[Difference]:
        """Ended sessions. Their names end in a digest, not in the number of a row."""
        digests = {name.rpartition(":")[2]: name for name in found}
        living = Session.objects.filter(digest__in=digests).values_list("digest", flat=True)
        for digest in sorted(digests.keys() - set(living)):
            name = digests[digest]
            yield Difference(f"{name} belongs to nothing in SQL", partial(self.remove, name))


class NameWords(Store):
    """The words that people are found by: in SQL, but still copies, of their names."""

    def differences(self, rows: Sequence[User]) -> Iterator[Difference]:
        for user in name_index.wrong_among(rows):
            yield Difference(f"{self.title(user)} differ", partial(name_index.write, [user]))

    def rebuild(self, rows: Sequence[User], *, also_unread: bool) -> None:  # noqa: ARG002 - SQL
        name_index.write(rows)


register(
    Hashes(
        kind="user",
        about=USERS,
        names=lambda user: [keys.user(user.pk)],
        load=lambda rows: store.refresh_users([user.pk for user in rows]),
        in_sql=lambda rows: [store.fields_of(user) for user in rows],
        is_shown=True,
    ),
    NameWords(
        kind="name_words",
        label="words of the name",
        about=USERS,
        names=lambda _user: [],
        load=lambda _rows: None,
    ),
    Suspended(
        kind="suspended",
        label="suspended accounts",
        about=SITE,
        names=lambda _site: [keys.suspended(), keys.suspension_version()],
        load=lambda _site: suspension.read_again(),
        in_sql=lambda _site: {keys.suspended(): suspension.in_sql()},
    ),
    Sessions(
        kind="session",
        about=SESSIONS,
        names=lambda session: [keys.session(session.digest)],
        load=each(lambda it: session_rows.copy(it.digest)),
        in_sql=lambda rows: [session.data for session in rows],
        on_demand=True,
    ),
)
