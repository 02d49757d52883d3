from django.apps import AppConfig


class RedisToolsConfig(AppConfig):
    name = "redistools"
