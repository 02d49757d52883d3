"""In maintenance only staff can use the site; all others are told so, and nothing happens."""

from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver

from configuration.current import site
from configuration.services import change_settings
from statuses.models import Status
from statuses.services import post_status
from tests.cast import browser_of, make_user
from users.models import User
from users.services import sign_up
from web.pages.maintenance import OPEN

PASSWORD = "seven green bottles"
IN_PLACE = {"HX-Request": "true"}
JSON = {"Accept": "application/json"}


@pytest.fixture
def staff(transactional_db: None) -> User:
    return make_user("root", is_staff=True, is_superuser=True)


@pytest.fixture
def maintenance(alice: User, staff: User) -> None:
    post_status(author=alice, text="Hello")
    for address in ("/", "/@alice/", "/explore/"):
        Client().get(address)  # visitors' pages are kept now
    change_settings(by=staff, in_maintenance=True, contact="root@example.com")


def assert_closed(answer: Any, words: str = "being worked on") -> None:
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert "no-store" in answer["Cache-Control"]
    assert words in answer.content.decode()


@pytest.mark.usefixtures("maintenance")
@pytest.mark.parametrize("who", ["visitor", "member"])
@pytest.mark.parametrize(
    "address",
    ["/", "/@alice/", "/@alice/feed.xml", "/explore/", "/signup/", "/rules/", "/settings/"],
)
def test_nobody_reads_a_page(who: str, address: str, alice: User) -> None:
    browser = Client() if who == "visitor" else browser_of(alice)
    answer = browser.get(address)
    assert_closed(answer)
    assert "root@example.com" in answer.content.decode()
    assert "Hello" not in answer.content.decode()
    assert_closed(browser.get(address, headers=IN_PLACE))
    said = browser.get(address, headers=JSON)
    assert_closed(said)
    assert said.json()["code"] == "maintenance"


@pytest.mark.usefixtures("maintenance")
def test_programs_get_json_where_there_is_nothing_else(alice: User) -> None:
    for address in ("/oembed?url=x", "/now/"):
        answer = browser_of(alice).get(address)
        assert_closed(answer)
        assert answer.json()["code"] == "maintenance"


@pytest.mark.usefixtures("maintenance")
def test_nobody_writes(alice: User) -> None:
    assert_closed(browser_of(alice).post("/statuses/", {"text": "Still here"}))
    assert_closed(Client().post("/signup/", {"username": "zoe"}))
    assert Status.objects.count() == 1
    assert not User.objects.filter(username="zoe").exists()


@pytest.mark.usefixtures("maintenance")
def test_it_is_said_in_the_language_of_the_reader(alice: User) -> None:
    chinese = {"Accept-Language": "zh-CN"}
    assert_closed(Client().get("/", headers=chinese), "维护")
    User.objects.filter(pk=alice.pk).update(language="zh-hans")
    assert_closed(browser_of(alice).get("/"), "维护")


@pytest.mark.usefixtures("maintenance")
def test_staff_work_on(staff: User) -> None:
    browser = browser_of(staff)
    for address in ("/", "/@alice/", "/explore/", "/settings/", "/admin/"):
        assert browser.get(address).status_code == 200, address
    assert "Maintenance is on" in browser.get("/").content.decode()
    assert browser.post("/statuses/", {"text": "Nearly done"}).status_code == 302
    change_settings(by=staff, in_maintenance=False)
    assert Client().get("/").status_code == 200
    assert "Maintenance is on" not in browser.get("/").content.decode()


@pytest.mark.usefixtures("maintenance")
def test_who_is_no_longer_staff_is_shut_out(staff: User) -> None:
    browser = browser_of(staff)
    User.objects.filter(pk=staff.pk).update(is_staff=False)
    assert_closed(browser.get("/"))


def test_staff_can_log_in(staff: User) -> None:
    account = sign_up(username="helper", email="h@example.com", password=PASSWORD)
    User.objects.filter(pk=account.pk).update(is_staff=True)
    change_settings(by=staff, in_maintenance=True)
    browser = Client()
    assert "Maintenance is on" in browser.get("/login/").content.decode()
    answer = browser.post("/login/", {"username": "helper", "password": PASSWORD})
    assert answer.status_code == 302
    assert browser.get("/").status_code == 200


@pytest.mark.usefixtures("maintenance")
def test_what_watches_the_site_sees_that_it_is_well() -> None:
    answer = Client().get("/healthz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"
    for address in ("/robots.txt", "/manifest.webmanifest", "/sw.js", "/metrics"):
        assert Client().get(address).status_code == 200


def test_what_stays_open_exists() -> None:
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    assert names >= OPEN


def test_it_is_off_unless_somebody_turns_it_on() -> None:
    assert not site().in_maintenance
