#!/usr/bin/env python
"""The command line of the site; `manage.py help` lists what it can do."""

import os
import sys

try:
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
except ModuleNotFoundError:
    sys.exit("error: this Python has no Django. Use .venv/bin/python, which `make install` makes.")


def main() -> None:
    # Databases, logs, keys: what we and our child processes write is for the owner only.
    os.umask(0o077)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A bad value in the environment is for the operator to fix; a traceback would only hide it.
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
