import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from ...data_folder import DataFolderError
from ...embedded_redis import EmbeddedRedisError
from ...serve import ServeError, serve


class Command(BaseCommand):
    help = (
        "Serve the whole site: Redis (when REDIS_URL is not set), migrations, static files, "
        "pages on PORT, streams on STREAM_PORT and a worker. Ctrl-C stops all of them.\n\n"
        "Examples: `manage.py serve`, `PORT=9000 STREAM_PORT=9001 manage.py serve`."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            serve()
        except (ServeError, DataFolderError, EmbeddedRedisError) as error:
            sys.exit(f"error: {error}")
        except OSError as error:
            sys.exit(
                f"error: the data folder {settings.DATA_DIR} can't be used ({error}): "
                "is its disk full?"
            )
