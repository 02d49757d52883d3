"""Copies that are written without a lock on their record."""

import pytest

from redistools.writing_until_stable import ATTEMPTS, NeverStable, write_until_stable


def test_a_record_that_stays_as_it_is_is_written_once() -> None:
    written: list[int] = []
    assert write_until_stable(lambda: 7, written.append) == 7
    assert written == [7]


def test_a_record_that_changes_while_its_copy_is_written_is_written_again() -> None:
    versions, written = [1], list[int]()

    def write(version: int) -> None:
        written.append(version)
        if version == 1:
            versions.append(2)

    assert write_until_stable(lambda: versions[-1], write) == 2
    assert written == [1, 2]


def test_a_record_that_never_rests_is_reported() -> None:
    written: list[int] = []
    with pytest.raises(NeverStable, match=f"changed {ATTEMPTS} times"):
        write_until_stable(lambda: len(written), written.append)
