"""Streams: `gunicorn -k asgi socialsite.asgi`."""

import os

from socialsite.loading import without_collections

with without_collections():
    import django

    from socialsite.patience import bound_waits

    bound_waits()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
    django.setup()

    # The apps must be set up first.
    from insight.recording import sending
    from streaming.asked import live_pages
    from streaming.server.app import application
    from taskqueue.consequences import discover

    # At once: the event loop has no time for it.
    discover()
    live_pages.discover()
    sending.start(speaker="stream")

__all__ = ["application"]
