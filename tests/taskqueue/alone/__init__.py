"""A Django project that uses the task queue and nothing else of this site."""
