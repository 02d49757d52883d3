"""Django's PostgreSQL backend, with connections that don't wait for ever (`silence.py`)."""

from types import SimpleNamespace
from typing import Any

import psycopg
from django.db.backends.postgresql import base

from .silence import PatientConnection, silence


class DatabaseWrapper(base.DatabaseWrapper):
    # What Django takes from psycopg: its errors, and how to connect.
    Database = SimpleNamespace(  # type: ignore[assignment] # it looks up names alone
        **(vars(psycopg) | {"connect": PatientConnection.connect})
    )

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        silence.check()
        try:
            return super().get_new_connection(conn_params)
        except psycopg.errors.ConnectionTimeout as error:
            silence.begin(error, conn_params)
            raise
