from taskqueue.task import task

from . import current, store


@task()
def refresh_settings() -> None:
    current.hold(store.refresh())
