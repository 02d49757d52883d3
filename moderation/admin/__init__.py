"""Moderation in the admin: reports, measures, and measures on accounts and statuses."""

from . import records, subjects

__all__ = ["records", "subjects"]
