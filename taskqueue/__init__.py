"""A backend for Django's Tasks API on Redis: delayed, prioritised, retried, and losing nothing."""
