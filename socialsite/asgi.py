"""Streams: `gunicorn -k asgi socialsite.asgi`."""

import os

import django

from socialsite.patience import bound_waits

bound_waits()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
django.setup()

from streaming.server.app import application  # noqa: E402 - the apps must be set up first

__all__ = ["application"]
