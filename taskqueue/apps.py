from django.apps import AppConfig


class TaskQueueConfig(AppConfig):
    name = "taskqueue"
    verbose_name = "Task queue"
