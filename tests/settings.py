"""The site's settings on stores of its own: each test process gets a temporary data folder."""

import os
import tempfile

os.environ["SOCIALSITE_ENV_FILE"] = os.devnull
os.environ["SOCIALSITE_DATA_DIR"] = tempfile.mkdtemp(prefix="socialsite-test-")
for name in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "SITE_URL", "ALLOWED_HOSTS", "PORT"):
    os.environ.pop(name, None)

from socialsite.settings import *  # noqa: E402, F403

# Argon2 is slow on purpose; tests that are about it ask for it by name.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
