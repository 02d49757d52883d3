"""The site's settings for worker processes that tests start: short leases, more than one queue."""

import os
from typing import Any

from socialsite.settings import *  # noqa: F403

_backend: dict[str, Any] = {
    "BACKEND": "taskqueue.backend.RedisBackend",
    "QUEUES": ["default", "other"],
    "OPTIONS": {"LEASE": float(os.environ["TEST_LEASE"])},
}
TASKS = {"default": _backend}
