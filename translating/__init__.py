"""Finds the words that people read, and keeps their translations. For developers: no page needs it.

`make messages` writes what it finds into `locale/`; docs/translating.md says more.
"""
