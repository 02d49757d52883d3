"""Pages: `gunicorn socialsite.wsgi`."""

import os
import sys

from django.core.wsgi import get_wsgi_application

# A thread that holds the write lock must not wait for long until another lets the interpreter go.
sys.setswitchinterval(0.001)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
application = get_wsgi_application()
