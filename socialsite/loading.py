"""Loading the site's code costs each process half a second of a processor."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Nothing that is loaded becomes garbage: to look for it again and again, until a thousand
    modules are there, takes a fifth of a start. Later collections leave out what was loaded.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
