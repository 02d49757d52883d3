"""Asking for suggestions."""

from django.utils import timezone

from explore.people import store
from explore.people.reasons import Suggestion
from explore.people.selectors import suggestions
from redistools.client import get_client
from redistools.ids import first_id_at
from redistools.scripts import Batch
from relations.models import Follow
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


def follow_many(follower: User, count: int) -> list[User]:
    """Newcomers. Redis does not know of it: the next reader finds out."""
    name = f"known_to_{follower.username}_"
    people = [User(username=f"{name}{it}", password="!") for it in range(count)]
    insert(people, differing_in=["username"])
    crowd = list(User.objects.filter(username__startswith=name).order_by("pk"))
    first = first_id_at(timezone.now())
    follows = [Follow(id=first + at, follower=follower, followee=it) for at, it in enumerate(crowd)]
    insert(follows, differing_in=["id", "followee_id"])
    return crowd
