"""The site's settings for worker processes that tests start: short leases, more than one queue."""

import os
from typing import Any

from socialsite import settings as site
from socialsite.settings import *  # noqa: F403 - as settings are built upon others

_backend: dict[str, Any] = {
    **site.TASKS["default"],
    "OPTIONS": {"LEASE": float(os.environ["TEST_LEASE"])},
}
_backend["QUEUES"] = [*_backend["QUEUES"], "other"]
TASKS = {"default": _backend}
