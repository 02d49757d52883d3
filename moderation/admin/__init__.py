"""Moderation in the admin: reports, measures, and measures on accounts and statuses."""

from . import canned, records, subjects

__all__ = ["canned", "records", "subjects"]
