"""`python -m translating`: brings the catalogs up to date and compiles them."""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
django.setup()

# Imported late: they need the settings.
from translating.catalogs import complaints, locales, path_of, updated, write  # noqa: E402
from translating.finding import all_words, name_of  # noqa: E402


def main() -> None:
    wanted = set(all_words())
    for locale in locales():
        catalog = updated(locale)
        write(locale, catalog)
        left = list(complaints(catalog, wanted))
        report = "\n".join([f"{name_of(path_of(locale))}: {len(wanted)} texts", *left])
        sys.stdout.write(f"{report}\n")


if __name__ == "__main__":
    main()
