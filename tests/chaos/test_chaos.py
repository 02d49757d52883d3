"""Processes of a busy site are killed at random; afterwards it is as if nothing had happened."""

from pathlib import Path

import pytest

from .run import run

SECONDS = 60.0


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", [7, 22, 33])
def test_a_site_whose_processes_are_killed_loses_nothing(
    seed: int, migrated_database: Path
) -> None:
    outcome = run(seed=seed, seconds=SECONDS, database=migrated_database)
    print(outcome)
    assert outcome.is_good, f"{outcome}\n{outcome.findings}"
    assert min(outcome.kills.values()) >= 3
