"""docs/privacy.md says what the matrix checks."""

from itertools import product

from tests.privacy.document import PAGE, page_with, tables
from tests.privacy.rules import ACCOUNTS, PLACES, VIEWERS, cells, verdict


def test_the_page_has_the_tables_of_the_matrix() -> None:
    page = PAGE.read_text()
    assert page == page_with(tables(), page), "run python -m tests.privacy.document"


def test_the_page_names_every_viewer_place_and_kind_of_account() -> None:
    page = PAGE.read_text()
    assert [name for name in (*PLACES, *ACCOUNTS) if name not in page.lower()] == []
    assert [name for name in VIEWERS if f"| {name} |" not in page] == []


def test_private_and_silenced_accounts_are_seen_alike() -> None:
    """So one table does for both."""
    for place, cell in product(PLACES, cells("private")):
        other = cell._replace(account="silenced")
        assert verdict(place, cell) == verdict(place, other)


def test_nobody_sees_anything_of_a_suspended_account() -> None:
    answers = {verdict(*it).answer for it in product(PLACES, cells("suspended"))}
    assert answers == {"hidden", "n/a"}
