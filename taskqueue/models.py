from django.db import models
from django.utils import timezone

from .store import Message
from .task import LONGEST_UNIQUE_KEY


class OutboxEntry(models.Model):
    """A task that waits for its transaction to commit, and then to reach the queue."""

    id = models.UUIDField(primary_key=True, editable=False)
    backend = models.CharField(max_length=100)
    queue_name = models.CharField(max_length=100)
    body = models.TextField()
    priority = models.SmallIntegerField(default=0)
    run_after = models.DateTimeField(null=True, blank=True)
    unique_key = models.CharField(max_length=LONGEST_UNIQUE_KEY, blank=True)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        verbose_name_plural = "outbox entries"

    def __str__(self) -> str:
        return f"{self.id.hex} for {self.queue_name}"

    def as_message(self) -> Message:
        options = (self.priority, self.run_after, self.unique_key)
        return Message(self.id.hex, self.queue_name, self.body, *options)


class RedisMemory(models.Model):
    """What Redis was recognised by when it was last seen; one row (`taskqueue.recovery.watch`)."""

    servers = models.TextField(blank=True)
    mark = models.CharField(max_length=32, blank=True)
    # When it was last noticed that Redis is not the one it was.
    lost_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "memories of Redis"

    def __str__(self) -> str:
        return f"Redis {self.mark}"


class DoneOnce(models.Model):
    """Something that a task did and must not do again (`taskqueue.once`)."""

    task_id = models.CharField(max_length=100)
    what = models.CharField(max_length=100)
    done_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        verbose_name_plural = "things done once"
        constraints = [models.UniqueConstraint(fields=["task_id", "what"], name="done_once")]

    def __str__(self) -> str:
        return f"{self.what} of {self.task_id}"


class FailedTask(models.Model):
    """Gives failed tasks, which are in Redis, permissions and a place in the admin's menu."""

    id = models.CharField(primary_key=True, max_length=400)  # `<queue>:<task id>`

    class Meta:
        managed = False
        default_permissions = ("view", "change", "delete")

    def __str__(self) -> str:
        return self.id
