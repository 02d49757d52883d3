from django.apps import AppConfig


class UpkeepConfig(AppConfig):
    name = "upkeep"

    def ready(self) -> None:
        from . import traces  # noqa: F401 - registers what goes with an account
