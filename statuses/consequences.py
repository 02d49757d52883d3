"""What this app itself leaves to tasks, and what it does when an account leaves."""

from taskqueue import start
from users.audience import Reach, reach_of
from users.events import before_leaving, renamed
from users.models import User

from . import tasks
from .publication.events import Edit, Posting, Removal, changed, posted, removed
from .removing.parting import remove_traces


@posted.then
def follow_up(posting: Posting) -> None:
    """Skips most statuses: they answer, name and tag nothing."""
    if posting.status.concerns_others:
        start.with_batch(posting.batch, tasks.follow_up, posting.status.id)


@changed.then
def follow_up_edit(edit: Edit) -> None:
    """Never skipped: an edit may have taken out what a status said."""
    start.with_batch(edit.batch, tasks.follow_up, edit.status.id)


@renamed.then
def name_author(user_id: int) -> None:
    """Runs once for all saves before it begins; a later save queues its own run."""
    start.on_commit(tasks.name_author.using(unique_key=f"names of {user_id}"), user_id)


@removed.then
def remove_belongings(removal: Removal) -> None:
    for status_id in removal.status_ids:
        start.with_batch(removal.batch, tasks.remove_belongings, status_id)


@before_leaving.then
def remove_statuses(user: User) -> None:
    own, counted, answers = remove_traces(user.pk)
    for reach in Reach:
        reached = [pk for pk, it in own.items() if _reach(it, user) == reach]
        start.parts_on_commit(tasks.hide, reached, user.pk, reach)
    start.parts_on_commit(tasks.refresh_counts, counted)
    mentions = user.mentions.values_list("status_id", flat=True)
    start.parts_on_commit(tasks.refresh, sorted({*answers, *mentions}))


def _reach(visibility: int, author: User) -> Reach:
    return reach_of(visibility, is_followers_only=author.is_followers_only)
