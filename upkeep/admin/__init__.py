"""Looking after a site in the admin: failed tasks, and what Redis holds."""

from . import failed_tasks, redis_pages

__all__ = ["failed_tasks", "redis_pages"]
