from django.apps import AppConfig


class ModerationConfig(AppConfig):
    name = "moderation"

    def ready(self) -> None:
        from . import services  # noqa: F401 - registers the note of a moderator's deletion
