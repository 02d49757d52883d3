from collections.abc import Iterator

import pytest
from django.core.files.storage import InMemoryStorage

from pictures.kinds import all_kinds, storage


@pytest.fixture(autouse=True)
def empty_storage() -> Iterator[None]:
    """The storage of the tests is in memory, and outlives a test."""
    yield
    found = storage()
    if isinstance(found, InMemoryStorage):
        for kind in all_kinds():
            if found.exists(kind.folder):
                found.delete(kind.folder)
