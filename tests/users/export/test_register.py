"""Nothing that the site keeps of people is left out of their export by mistake."""

import pytest
from django.apps import apps

from users.export import register
from users.models import User


def references() -> set[str]:
    """Every column, in any table, that refers to an account."""
    return {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if field.concrete and field.is_relation and field.related_model is User
    }


def test_every_reference_to_an_account_is_exported_or_left_out_on_purpose() -> None:
    """If this fails: add the model to the `exporting.py` of its app."""
    assert references() - register.known() == set()


def test_nothing_is_registered_that_does_not_exist() -> None:
    assert register.known() - references() == set()


def test_references_of_any_kind_are_found() -> None:
    found = references()
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
