"""The least that the task queue needs."""

import os

SECRET_KEY = "only for these tests"
USE_TZ = True
INSTALLED_APPS = ["django_tasks", "redistools", "taskqueue", "tests.taskqueue.alone"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
REDIS_URL = os.environ["REDIS_URL"]
TASKS = {
    "default": {
        "BACKEND": "taskqueue.backend.RedisBackend",
        "QUEUES": ["default", "mail", "post", "hourly"],
    },
    "on_commit": {"BACKEND": "taskqueue.backend.RedisBackend", "ENQUEUE_ON_COMMIT": True},
}
