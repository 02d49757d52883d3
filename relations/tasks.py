"""The work that follows a write. Running a task twice changes nothing."""

from django.db import transaction

from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue import start
from taskqueue.consequences import SharedBatch
from taskqueue.task import task
from users.models import User
from users.rows import lock_accounts
from users.store import refresh_users
from web.pages.page_versions import drop_all_pages_now

from . import store
from .blocks_and_mutes import viewpoint
from .events import FollowChange, follow_changed, requests_changed, viewpoints_changed
from .models import FollowRequest
from .rows import begin_follow, follows_too_many

# One link of a chain accepts this many, then queues the next.
LINK_SIZE = 50


@task()
def sync_follow(
    follower_id: int, followee_id: int, removed: int | None = None, *, followers: int = 0
) -> None:
    """Makes Redis agree with SQL. `removed`: the id of a follow that was ended; `followers`: how
    many the followee had right after.
    """
    follow_id = store.refresh_edge(follower_id, followee_id).follow_id
    changed = {it for it in (follow_id, removed) if it is not None}
    batch = SharedBatch(get_client())
    follow_changed(
        FollowChange(
            batch,
            follower_id,
            followee_id,
            follow_id is not None,
            sorted(changed),
            followers_before=followers + (-1 if removed is None else +1),
            followers=followers,
        )
    )
    batch.run()
    batch.finish()


@task()
def forget_follows(pairs: list[tuple[int, int]], user_id: int) -> None:
    batch = Batch(get_client())
    for follower_id, followee_id in pairs:
        store.write_edge(batch, follower_id, followee_id, None)
    batch.run()
    refresh_users({one for pair in pairs for one in pair} - {user_id})
    drop_all_pages_now()


@task()
def sync_viewpoints(user_ids: list[int]) -> None:
    viewpoint.refresh(user_ids)
    batch = Batch(get_client())
    viewpoints_changed(batch, user_ids)
    batch.run()


@task()
def accept_requests(followee_id: int) -> None:
    """For an account that is no longer private, in the order of asking. Stops if it is private
    again.
    """
    waiting = FollowRequest.objects.filter(followee_id=followee_id).order_by("pk")
    askers = list(waiting.values_list("follower_id", flat=True)[:LINK_SIZE])
    if not askers:
        return
    with transaction.atomic():
        accounts = lock_accounts([followee_id, *askers])
        followee = accounts.pop(followee_id, None)
        if followee is None or followee.is_private:
            return
        for request in waiting.filter(follower_id__in=accounts):
            _accept(request, accounts[request.follower_id])
        start.on_commit(accept_requests, followee_id)


def _accept(request: FollowRequest, follower: User) -> None:
    request_id, followee_id = request.pk, request.followee_id
    request.delete()
    requests_changed(followee_id, [request_id])
    if follows_too_many(follower):
        return
    followers = begin_follow(request_id, follower.pk, followee_id)
    if followers is not None:
        start.run_on_commit(sync_follow, follower.pk, followee_id, followers=followers)
