from django.apps import AppConfig


class TaskQueueConfig(AppConfig):
    name = "taskqueue"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Task queue"
