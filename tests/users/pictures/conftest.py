from collections.abc import Iterator

import pytest
from django.core.files.storage import InMemoryStorage

from users.pictures.kinds import SHAPES, storage


@pytest.fixture(autouse=True)
def empty_storage() -> Iterator[None]:
    """The storage of the tests is in memory, and outlives a test."""
    yield
    found = storage()
    if isinstance(found, InMemoryStorage):
        for shape in SHAPES.values():
            if found.exists(shape.folder):
                found.delete(shape.folder)
