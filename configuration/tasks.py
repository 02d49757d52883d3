from taskqueue.task import task

from . import current, store


@task()
def refresh_settings() -> None:
    store.refresh()
    current.ask_again()
