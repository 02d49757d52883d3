"""How a query is carried out, on tables of a few rows."""

import pytest
from django.db import connection

# `tests/big_site` looks at PostgreSQL's plans.
on_sqlite = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="PostgreSQL reads a table this small as a whole"
)
