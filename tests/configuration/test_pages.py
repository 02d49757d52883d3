"""What was chosen for the site holds on its pages, also on those that are kept."""

import json

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client
from pytest_django import Settings

from configuration.accent import style_sheet, version_of
from statuses.services import edit_status, post_status
from tests.cast import browser_of, make_user
from tests.configuration.conftest import Change
from tests.round_trips import counting_round_trips
from users import mails, throttling
from users.models import User
from web.pages.replica_pages import COOKIE as WROTE
from web.refusals import Refusal

# Before tests are let off.
PACES = dict(throttling.PACES)


def text_of(browser: Client, address: str) -> str:
    return browser.get(address).content.decode()


def test_a_new_name_is_on_every_page_at_once(alice: User, change: Change) -> None:
    browsers = {"/": [Client(), browser_of(alice)], "/login/": [Client()], "/explore/": [Client()]}
    for address, readers in browsers.items():
        for reader in readers:
            assert "Socialsite" in text_of(reader, address)
    worker = text_of(Client(), "/sw.js")
    change(name="Larkspur <3")
    for address, readers in browsers.items():
        for reader in readers:
            page = text_of(reader, address)
            assert "Socialsite" not in page, address
            assert "Larkspur &lt;3" in page, address
    assert json.loads(text_of(Client(), "/manifest.webmanifest"))["name"] == "Larkspur <3"
    assert text_of(Client(), "/sw.js") != worker, "browsers have to fetch the offline page again"


def test_mails_carry_the_name(alice: User, change: Change, settings: Settings) -> None:
    change(name="Larkspur, a site")
    mails.send_confirmation(alice)
    assert mail.outbox[-1].subject == "Confirm your address on Larkspur, a site"
    assert mail.outbox[-1].from_email == '"Larkspur, a site" <noreply@localhost>'


def test_a_new_color_is_on_pages_that_were_kept(alice: User, change: Change) -> None:
    readers = [Client(), browser_of(alice)]
    for reader in readers:
        assert "/accent-" not in text_of(reader, "/")
    change(accent="#0a7f3f")
    address = f"/accent-{version_of(style_sheet('#0a7f3f'))}.css"
    for reader in readers:
        assert address in text_of(reader, "/")
    assert "#0a7f3f" in text_of(Client(), address)


def test_the_site_describes_itself(change: Change) -> None:
    change(description="Gardeners.\n\nAnd <friends>.")
    for address in ("/", "/about/"):
        page = text_of(Client(), address)
        assert "<p>Gardeners.</p>" in page
        assert "<p>And &lt;friends&gt;.</p>" in page
    assert "Gardeners." in json.loads(text_of(Client(), "/manifest.webmanifest"))["description"]


def test_the_rules_are_those_of_the_site(change: Change) -> None:
    change(rules="No <b>shouting</b>.\n\nTea at five.", contact="root@example.com")
    page = text_of(Client(), "/rules/")
    assert "<p>Tea at five.</p>" in page
    assert "&lt;b&gt;" in page
    assert "Be decent." not in page
    assert 'href="mailto:root@example.com"' in page


def test_posts_are_as_long_as_the_site_lets_them(alice: User, change: Change) -> None:
    browser = browser_of(alice)
    assert 'data-longest="500"' in text_of(browser, "/")
    change(longest_post=100)
    for address in ("/", "/compose/"):
        assert 'data-longest="100"' in text_of(browser, address)
    assert "100 characters" in text_of(browser, "/help/")
    with pytest.raises(ValidationError, match="1 character too long: a post has at most 100"):
        post_status(author=alice, text="x" * 101)
    answer = browser.post("/statuses/", {"text": "x" * 150})
    assert answer.status_code == 400
    assert 'data-longest="100"' in answer.content.decode()
    change(longest_post=2_000)
    assert post_status(author=alice, text="字" * 2_000).text == "字" * 2_000


def test_people_do_as_much_as_the_site_lets_them(
    alice: User, bob: User, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttling, "PACES", PACES)
    change(posts_per_hour=1, follows_per_day=1, reports_per_hour=1)
    make_user("dave")
    browser = browser_of(alice)
    writes: tuple[tuple[str, dict[str, str]], ...] = (
        ("/statuses/", {"text": "Hello, bob"}),
        ("/@bob/follow/", {}),
        ("/@bob/report/", {"category": "spam"}),
    )
    for address, sent in writes:
        again = {name: it.replace("bob", "dave") for name, it in sent.items()}
        assert browser.post(address, sent).status_code == 302
        assert browser.post(address.replace("bob", "dave"), again).status_code == 429
    change(posts_per_hour=2)
    assert browser.post("/statuses/", {"text": "Hello again"}).status_code == 302


def test_people_follow_as_many_as_the_site_lets_them(
    alice: User, bob: User, change: Change
) -> None:
    change(most_following=1)
    make_user("dave")
    browser = browser_of(alice)
    assert browser.post("/@bob/follow/").status_code == 302
    answer = browser.post("/@dave/follow/")
    assert answer.status_code == 400
    assert "You follow 1 accounts, the maximum." in answer.content.decode()


def test_replicas_help_from_then_on(alice: User, change: Change) -> None:
    browser = browser_of(alice)
    assert WROTE not in browser.post("/statuses/", {"text": "Hello"}).cookies
    change(reads_from_replicas=True)
    assert WROTE in browser.post("/statuses/", {"text": "Hello again"}).cookies


def test_the_time_to_edit_is_that_of_the_site(alice: User, change: Change) -> None:
    status = post_status(author=alice, text="Helo")
    change(edit_minutes=0)
    with pytest.raises(Refusal, match="can't be edited on this site"):
        edit_status(status=status, by=alice, text="Hello")
    change(edit_minutes=1)
    assert edit_status(status=status, by=alice, text="Hello")


def test_an_announcement_is_on_every_page_until_its_reader_closes_it(
    alice: User, change: Change
) -> None:
    change(announcement="Moving on <b>Sunday</b>: https://example.com/why")
    for reader in (Client(), browser_of(alice)):
        for address in ("/", "/about/", "/explore/"):
            page = text_of(reader, address)
            assert "Moving on &lt;b&gt;Sunday&lt;/b&gt;" in page
            assert 'href="https://example.com/why"' in page
        closed = reader.post(
            "/announcement/close/", headers={"referer": "http://testserver/about/"}
        )
        assert (closed.status_code, closed["Location"]) == (302, "/about/")
        for address in ("/", "/about/", "/explore/"):
            assert "Moving on" not in text_of(reader, address)
    assert "Moving on" in text_of(Client(), "/"), "one reader closed it for themselves"
    change(announcement="Moved.")
    assert "Moved." in text_of(reader, "/")
    change(announcement="")
    assert "announcement" not in text_of(reader, "/")


def test_pages_for_visitors_stay_kept_beside_an_announcement(change: Change) -> None:
    change(announcement="Moving on Sunday")
    reader = Client()
    reader.post("/announcement/close/")
    for visitor in (Client(), reader):
        visitor.get("/explore/")
        with counting_round_trips() as trips:
            visitor.get("/explore/")
        assert len(trips) == 1


def test_only_a_page_of_the_site_closes_an_announcement(change: Change) -> None:
    change(announcement="Moving on Sunday")
    answer = Client().post("/announcement/close/", headers={"origin": "https://evil.example"})
    assert answer.status_code == 403
    assert not answer.cookies
    assert Client().get("/announcement/close/").status_code == 405
