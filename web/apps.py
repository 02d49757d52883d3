from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"

    def ready(self) -> None:
        from .sql import beginnings  # noqa: F401 - by being imported
