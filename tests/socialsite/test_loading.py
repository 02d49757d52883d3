"""While the site is loaded nothing looks for garbage; afterwards Python does as always."""

import gc
import subprocess
import sys
from contextlib import suppress

import pytest
from django.conf import settings

from socialsite.loading import without_collections
from tests.running_site import site_environment, temporary_folder

LOADED = "import gc; print(gc.isenabled(), gc.get_freeze_count() > 100_000)"
PAGES = f"import socialsite.wsgi; {LOADED}"


def test_it_is_looked_for_again_even_after_an_error() -> None:
    with suppress(ValueError), without_collections():
        assert not gc.isenabled()
        raise ValueError
    assert gc.isenabled()


@pytest.mark.parametrize(
    "command",
    [("manage.py", "shell", "-v0", "-c", LOADED), ("-c", PAGES)],
    ids=["command", "pages"],
)
def test_what_was_loaded_is_left_out_of_later_collections(command: tuple[str, ...]) -> None:
    with temporary_folder() as folder:
        (folder / "static").mkdir()
        said = subprocess.run(
            [sys.executable, *command],
            cwd=settings.BASE_DIR,
            env=site_environment(folder),
            capture_output=True,
            text=True,
            check=True,
        )
    assert said.stdout.strip() == "True True"
