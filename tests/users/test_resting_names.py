"""The name of a deleted account rests for 90 days."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from tests.users.conftest import PASSWORD
from users.models import RestingName, User
from users.names import resting
from users.services import delete_account, request_deletion, sign_up
from users.tasks import forget_rested_names

pytestmark = pytest.mark.django_db


def take(username: str) -> User:
    return sign_up(username=username, email="else@example.com", password=PASSWORD)


@pytest.mark.parametrize("name", ["alice", "ALICE"])
def test_nobody_takes_the_name_of_a_deleted_account(alice: User, name: str) -> None:
    delete_account(user=alice)
    with pytest.raises(ValidationError) as refused:
        take(name)
    assert refused.value.message_dict == {"username": ["This username is taken."]}
    assert take("alice2").pk


def test_the_page_says_no_more_than_that_it_is_taken(alice: User, carol: User) -> None:
    delete_account(user=alice)

    def told(username: str) -> list[str]:
        form = {"username": username, "email": "else@example.com", "password": PASSWORD}
        answer = Client().post("/signup/", form)
        assert answer.status_code == 400
        return list(answer.context["form"].errors["username"])

    assert told("alice") == told("carol") == ["This username is taken."]


def test_it_is_free_after_ninety_days(alice: User) -> None:
    delete_account(user=alice)
    nearly = timezone.now() + timedelta(days=89)
    assert resting.forget_rested(nearly) == 0
    assert resting.rests("alice")
    RestingName.objects.update(until=timezone.now())
    assert take("alice").pk


def test_a_task_forgets_names_that_have_rested(alice: User, carol: User) -> None:
    delete_account(user=alice)
    RestingName.objects.update(until=timezone.now())
    delete_account(user=carol)
    forget_rested_names.call()
    assert RestingName.objects.count() == 1
    assert resting.rests("carol")


def test_the_name_itself_is_not_kept(alice: User) -> None:
    delete_account(user=alice)
    row = RestingName.objects.get()
    assert "alice" not in f"{row} {row.digest}"


def test_a_second_deletion_does_not_prolong_the_rest(alice: User) -> None:
    delete_account(user=User.objects.get(pk=alice.pk))
    before = RestingName.objects.get().until
    delete_account(user=alice)
    assert RestingName.objects.get().until == before


def test_a_name_that_was_free_again_rests_again(alice: User) -> None:
    delete_account(user=alice)
    RestingName.objects.update(until=timezone.now())
    delete_account(user=take("Alice"))
    assert resting.rests("alice")


def test_who_is_leaving_still_has_the_name(alice: User) -> None:
    request_deletion(user=alice)
    assert not RestingName.objects.exists()
    with pytest.raises(ValidationError):
        take("alice")


def test_an_account_that_exists_can_be_saved_whatever_rests(alice: User) -> None:
    resting.lay_to_rest("alice")
    alice.bio = "still here"
    alice.full_clean()
    alice.save()
