"""Pages: `gunicorn socialsite.wsgi`."""

import os
import sys

from socialsite.loading import without_collections

with without_collections():
    from django.core.wsgi import get_wsgi_application

    from socialsite.patience import bound_waits

    # A thread that holds the write lock must not wait long for another to release the interpreter.
    sys.setswitchinterval(0.001)
    bound_waits()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
    application = get_wsgi_application()

    # The apps must be set up first.
    from insight.recording import sending

    sending.start(speaker="web")
