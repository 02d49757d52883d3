from collections.abc import Iterator
from functools import cache

import pytest
from PIL.Image import Image

from demo import pictures
from pictures.kinds import PictureKind
from pictures.making import Picture, encode


@pytest.fixture(scope="package", autouse=True)
def pictures_made_once() -> Iterator[None]:
    """Every community has the same, and they take longer than everything else about it."""
    made: dict[int, Picture] = {}

    def encode_once(kind: PictureKind, image: Image) -> Picture:
        """An image has no hash, but is the same object each time."""
        return made.get(id(image)) or made.setdefault(id(image), encode(kind, image))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "drawn", cache(pictures.drawn))
        patch.setattr(pictures, "encode", encode_once)
        yield
