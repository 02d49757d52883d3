"""An account that is deleted while one of its requests is under way."""

import pytest
from django.test import Client

from lists import selectors as list_selectors
from lists.models import List
from relations.models import Follow
from statuses.models import Status
from tests.cast import browser_of, make_user
from users.login.backends import AccountBackend
from users.models import User
from users.services import delete_account

PASSWORD = "seven green bottles"
NEW_PASSWORD = {"new_password1": "eight blue bottles", "new_password2": "eight blue bottles"}


@pytest.fixture
def leaver(transactional_db: None) -> User:
    user = make_user("leaver")
    user.set_password(PASSWORD)
    user.save()
    List.objects.create(pk=1, owner=user, name="Friends")
    return user


@pytest.fixture
def browser(leaver: User, carol: User, monkeypatch: pytest.MonkeyPatch) -> Client:
    """The account is deleted as soon as a request has been recognised as its own."""
    browser = browser_of(leaver)
    get_user = AccountBackend.get_user

    def get_user_and_delete(backend: AccountBackend, user_id: int) -> User | None:
        user = get_user(backend, user_id)
        if user is not None:
            delete_account(user=User.objects.get(pk=user_id))
        return user

    monkeypatch.setattr(AccountBackend, "get_user", get_user_and_delete)
    return browser


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/statuses/", {"text": "hello"}),
        ("/@carol/follow/", {}),
        ("/lists/", {"name": "Others"}),
        ("/settings/profile/", {"name": "Somebody", "bio": ""}),
        ("/settings/password/", {"old_password": PASSWORD} | NEW_PASSWORD),
        ("/settings/tokens/", {"name": "my bot"}),
    ],
)
def test_a_write_of_an_account_that_has_gone_is_answered_as_if_logged_out(
    browser: Client, leaver: User, address: str, fields: dict[str, str]
) -> None:
    answer = browser.post(address, fields)
    assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/")
    assert "_auth_user_id" not in browser.session
    assert not User.objects.filter(pk=leaver.pk).exists()
    assert not Status.objects.exists()
    assert not Follow.objects.exists()
    assert not List.objects.exists()


def test_deleting_the_account_twice_at_once_is_no_error(browser: Client) -> None:
    answer = browser.post("/settings/delete/", {"password": PASSWORD})
    assert answer["Location"] == "/settings/delete/done/"


@pytest.mark.parametrize(
    ("address", "fields"),
    [("/lists/1/edit/", {"name": "Others"}), ("/lists/1/members/add/", {"username": "carol"})],
)
def test_so_is_a_change_of_its_lists(
    leaver: User,
    carol: User,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    fields: dict[str, str],
) -> None:
    browser = browser_of(leaver)
    own_list = list_selectors.own_list

    def own_list_and_delete(list_id: int, *, owner: User) -> List:
        list_ = own_list(list_id, owner=owner)
        delete_account(user=owner)
        return list_

    monkeypatch.setattr(list_selectors, "own_list", own_list_and_delete)
    answer = browser.post(address, fields)
    assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/")
    assert not List.objects.exists()
