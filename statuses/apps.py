from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class StatusesConfig(AppConfig):
    name = "statuses"

    def ready(self) -> None:
        autodiscover_modules("status_parts")
