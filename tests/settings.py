"""The site's settings with separate stores: each test process gets a temporary data folder."""

import os
import tempfile

os.environ["SOCIALSITE_ENV_FILE"] = os.devnull
os.environ["SOCIALSITE_DATA_DIR"] = tempfile.mkdtemp(prefix="socialsite-test-")
# Each httpx client would read the certificates of the world, which takes longer than most of what
# is asked. Tests ask their own servers, over plain HTTP.
os.environ["SSL_CERT_DIR"] = os.environ["SOCIALSITE_DATA_DIR"]
os.environ.pop("SSL_CERT_FILE", None)
_FROM_OUTSIDE = "DATABASE_URL REDIS_URL SECRET_KEY SITE_URL STREAM_URL ALLOWED_HOSTS PORT"
for name in _FROM_OUTSIDE.split():
    os.environ.pop(name, None)

# Imported late: they read the environment. The tests use all of them, except those below.
from socialsite import env  # noqa: E402
from socialsite import settings as site  # noqa: E402
from socialsite.settings import *  # noqa: E402, F403
from tests import cluster, postgres  # noqa: E402 - after the environment is set

# A file, not memory as Django prefers: threads race for it as the site's processes do. It need
# not outlive a power cut, so no commit waits for the disk.
site.SQLITE["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"
DATABASES = {"default": site.SQLITE | {"TEST": {"NAME": site.DATA_DIR / "test.sqlite3"}}}
if postgres.is_wanted():
    _postgres = env.database("DATABASE_URL", postgres.url_of("site"), sqlite=site.SQLITE)
    DATABASES = {"default": _postgres | {"TEST": {"NAME": "test"}}}
if cluster.is_wanted():
    REDIS_URL = cluster.url()
# Each post, deletion and tag sends a script to every partition: tests of sixteen ask for sixteen.
PARTITIONS = 4
# Tests of the window turn it on.
SEARCH_WINDOW = 0
# So do those of what is measured: it would be sent in between what others count.
INSIGHT = False
# Argon2 is slow on purpose; tests that are about it ask for it by name.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "exports": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# WhiteNoise warns of a folder that is not there yet.
site.STATIC_ROOT.mkdir()
