"""Asking for suggestions."""

from collections.abc import Sequence

from explore.people import store
from explore.people.reasons import Suggestion
from explore.people.selectors import suggestions
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from relations.models import Follow, follow_ids
from tests.copies import insert
from users.models import User
from users.tasks import refresh_user


def names(viewer: User | None, *languages: str) -> list[str]:
    return [it.person.username for it in suggestions(viewer, limit=20, languages=languages)]


def reasons(viewer: User | None, *languages: str) -> dict[str, tuple[str, str]]:
    found = suggestions(viewer, limit=20, languages=languages)
    return {it.person.username: (it.reason.kind, it.reason.about) for it in found}


def suggestion_of(person: User, viewer: User) -> Suggestion | None:
    found = {it.person.id: it for it in suggestions(viewer, limit=20)}
    return found.get(person.pk)


def set_private(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_private=True)
    refresh_user.call(user.pk)
    user.refresh_from_db()


def make_due(user: User) -> None:
    batch = Batch(get_client())
    store.make_due(batch, user.pk, patience=0)
    batch.run()


def make_crowd(count: int) -> list[User]:
    people = [User(id=10_000 + it, username=f"face{it}", password="!") for it in range(count)]
    insert(people, differing_in=["id", "username"])
    return people


def follow_many(follower: User, people: Sequence[User]) -> None:
    """Redis does not know of it: the next reader finds out."""
    first = follow_ids.next(get_client()) + follower.pk * 10_000
    rows = [Follow(id=first + at, follower=follower, followee=it) for at, it in enumerate(people)]
    insert(rows, differing_in=["id", "followee_id"])
    get_client().delete(keys.following(follower.pk))
