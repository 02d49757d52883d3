"""What the index of posts hears of at once; new posts are found by a periodic task. And when people
are offered at another place, or no longer: at once, but for new followers. And what interests
them.
"""

from collections.abc import Collection

from redistools.scripts import Batch
from relations.events import FollowChange, follow_changed
from statuses.publication.events import Edit, Removal, changed, removed
from statuses.stored import StoredStatus
from tags.events import interests_changed
from taskqueue import start
from timelines.events import tags_changed
from users.audience import Visibility
from users.events import before_leaving, findability_changed, names_changed, standing_changed
from users.models import User

from . import tasks
from .completion import tag_uses
from .completion.ranking import level


@changed.then
def index_again(edit: Edit) -> None:
    if _may_be_indexed(edit.status):
        start.with_batch(edit.batch, tasks.index, [edit.status.id])


@removed.then
def remove_from_index(removal: Removal) -> None:
    known = removal.known
    ids = [it for it in removal.status_ids if it not in known or _may_be_indexed(known[it])]
    if ids:
        start.with_batch(removal.batch, tasks.index, ids)


@findability_changed.then
def index_author(user_id: int) -> None:
    start.on_commit(tasks.index_author, user_id)
    start.on_commit(tasks.count_tags_of, user_id)


def _may_be_indexed(status: StoredStatus) -> bool:
    return status.visibility == Visibility.PUBLIC and status.boost_of is None


@names_changed.then
def place_by_names(user_id: int, former: list[str]) -> None:
    start.run_on_commit(tasks.place, user_id, former)


@standing_changed.then
def place_by_standing(user_id: int) -> None:
    start.run_on_commit(tasks.place, user_id)
    start.on_commit(tasks.count_tags_of, user_id)


@follow_changed.then
def place_by_followers(change: FollowChange) -> None:
    if level(change.followers) != level(change.followers_before):
        start.with_batch(change.batch, tasks.place, change.followee_id)


@tags_changed.then
def note_tags(batch: Batch, tag_ids: Collection[int]) -> None:
    tag_uses.note(batch, tag_ids)


@before_leaving.then
def take_out(user: User) -> None:
    """Those whom they follow have one follower less by now."""
    words = user.name_words.values_list("word", flat=True)
    start.run_on_commit(tasks.place, user.pk, list(words))
    followees = User.objects.filter(follows_got__follower=user)
    counts = followees.values_list("pk", "followers_count")
    start.parts_on_commit(tasks.place_all, [pk for pk, n in counts if level(n) != level(n + 1)])


@interests_changed.then
def place_by_interests(user_id: int, terms: list[int | str]) -> None:
    start.run_on_commit(tasks.place_interests, user_id, terms)


@before_leaving.then
def take_out_of_interests(user: User) -> None:
    tags = user.interests.values_list("tag_id", flat=True)
    codes = user.spoken_languages.values_list("code", flat=True)
    terms: list[int | str] = [*tags, *codes]
    if terms:
        start.run_on_commit(tasks.place_interests, user.pk, terms)
