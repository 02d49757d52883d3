from django.apps import AppConfig


class UsersConfig(AppConfig):
    name = "users"

    def ready(self) -> None:
        from .pictures import kinds  # noqa: F401 - registers them
