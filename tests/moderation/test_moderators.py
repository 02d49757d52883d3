"""What moderators find on the site."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from relations.services import follow
from statuses.models import Status
from statuses.services import post_status
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from users.models import User


def fresh(user: User) -> User:
    """Rights are kept by the object."""
    return User.objects.get(pk=user.pk)


def test_moderators_can_not_take_accounts_over(mod: User, alice: User) -> None:
    browser = browser_of(mod)
    address = f"/admin/users/user/{alice.pk}/"
    assert browser.get(f"{address}change/").status_code == 200
    form = {"name": "Al", "bio": "", "email": "mod@example.com"}
    assert browser.post(f"{address}change/", form).status_code == 403
    password = {"usable_password": "true", "password1": "x" * 12, "password2": "x" * 12}
    assert browser.post(f"{address}password/", password).status_code == 403
    assert browser.post(f"{address}delete/", {"post": "yes"}).status_code == 403
    assert "alice@example.com" not in browser.get(f"{address}change/").content.decode()
    assert fresh(alice).email == "alice@example.com"


@pytest.mark.parametrize("address", ["/admin/", "/admin/moderation/", "/admin/users/user/"])
def test_moderators_enter_the_admin(mod: User, address: str) -> None:
    assert browser_of(mod).get(address).status_code == 200


def test_moderators_find_the_way_on_every_page(mod: User, dave: User, spam: Status) -> None:
    follow(follower=mod, followee=dave)
    menu = f"/@dave/{spam.pk}/menu/"
    for address in ("/", "/explore/", "/@dave/", f"/@dave/{spam.pk}/"):
        assert f'href="{menu}"' in browser_of(mod).get(address).content.decode()
    delete = f'href="/statuses/{spam.pk}/delete/'
    page = browser_of(mod).get(menu).content.decode()
    assert delete in page
    assert f'href="/admin/statuses/status/{spam.pk}/change/"' in page
    assert "Report" in page
    for other in (browser_of(make_user("other")), Client()):
        page = other.get(menu).content.decode()
        assert delete not in page
        assert "Moderate" not in page
    profile = browser_of(mod).get("/@dave/").content.decode()
    assert f'href="/admin/users/user/{dave.pk}/change/"' in profile
    assert browser_of(mod).get(f"/admin/users/user/{dave.pk}/change/").status_code == 200


def test_moderators_find_no_way_to_moderate_themselves(mod: User) -> None:
    status = post_status(author=mod, text="hello")
    profile = browser_of(mod).get("/@mod_ann/").content.decode()
    menu = browser_of(mod).get(f"/@mod_ann/{status.pk}/menu/").content.decode()
    assert f'href="/statuses/{status.pk}/delete/' in menu
    for page in (profile, menu):
        assert "Moderate" not in page
        assert "Report" not in page


def test_staff_who_do_not_moderate_see_no_such_links(dave: User, spam: Status) -> None:
    clerk = browser_of(make_user("clerk", is_staff=True))
    for address in ("/@dave/", f"/@dave/{spam.pk}/menu/"):
        page = clerk.get(address).content.decode()
        assert "Moderate" not in page
        assert "Delete" not in page


def test_members_pay_nothing_for_moderation_and_moderators_little(
    alice: User, bob: User, mod: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    status = post_status(author=alice, text="hello")
    follow(follower=mod, followee=alice)
    for reader, address, queries in (
        (bob, "/", 1),
        (bob, f"/@alice/{status.pk}/", 3),
        (mod, "/", 4),  # their rights, and how many cases wait
    ):
        browser = browser_of(reader)
        browser.get(address)
        with counting_round_trips() as trips, django_assert_num_queries(queries):
            assert browser.get(address).status_code == 200
        assert len(trips) <= 5, trips.sent


def test_one_kept_article_serves_members_and_moderators(
    mod: User, carol: User, dave: User, spam: Status
) -> None:
    """Nothing of what one reader may do is shown to another."""
    menu = f"/@dave/{spam.pk}/menu/"
    pages = [browser_of(it).get(menu).content.decode() for it in (carol, mod, carol, dave)]
    assert ["Moderate" in page for page in pages] == [False, True, False, False]
    assert ["Report" in page for page in pages] == [True, True, True, False]
    assert ["Delete" in page for page in pages] == [False, True, False, True]
    assert all(
        page.count("?next=%2F%40dave%2F") == page.count('?next=%2F%40dave%2F"') for page in pages
    )
