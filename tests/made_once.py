"""What takes long to make is made once for each run, and copied by the test processes."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.running_site import temporary_folder


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that `make` has filled, for the first process that needs it; the others wait."""
    place = shared_folder(factory) / name
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            with temporary_folder() as folder:
                make(folder)
                shutil.copytree(folder, place.with_suffix(".new"), symlinks=True)
            place.with_suffix(".new").rename(place)
    return place


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Of all processes of this run."""
    folder = factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
