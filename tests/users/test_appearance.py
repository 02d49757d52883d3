"""The settings page “Appearance”, and what follows from it."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from statuses.services import post_status
from tests.cast import browser_of
from users.models import User
from users.services import change_appearance, sign_up

PAGE = "/settings/appearance/"


def test_the_page_is_for_members(db: None) -> None:
    assert Client().get(PAGE)["Location"] == f"/login/?next={PAGE}"


def test_a_choice_applies_at_once(alice: User) -> None:
    browser = browser_of(alice)
    assert b"data-theme" not in browser.get(PAGE).content
    chosen = {"theme": "dark", "language": "zh-hans", "has_shortcuts": "on"}
    answer = browser.post(PAGE, chosen, follow=True)
    page = answer.content.decode()
    assert '<html lang="zh-hans" data-theme="dark"' in page
    assert "你的选择已保存。" in page
    assert 'value="dark" checked' in page.replace(" required", "").replace('id="id_theme_2" ', "")
    browser.post(PAGE, {"theme": "", "language": "", "has_shortcuts": "on"})
    assert b'<html lang="en" >' in browser.get(PAGE).content


def test_kept_pages_have_the_theme_of_their_reader(alice: User, bob: User) -> None:
    post_status(author=alice, text="hello")
    change_appearance(user=bob, language="", theme="dark")
    change_appearance(user=alice, language="", theme="light")
    dark, light = browser_of(bob), browser_of(alice)
    for _ in range(2):
        assert b'<html lang="en" data-theme="dark"' in dark.get("/").content
        assert b'<html lang="en" data-theme="light"' in light.get("/").content
    change_appearance(user=bob, language="", theme="")
    assert b"data-theme" not in dark.get("/").content


def test_single_key_shortcuts_can_be_turned_off(alice: User, bob: User) -> None:
    post_status(author=alice, text="hello")
    browser, others = browser_of(alice), browser_of(bob)
    assert b"data-shortcuts" not in browser.get("/").content
    browser.post(PAGE, {"theme": "", "language": ""})
    for page in ("/", "/explore/", "/keyboard/"):
        assert b'<html lang="en" data-shortcuts="off">' in browser.get(page).content
        assert b"data-shortcuts" not in others.get(page).content
    change_appearance(user=alice, language="", theme="dark")
    assert not User.objects.get(pk=alice.pk).has_shortcuts
    assert b"Single-key shortcuts are off" in browser.get("/keyboard/").content


@pytest.mark.parametrize(
    "fields", [{"theme": "pink", "language": ""}, {"theme": "", "language": "klingon"}]
)
def test_what_there_is_not_is_refused(alice: User, fields: dict[str, str]) -> None:
    change_appearance(user=alice, language="zh-hans", theme="dark")
    assert browser_of(alice).post(PAGE, fields).status_code == 400
    with pytest.raises(ValidationError):
        change_appearance(user=alice, language=fields["language"], theme=fields["theme"])
    alice.refresh_from_db()
    assert (alice.language, alice.theme) == ("zh-hans", "dark")


def test_nothing_else_of_the_account_is_written(alice: User) -> None:
    older = User.objects.get(pk=alice.pk)
    User.objects.filter(pk=alice.pk).update(name="Newer")
    change_appearance(user=older, language="", theme="dark")
    assert User.objects.get(pk=alice.pk).name == "Newer"


def test_who_signs_up_in_chinese_stays_with_it(db: None) -> None:
    """Mails have no browser to ask."""
    fields = {"username": "mei", "email": "mei@example.com", "password": "correct horse"}
    browser = Client()
    browser.post("/signup/", fields, HTTP_ACCEPT_LANGUAGE="zh-CN")
    assert User.objects.get(username="mei").language == "zh-hans"
    Client().post("/signup/", {**fields, "username": "ann"}, HTTP_ACCEPT_LANGUAGE="en-GB")
    assert User.objects.get(username="ann").language == ""
    assert sign_up(**{**fields, "username": "kim"}).language == ""
