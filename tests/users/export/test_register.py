"""Nothing that the site keeps of people is left out of their export by mistake."""

import pytest

from users.export import register


def test_every_reference_to_an_account_is_exported_or_left_out_on_purpose() -> None:
    """If this fails: add the model to the `exporting.py` of its app."""
    assert register.forgotten() == set()


def test_nothing_is_registered_that_does_not_exist() -> None:
    assert register.unknown() == set()


def test_references_of_any_kind_are_found() -> None:
    found = register.references()
    assert {
        "statuses.Status.author",
        "users.Authenticator.user",
        "relations.Follow.followee",
        "oauth2_provider.AccessToken.user",
    } <= found


def test_leaving_out_takes_a_reason() -> None:
    with pytest.raises(ValueError, match="why"):
        register.leave_out("a.B.c", because="")


def test_each_part_has_files_of_its_own() -> None:
    names = [part.name for part in register.parts()]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() for name in names)
    assert "index" not in names
