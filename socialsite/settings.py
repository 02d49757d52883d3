"""For laptop and production: what differs comes from the environment (`docs/settings.md`)."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from dotenv import load_dotenv

from configuration.accent import check_accent
from redistools.servers.redis_url import parse_url
from web.body_limits import LONGEST_BODY, LONGEST_UPLOAD

from . import env
from .private_folder import kept_secret_key, make_private

BASE_DIR = Path(__file__).resolve().parent.parent
load_dotenv(os.environ.get("SOCIALSITE_ENV_FILE") or BASE_DIR / ".env")

# The site ---------------------------------------------------------------------------------

# Where such a variable is not set (None), what was chosen in the admin holds (`configuration/`).
SITE_NAME = env.optional_text("SITE_NAME")
# The color of buttons and links.
ACCENT_COLOR = env.validated("ACCENT_COLOR", "", check_accent) or None
HOST = env.text("HOST", "127.0.0.1")
PORT = env.integer("PORT", 8000, maximum=65535)
STREAM_PORT = env.integer("STREAM_PORT", 8001, maximum=65535)
WEB_WORKERS = env.integer("WEB_WORKERS", min(max(2, env.cores()), 256), maximum=256)
WEB_THREADS = env.integer("WEB_THREADS", 3, maximum=256)
DATA_DIR = env.folder("SOCIALSITE_DATA_DIR", BASE_DIR / "var")
make_private(DATA_DIR)
DEBUG = env.boolean("DEBUG", False)
if DEBUG and not env.is_loopback(HOST):
    raise ImproperlyConfigured(
        f"DEBUG=1 shows code and settings to every visitor: set HOST to 127.0.0.1, got {HOST!r}"
    )

SITE_URL = env.web_address("SITE_URL", f"http://localhost:{PORT}")
HTTPS = SITE_URL.startswith("https://")
_site_host = urlsplit(SITE_URL).hostname or "localhost"
LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", list(dict.fromkeys([*LOOPBACK_HOSTS, _site_host])))
CSRF_TRUSTED_ORIGINS = [SITE_URL] if HTTPS else []
# How many reverse proxies stand in front and append to X-Forwarded-For.
TRUSTED_PROXIES = env.integer("TRUSTED_PROXIES", 0, minimum=0, maximum=10)
# Where they are: only from there do we believe X-Forwarded-For, and gunicorn X-Forwarded-Proto.
PROXY_NETWORKS = env.networks("FORWARDED_ALLOW_IPS", ["127.0.0.1", "::1"])

# Safety -----------------------------------------------------------------------------------

SECRET_KEY = env.optional_text("SECRET_KEY") or kept_secret_key(DATA_DIR)
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^metrics$"]
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
# Of the cookies that we set ourselves.
OWN_COOKIES: dict[str, Any] = {"secure": HTTPS, "httponly": True, "samesite": "Lax"}
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DEFAULT_EXCEPTION_REPORTER = "socialsite.error_pages.BlottingReporter"
CSRF_FAILURE_VIEW = "socialsite.views.csrf_failure"
DATA_UPLOAD_MAX_MEMORY_SIZE = LONGEST_BODY
# Files too, where a page takes them: they are in memory already, as part of the request.
FILE_UPLOAD_MAX_MEMORY_SIZE = LONGEST_UPLOAD
FILE_UPLOAD_HANDLERS = [
    "web.uploads.FewParts",
    "web.uploads.RefusedFiles",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
]
if not HTTPS and set(ALLOWED_HOSTS) <= set(LOOPBACK_HOSTS):
    # Nobody else can reach a site on loopback; HTTPS there would only break `make run`.
    # With any other host these checks apply again.
    SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008", "security.W012", "security.W016"]

# Apps -------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "redistools",
    "taskqueue",
    "configuration",
    "web",
    "pictures",
    "users",
    "staff",
    "access",
    "relations",
    "tags",
    "statuses",
    "streaming",
    "lists",
    "timelines",
    "explore",
    "search",
    "welcome",
    "about",
    "notifications",
    "chats",
    "moderation",
    "insight",
    "sharing",
    "upkeep",
    "backup",
    "demo",
    "socialsite",
    "processes",
    "django_htmx",
    "django_tasks",
    "oauth2_provider",
    "staff.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    # Outermost: it measures what all others do.
    "insight.recording.middleware.measured",
    "web.middleware.no_body_for_head",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "web.pages.compression.compressed",
    "web.middleware.content_security_policy",
    "web.middleware.private_pages",
    "web.middleware.known_methods",
    "web.client_address.remember_request",
    "web.middleware.in_language_of_reader",
    "web.uploads.bounded_body",
    # Before sessions, which it has no use for. What chooses the language stands above it.
    "web.pages.kept_pages.kept_pages",
    "web.pages.replica_pages.replica_pages",
    "users.login.sessions.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "users.login.middleware.in_language_of_account",
    "web.pages.maintenance.ClosedForMaintenance",
    "web.refusals.AnswerRefusals",
    "users.login.middleware.LogOutTheGone",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "web.middleware.page_for_wrong_methods",
    "web.sql.deadlocks.AgainAfterDeadlock",
]
ROOT_URLCONF = "socialsite.urls"
WSGI_APPLICATION = "socialsite.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        ("web.template_loader.Loader", [BASE_DIR / "templates"]),
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "web.context_processors.site",
                "users.login.middleware.appearance",
            ],
        },
    },
]

# The record: SQL ----------------------------------------------------------------------------

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASE_URL = env.optional_text("DATABASE_URL")
SQLITE: dict[str, Any] = {
    "ENGINE": "socialsite.sqlite",
    "NAME": DATA_DIR / "socialsite.sqlite3",
    # Opening the file and setting its pragmas cost more than the one query of a page.
    "CONN_MAX_AGE": 60,
    "OPTIONS": {
        # Writers queue at BEGIN instead of failing halfway when two upgrade at once.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # Readers never wait for the writer (WAL); a commit is on disk before it is answered (FULL).
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY; "
            "PRAGMA mmap_size=134217728; PRAGMA cache_size=-32000; "
            "PRAGMA journal_size_limit=67108864"
        ),
    },
}
DATABASES = {"default": env.database("DATABASE_URL", DATABASE_URL, sqlite=SQLITE)}

# The serving copy: Redis --------------------------------------------------------------------

REDIS_SOCKET = DATA_DIR / "redis" / "redis.sock"
EMBEDDED_REDIS = env.optional_text("REDIS_URL") is None
REDIS_URL = env.validated("REDIS_URL", f"unix://{REDIS_SOCKET}", parse_url)
REDIS_SERVER = env.text("REDIS_SERVER", "")
REDIS_KEY_PREFIX = env.text("REDIS_KEY_PREFIX", "")
REDIS_MAX_CONNECTIONS = env.integer("REDIS_MAX_CONNECTIONS", 256, minimum=2, maximum=10_000)
REDIS_READ_FROM_REPLICAS = env.optional_boolean("REDIS_READ_FROM_REPLICAS")
PARTITIONS = env.integer("PARTITIONS", 16, maximum=4096)
CACHES = {
    "default": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_FUNCTION": "redistools.keys.cache_entry",
        "OPTIONS": {
            "CONNECTION_FACTORY": "redistools.cache.ConnectionFactory",
            "CLIENT_CLASS": "redistools.cache.CacheClient",
            # Not pickle, the default: anybody who can write to Redis could run code here.
            "SERIALIZER": "django_redis.serializers.json.JSONSerializer",
        },
    }
}
# Read from Redis, but kept in SQL too: a Redis that loses its memory logs nobody out.
SESSION_ENGINE = "users.login.sessions"
SESSION_COOKIE_AGE = 30 * 24 * 3600
MESSAGE_STORAGE = "django.contrib.messages.storage.fallback.FallbackStorage"
# Over how many slots of a Redis Cluster each task queue is spread.
QUEUE_SHARDS = env.integer("QUEUE_SHARDS", 1, maximum=64)
TASKS = {
    "default": {
        "BACKEND": "taskqueue.backend.RedisBackend",
        "QUEUES": ["default", "fan_out"],
        # Nobody asks for results. For a moment the queue knows what is done, should it come twice.
        "OPTIONS": {"SHARDS": QUEUE_SHARDS, "RESULT_TTL": 10},
    }
}

# What people read about the site ------------------------------------------------------------

# Where people reach those who run the site.
CONTACT_EMAIL = env.optional_text("CONTACT_EMAIL")
# A text file with the rules of the site.
RULES_FILE = env.validated("RULES_FILE", "", env.readable_text) or None

# Accounts -----------------------------------------------------------------------------------

AUTH_USER_MODEL = "users.User"
AUTHENTICATION_BACKENDS = ["users.login.backends.AccountBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
_validation = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": f"{_validation}.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ["username", "name", "email"]},
    },
    {"NAME": "users.login.passwords.LengthValidator"},
    {"NAME": "users.login.passwords.NamesValidator"},
    {"NAME": "users.login.passwords.GuessableValidator"},
    {"NAME": f"{_validation}.NumericPasswordValidator"},
]
PASSWORD_RESET_TIMEOUT = 24 * 3600
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
# Successful sign-ups an hour from one address.
SIGNUPS_PER_HOUR = env.optional_integer("SIGNUPS_PER_HOUR", maximum=1_000_000)
# Until they have set up a second factor, staff are members like any other.
STAFF_NEEDS_TWO_FACTOR = env.boolean("STAFF_NEEDS_TWO_FACTOR", False)
POSTING_NEEDS_CONFIRMED_EMAIL = env.boolean("POSTING_NEEDS_CONFIRMED_EMAIL", False)
# How long somebody who asked to be deleted can still change their mind; 0: not at all.
DELETION_GRACE_DAYS = env.integer("DELETION_GRACE_DAYS", 14, minimum=0, maximum=365)
# The files of exports, until their owners have fetched them. Hosts that share a site share it.
EXPORTS_DIR = env.folder("EXPORTS_DIR", DATA_DIR / "exports")

# Pictures of accounts: where their files are, and where browsers find them. `MEDIA_STORAGE` names
# another storage than the folder, with its options as JSON.
MEDIA_ROOT = env.folder("MEDIA_ROOT", DATA_DIR / "media")
MEDIA_URL = env.base_address("MEDIA_URL", "/media/")
# Where that folder lets it in, a web server may read them.
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o755
MEDIA_STORAGE = {
    "BACKEND": env.text("MEDIA_STORAGE", "django.core.files.storage.FileSystemStorage"),
    "OPTIONS": env.options("MEDIA_STORAGE_OPTIONS"),
}

# Statuses -----------------------------------------------------------------------------------

# For how long authors can edit what they posted; 0: never.
EDIT_MINUTES = env.optional_integer("EDIT_MINUTES", minimum=0, maximum=10**6)

# Timelines ----------------------------------------------------------------------------------

# Authors with more followers are not fanned out, but merged in when a follower reads; 0: never.
PULL_THRESHOLD = env.integer("PULL_THRESHOLD", 100_000, minimum=0, maximum=10**9)
MAX_FOLLOWING = env.optional_integer("MAX_FOLLOWING", maximum=10**6)

# Searches -----------------------------------------------------------------------------------

# SQLite's own index is as quick.
_WINDOW = 1_000_000 if DATABASES["default"]["ENGINE"].endswith("postgresql") else 0
SEARCH_WINDOW = env.integer("SEARCH_WINDOW", _WINDOW, minimum=0, maximum=10**8)

# Insight ------------------------------------------------------------------------------------

# Whether the site measures what it does, and how many come.
INSIGHT = env.boolean("INSIGHT", True)
# From where programs may read /metrics; and with which token from elsewhere, if there is one.
METRICS_ALLOW = env.networks("METRICS_ALLOW", ["127.0.0.1", "::1"])
METRICS_TOKEN = env.optional_text("METRICS_TOKEN")
# What marks of deploys call this version; without one, they have a digest of the code.
SITE_VERSION = env.optional_text("SITE_VERSION")

# Streams ------------------------------------------------------------------------------------

# Where browsers and API clients find the streams; behind one proxy the same as SITE_URL.
STREAM_URL = env.web_address("STREAM_URL", f"http://localhost:{STREAM_PORT}")
STREAM_WORKERS = env.integer("STREAM_WORKERS", 1, maximum=256)
# How many events a client can resume over.
STREAM_EVENTS_KEPT = env.integer("STREAM_EVENTS_KEPT", 100_000, minimum=100, maximum=10**8)
STREAM_CLIENTS = env.integer("STREAM_CLIENTS", 10_000, maximum=10**6)
STREAM_CONNECTIONS_PER_TOKEN = env.integer("STREAM_CONNECTIONS_PER_TOKEN", 2, maximum=10**6)
# Over all tokens and open pages of a user.
STREAM_CONNECTIONS_PER_USER = env.integer("STREAM_CONNECTIONS_PER_USER", 10, maximum=10**6)
# Every page that somebody opens connects; people turn pages quickly.
STREAM_CONNECTS_PER_MINUTE = env.integer("STREAM_CONNECTS_PER_MINUTE", 240, maximum=10**6)
# Beyond it, statuses are withheld from `filter` and `sample`, and counted; 0: no limit.
STREAM_STATUSES_PER_SECOND = env.integer(
    "STREAM_STATUSES_PER_SECOND", 200, minimum=0, maximum=10**6
)

# Access tokens; only checksums are stored. The OAuth flows are not open yet, and will be strict.
TOKEN_SCOPES = {
    "read": "Read public statuses, also as they are posted",
    "firehose": "Read every public status as it is posted",
}
# Named here because our own table refers to it (`access.models.TokenUse`).
OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL = "oauth2_provider.AccessToken"  # noqa: S105 - a name
_strict = (
    *("TOKEN_STORAGE", "IMPLICIT_GRANT", "PASSWORD_GRANT", "PKCE_METHOD", "PKCE_REQUIRED"),
    *("ACCESS_TOKEN_TRANSPORT", "AUTHZ_RESPONSE_ISS", "REFRESH_TOKEN", "REDIRECT_URI_SCHEME"),
    "REDIRECT_URI_MATCHING",
)
OAUTH2_PROVIDER = {
    "SCOPES": TOKEN_SCOPES,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],
} | {f"COMPLIANT_BCP_RFC9700_{name}": True for name in _strict}

# Mail ---------------------------------------------------------------------------------------

EMAIL_HOST = env.text("EMAIL_HOST", "")
EMAIL_PORT = env.integer("EMAIL_PORT", 587, maximum=65535)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env.boolean("EMAIL_USE_TLS", True)
# Without a mail server mails are printed, so that password resets work on a laptop too.
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_TIMEOUT = 10
# Where it is not set, mails to people carry the name of the site (`users/mails.py`).
MAIL_SENDER = env.optional_text("DEFAULT_FROM_EMAIL")
NO_REPLY = f"noreply@{_site_host}"
DEFAULT_FROM_EMAIL = MAIL_SENDER or NO_REPLY

# Static files, language, logs ---------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": MEDIA_STORAGE,
    # Without an address: only a page hands them out, to their owners.
    "exports": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": EXPORTS_DIR,
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
    "staticfiles": {"BACKEND": "web.static_files.StaticFiles"},
}
LANGUAGE_CODE = "en"
# In their own words. docs/translating.md says how to add one.
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
FORMAT_MODULE_PATH = ["socialsite.formats"]
TIME_ZONE = "UTC"
USE_TZ = True

LOG_LEVEL = env.choice("LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "redistools.outages.errors.WithoutOutageTracebacks",
            "format": "{levelname} {name}: {message}",
            "style": "{",
        }
    },
    "filters": {
        "brief": {"()": "web.brief_log.BriefRequests"},
        "outages": {"()": "redistools.outages.errors.OncePerMinute"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["brief", "outages"],
        },
        "nowhere": {"class": "logging.NullHandler"},
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        # Two lines for each task would drown all others; the worker logs them at debug.
        "django_tasks": {"level": "WARNING"},
        # `serve` says it in lines of its own.
        "processes.supervisor": {"handlers": ["nowhere"], "propagate": False},
    },
}
