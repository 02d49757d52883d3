"""Loads the pages of insight in the admin."""

from .log.pages import LogAdmin
from .places.pages import PlaceAdmin

__all__ = ["LogAdmin", "PlaceAdmin"]
