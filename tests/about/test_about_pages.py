"""What people read about the site."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from about.tasks import count_numbers
from socialsite import env
from statuses.services import post_status
from tests.cast import browser_of
from users.models import User

ADDRESSES = ["/about/", "/rules/", "/privacy-policy/", "/help/", "/developers/"]


def text_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("address", ADDRESSES)
def test_everybody_reads_them_and_finds_the_others(
    alice: User, client: Client, address: str
) -> None:
    for browser in (client, browser_of(alice)):
        page = text_of(browser, address)
        assert all(f'href="{other}"' in page for other in ADDRESSES)
    assert client.post(address).status_code == 405


@pytest.mark.parametrize("address", ADDRESSES)
def test_pages_for_visitors_can_be_kept(
    transactional_db: None, client: Client, address: str
) -> None:
    answer = client.get(address)
    assert not answer.cookies
    assert "private" not in answer.get("Cache-Control", "")


def test_the_numbers_of_the_site_are_counted_once_an_hour(
    alice: User, bob: User, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    post_status(author=alice, text="hello")
    assert "<dt>" not in text_of(client, "/about/")
    count_numbers.call()
    page = text_of(client, "/about/")
    assert "<dd>2</dd>" in page
    assert "<dd>1</dd>" in page
    post_status(author=alice, text="hello again")
    with django_assert_num_queries(0):
        assert text_of(client, "/about/") == page


def test_a_contact_address_is_shown_where_there_is_one(
    transactional_db: None, client: Client, settings: Settings
) -> None:
    assert "mailto:" not in text_of(client, "/about/")
    settings.CONTACT_EMAIL = "hello@social.example"
    for address in ("/about/", "/rules/", "/privacy-policy/"):
        assert 'href="mailto:hello@social.example"' in text_of(client, address)


def test_a_site_has_rules_of_its_own(
    transactional_db: None, client: Client, settings: Settings, tmp_path: Path
) -> None:
    assert "Be decent." in text_of(client, "/rules/")
    rules = tmp_path / "rules.txt"
    rules.write_text("No <b>shouting</b>.\n\nTea at five.")
    settings.RULES_FILE = str(rules)
    page = text_of(client, "/rules/")
    assert "No &lt;b&gt;shouting&lt;/b&gt;." in page
    assert "<p>Tea at five.</p>" in page
    assert "Be decent." not in page


def test_rules_that_cannot_be_read_stop_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RULES_FILE", str(tmp_path / "nowhere.txt"))
    with pytest.raises(ImproperlyConfigured, match=r"nowhere\.txt"):
        env.validated("RULES_FILE", "", env.readable_text)


def test_privacy_says_how_long_a_deletion_can_be_undone(
    transactional_db: None, client: Client, settings: Settings
) -> None:
    settings.DELETION_GRACE_DAYS = 3
    assert "after 3 days" in text_of(client, "/privacy-policy/")
    settings.DELETION_GRACE_DAYS = 0
    assert "at once, and for good" in text_of(client, "/privacy-policy/")


def test_help_knows_the_limits_of_the_site(
    transactional_db: None, client: Client, settings: Settings
) -> None:
    assert "500 characters" in text_of(client, "/help/")
    settings.EDIT_MINUTES = 0
    assert "You can delete a post at any time." in text_of(client, "/help/")


def test_developers_find_the_stream(transactional_db: None, client: Client) -> None:
    assert 'href="/developers/stream/"' in text_of(client, "/developers/")


def test_privacy_names_the_cookie_of_those_who_wrote(client: Client, settings: Settings) -> None:
    assert "one more cookie" not in text_of(client, "/privacy-policy/")
    settings.REDIS_READ_FROM_REPLICAS = True
    assert "one more cookie" in text_of(client, "/privacy-policy/")
