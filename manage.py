#!/usr/bin/env python
"""The command line of the site; `manage.py help` lists what it can do."""

import os
import sys
from contextlib import ExitStack

from socialsite.loading import without_collections

try:
    with without_collections():
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import BaseCommand, ManagementUtility
except ModuleNotFoundError:
    sys.exit("error: this Python has no Django. Use .venv/bin/python, which `make install` makes.")


class CommandLine(ManagementUtility):
    def __init__(self, loading: ExitStack) -> None:
        super().__init__()
        self._loading = loading

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Loads it: the last thing before it runs."""
        command = super().fetch_command(subcommand)
        self._loading.close()
        return command


def main() -> None:
    # Databases, logs, keys: what we and our child processes write is for the owner only.
    os.umask(0o077)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
    try:
        with ExitStack() as loading:
            loading.enter_context(without_collections())
            CommandLine(loading).execute()
    except ImproperlyConfigured as error:
        # A bad value in the environment is for the operator to fix; a traceback would only hide it.
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
