"""A PostgreSQL that says nothing.

A server that is frozen, or cut off, keeps its connections and says nothing. libpq would wait for
ever, so we bound each wait (`socialsite/patience.py`). A wait in vain begins a *silence*: from then
on requests fail at once, until somebody answers. After just one slow query, that takes
milliseconds.
"""

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

from redistools.outages.breaker import Breaker

from ..patience import Patience

T = TypeVar("T")

PROBE_SECONDS = 2


class Silence(Breaker):
    store, refusal = "PostgreSQL", psycopg.OperationalError
    _parameters: Mapping[str, Any] = MappingProxyType({})

    def begin(self, error: Exception, parameters: dict[str, Any]) -> None:
        """`parameters` are those of the connection. Does nothing where waits are not bounded."""
        if Patience.seconds is not None:
            self._parameters = parameters | {"connect_timeout": PROBE_SECONDS}
            self.open(error)

    def probe(self) -> None:
        PatientConnection.connect(**self._parameters).close()


silence = Silence()


class PatientConnection(psycopg.Connection[Any]):
    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """psycopg calls it around everything that it sends; raises OperationalError."""
        silence.check()
        patience = Patience.seconds if timeout is None else timeout
        began = time.monotonic()
        try:
            return super().wait(gen, interval, patience)
        except psycopg.OperationalError as error:
            if timeout is None and patience and time.monotonic() - began >= patience:
                self._give_up(error)
            raise

    def _give_up(self, error: Exception) -> None:
        parameters = self.info.get_parameters() | {"password": self.info.password}
        self.close()
        silence.begin(error, parameters)
