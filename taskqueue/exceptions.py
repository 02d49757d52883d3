from django_tasks import exceptions
from django_tasks.exceptions import TaskException
from redis.exceptions import ConnectionError as RedisConnectionError

# `InvalidTaskError` up to django-tasks 0.12; after that, as in Django 6, `InvalidTask`.
InvalidTask: type[TaskException] = (
    getattr(exceptions, "InvalidTask", None) or exceptions.InvalidTaskError
)


class QueueUnavailable(TaskException, RedisConnectionError):  # noqa: N818 - as django_tasks names its own
    """Redis can't be used: nothing was queued. Who handles an outage of Redis handles this too."""


class PutOff(TaskException):
    """Raised by a task that can't run now: it is tried again later, which is no failure."""


class UnknownTask(TaskException):
    """The queue holds a task that this code does not have."""


class WorkerLost(TaskException):
    """A task whose workers died or lost their leases too often to try it once more."""
