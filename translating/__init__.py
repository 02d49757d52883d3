"""Finds the words that people read, and keeps their translations (docs/translating.md)."""
