from django.apps import AppConfig


class ModerationConfig(AppConfig):
    name = "moderation"

    def ready(self) -> None:
        from . import selectors, services  # noqa: F401 - register what others ask for
