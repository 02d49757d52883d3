from taskqueue.task import task

from . import current


@task()
def refresh_settings() -> None:
    current.refresh()
