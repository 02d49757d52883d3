"""What SQL was told."""

from django.test.utils import CaptureQueriesContext


def statements(queries: CaptureQueriesContext) -> list[str]:
    """Their first words, such as INSERT. PostgreSQL gets several in one query."""
    return [it.split()[0] for query in queries for it in query["sql"].split("; ")]
