from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue.task import task

from . import store
from .events import tag_follow_changed
from .models import Tag


@task()
def sync_tag(user_id: int, tag_id: int) -> None:
    follows = store.refresh(user_id, tag_id)
    batch = Batch(get_client())
    for tag in Tag.objects.filter(pk=tag_id):
        tag_follow_changed(batch, user_id, tag.name, follows=follows)
    batch.run()
