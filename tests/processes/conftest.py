from collections.abc import Iterator

import pytest

from tests.processes.small_server import Server, running


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture(scope="module")
def patient_server() -> Iterator[Server]:
    """Drops no client during a test: whatever it answers, it had room for."""
    with running("PatientWorker") as server:
        yield server
