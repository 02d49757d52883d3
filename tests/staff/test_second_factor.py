"""Where the site wants staff to have a second factor, they are members until they have one."""

import pytest
from django.test import Client
from pytest_django import Settings

from moderation.models import Kind, Measure
from moderation.services import take
from staff.roles import Role
from staff.services import give_role
from statuses.models import Status
from statuses.selectors import moderates
from statuses.services import post_status
from tests.cast import browser_of, make_user
from users.login.steps import SECOND_FACTOR
from users.models import Authenticator, User
from web.refusals import Refusal

PAGE = "/settings/two-factor/"


@pytest.fixture(autouse=True)
def needed(settings: Settings) -> None:
    settings.STAFF_NEEDS_TWO_FACTOR = True


@pytest.fixture
def status(alice: User) -> Status:
    return post_status(author=alice, text="hello")


def staff(role: Role, *, has_factor: bool = False) -> User:
    user = make_user(role.value[:5])
    give_role(user=user, role=role)
    if has_factor:
        Authenticator.objects.create(user=user, secret="x", confirmed_at=user.date_joined)
    return User.objects.get(pk=user.pk)


def proven(user: User) -> Client:
    """A browser whose session was opened with a code."""
    browser = browser_of(user)
    session = browser.session
    session[SECOND_FACTOR] = True
    session.save()
    return browser


@pytest.mark.parametrize("role", Role)
def test_the_admin_leads_to_where_it_is_set_up(role: Role, transactional_db: None) -> None:
    browser = browser_of(staff(role))
    for address in ("/admin/", "/admin/users/user/", "/admin/nothing/"):
        answer = browser.get(address, follow=True)
        assert answer.redirect_chain[-1] == (PAGE, 302)
        assert "until then you can neither enter the admin nor" in answer.content.decode()
        assert browser.post(address, {"name": "x"}).status_code == 302


@pytest.mark.parametrize("role", Role)
def test_with_it_the_admin_is_open(role: Role, transactional_db: None) -> None:
    user = staff(role, has_factor=True)
    assert proven(user).get("/admin/").status_code == 200
    unproven = browser_of(user).get("/admin/", follow=True)
    assert unproven.status_code == 403, "the session was opened without a code"
    off = proven(user).get(f"{PAGE}off/").content.decode()
    assert "without it you can neither" in off


@pytest.mark.parametrize("role", [Role.MODERATOR, Role.ADMINISTRATOR])
def test_nobody_moderates_without_it(role: Role, status: Status) -> None:
    user = staff(role)
    browser = browser_of(user)
    assert not moderates(user)
    menu = browser.get(f"/@alice/{status.pk}/menu/").content.decode()
    assert "Moderate" not in menu
    assert browser.post(f"/statuses/{status.pk}/delete/").status_code == 403
    with pytest.raises(Refusal, match="Only moderators"):
        take(Kind.MARK_SENSITIVE, status, by=user, reason="why not")
    assert not Measure.objects.exists()
    assert Status.objects.filter(pk=status.pk).exists()
    having = staff(Role.MODERATOR, has_factor=True) if role != Role.MODERATOR else None
    if having:
        assert proven(having).post(f"/statuses/{status.pk}/delete/").status_code == 302
        assert not Status.objects.filter(pk=status.pk).exists()


def test_one_that_is_not_confirmed_does_not_count(transactional_db: None) -> None:
    user = staff(Role.MODERATOR)
    Authenticator.objects.create(user=user, secret="x")
    assert user.lacks_second_factor


def test_members_are_not_asked_for_it(alice: User) -> None:
    assert not alice.lacks_second_factor
    assert "help to run this site" not in browser_of(alice).get(PAGE).content.decode()


def test_without_the_setting_it_is_everybodys_choice(settings: Settings, db: None) -> None:
    settings.STAFF_NEEDS_TWO_FACTOR = False
    assert browser_of(staff(Role.MODERATOR)).get("/admin/").status_code == 200
