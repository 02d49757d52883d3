"""Administrators change the settings of the site on one page of the admin."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from pytest_django import Settings

from configuration.current import site
from configuration.site import Site
from staff.models import AuditEntry
from tests.cast import browser_of, make_user
from tests.configuration.conftest import Change
from users.models import User

PAGE = "/admin/configuration/sitesettings/"


@pytest.fixture
def browser(root: User) -> Client:
    return browser_of(root)


def filled_in(browser: Client) -> dict[str, str]:
    """The form as a browser would send it back."""
    form = browser.get(PAGE).context["form"]
    fields: dict[str, str] = {}
    for bound in form:
        value = bound.value()
        if value is not False:
            fields[bound.html_name] = str(value)
        fields[bound.html_initial_name] = str(value)
    return fields


def test_the_form_shows_what_holds(browser: Client, change: Change) -> None:
    change(name="Larkspur & Co", longest_post=300)
    page = unescape(browser.get(PAGE).content.decode())
    assert 'value="Larkspur & Co"' in page
    assert 'value="300"' in page


def test_what_is_saved_holds_and_is_logged(browser: Client) -> None:
    answer = browser.post(PAGE, filled_in(browser) | {"name": "Larkspur", "longest_post": "300"})
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    assert site() == Site(name="Larkspur", longest_post=300)
    assert "Larkspur" in browser.get("/about/").content.decode()
    logged = AuditEntry.objects.get(kind="configuration.sitesettings")
    assert [it["field"] for it in logged.changes] == ["name", "longest_post"]


def test_what_is_not_touched_stays_as_another_administrator_set_it(
    browser: Client, change: Change
) -> None:
    form = filled_in(browser)
    change(name="Larkspur")
    browser.post(PAGE, form | {"longest_post": "300"})
    assert site() == Site(name="Larkspur", longest_post=300)


def test_saving_without_a_change_logs_nothing(browser: Client) -> None:
    assert browser.post(PAGE, filled_in(browser)).status_code == 302
    assert not AuditEntry.objects.exists()


def test_bad_values_are_marked_and_nothing_is_changed(browser: Client) -> None:
    answer = browser.post(PAGE, filled_in(browser) | {"name": "Larkspur", "accent": "#ff8800"})
    assert answer.status_code == 400
    page = unescape(answer.content.decode())
    assert "This color can't be read on white: its contrast is 2.39 to 1" in page
    assert 'value="Larkspur"' in page
    assert site() == Site()


def test_what_the_environment_says_is_read_only(browser: Client, settings: Settings) -> None:
    settings.SITE_NAME = "Operated"
    page = browser.get(PAGE).content.decode()
    assert "Set by SITE_NAME in the environment." in page
    assert re.search(r'<input[^>]*name="name"[^>]* disabled', page)
    browser.post(PAGE, filled_in(browser) | {"name": "Mine", "longest_post": "300"})
    assert site() == Site(name="Operated", longest_post=300)


@pytest.mark.parametrize("how", ["visitor", "member", "staff"])
def test_others_neither_see_nor_change_it(how: str, transactional_db: None) -> None:
    browser = Client()
    if how != "visitor":
        browser = browser_of(make_user("mallory", is_staff=how == "staff"))
    for answer in (browser.get(PAGE), browser.post(PAGE, {"name": "Mine"})):
        assert answer.status_code == (403 if how == "staff" else 302)
    assert site() == Site()


def test_who_may_only_look_can_not_change(transactional_db: None) -> None:
    reader = make_user("reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_sitesettings"))
    browser = browser_of(reader)
    page = browser.get(PAGE)
    assert page.status_code == 200
    assert b'type="submit" value="Save"' not in page.content
    assert browser.post(PAGE, filled_in(browser) | {"name": "Mine"}).status_code == 403
    assert site() == Site()


def test_the_page_of_the_row_leads_to_the_form(browser: Client, change: Change) -> None:
    change(name="Larkspur")
    answer = browser.get(f"{PAGE}1/change/")
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    assert browser.get(f"{PAGE}add/").status_code == 403
    assert browser.post(f"{PAGE}1/delete/").status_code == 403
