from datetime import UTC, datetime
from xml.etree import ElementTree as Xml

import pytest
from django.conf import settings as site
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from statuses.reactions.services import boost
from statuses.selectors import visible_or_404
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from users.audience import Visibility
from users.models import User
from users.services import change_privacy, silence, suspend


def entries(address: str, client: Client | None = None) -> list[Xml.Element]:
    answer = (client or Client()).get(address)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/rss+xml"
    return Xml.fromstring(answer.content).findall("channel/item")


def titles(address: str, client: Client | None = None) -> list[str]:
    return [item.findtext("title", "") for item in entries(address, client)]


def test_a_feed_has_the_newest_posts_with_whole_addresses(alice: User) -> None:
    post_status(author=alice, text="one")
    status = post_status(author=alice, text="two <b> of @alice & https://example.com/")
    first, second = entries("/@alice/feed.xml")
    assert first.findtext("link") == f"{site.SITE_URL}/@alice/{status.pk}/"
    assert first.findtext("guid") == first.findtext("link")
    assert f'href="{site.SITE_URL}/@alice/"' in first.findtext("description", "")
    assert "two &lt;b&gt; of" in first.findtext("description", "")
    assert second.findtext("title") == "one"
    assert len(titles("/@alice/feed.xml")) == 2


def test_a_feed_has_only_what_everybody_may_find(alice: User, bob: User) -> None:
    for visibility in Visibility:
        post_status(author=alice, text=f"{visibility.label} #tea", visibility=visibility)
    said = post_status(author=bob, text="by bob")
    boost(user=alice, status=visible_or_404(said.pk, viewer=alice))
    drain()
    for address in ("/@alice/feed.xml", "/tags/tea/feed.xml"):
        for reader in (Client(), browser_of(alice), browser_of(bob)):
            assert titles(address, reader) == ["Public #tea"]


def test_a_content_warning_stands_for_the_text(alice: User) -> None:
    post_status(author=alice, text="the butler did it", warning="the end of a book")
    answer = Client().get("/@alice/feed.xml").content.decode()
    assert "the end of a book" in answer
    assert "butler" not in answer


def test_private_and_suspended_accounts_have_no_feed_and_silenced_ones_an_empty_one(
    alice: User,
) -> None:
    post_status(author=alice, text="hello #tea")
    drain()
    assert titles("/@alice/feed.xml") == titles("/tags/tea/feed.xml") == ["hello #tea"]
    silence(user=alice)
    assert titles("/@alice/feed.xml") == titles("/tags/tea/feed.xml") == []
    change_privacy(user=alice, is_private=True, default_visibility=0)
    assert Client().get("/@alice/feed.xml").status_code == 404
    suspend(user=alice)
    assert Client().get("/@alice/feed.xml").status_code == 404
    assert Client().get("/@nobody/feed.xml").status_code == 404


@pytest.mark.parametrize("cookie", ["", "anything=else"])
def test_a_reader_that_has_the_feed_is_told_so(alice: User, cookie: str) -> None:
    post_status(author=alice, text="hello")
    headers = {"cookie": cookie} if cookie else {}
    answer = Client().get("/@alice/feed.xml", headers=headers)
    for condition, header in (("if-none-match", "ETag"), ("if-modified-since", "Last-Modified")):
        again = Client().get("/@alice/feed.xml", headers={condition: answer[header]} | headers)
        assert again.status_code == 304, condition
    long_ago = datetime(2020, 1, 1, tzinfo=UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    old = Client().get("/@alice/feed.xml", headers={"if-modified-since": long_ago} | headers)
    assert old.status_code == 200


def test_a_feed_has_one_address(alice: User) -> None:
    answer = Client().get("/@ALICE/feed.xml")
    assert (answer.status_code, answer["Location"]) == (301, "/@alice/feed.xml")
    answer = Client().get("/tags/TEA/feed.xml")
    assert (answer.status_code, answer["Location"]) == (301, "/tags/tea/feed.xml")
    assert Client().get("/tags/!/feed.xml").status_code == 404
    assert Client().post("/@alice/feed.xml").status_code == 405
    assert titles("/tags/nobody_used_it/feed.xml") == []


def test_a_feed_costs_one_query(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(40):
        post_status(author=alice, text=f"number {number} #tea")
    drain()
    Client().get("/@alice/feed.xml")
    for address in ("/@alice/feed.xml", "/tags/tea/feed.xml"):
        Client().get(address)
        with django_assert_num_queries(1):
            assert len(entries(address, Client(headers={"cookie": "a=b"}))) == 30


def test_pages_name_their_feed(alice: User) -> None:
    make_user("dave", is_private=True)
    link = (
        f'<link rel="alternate" type="application/rss+xml" title="{{}}" href="{site.SITE_URL}{{}}">'
    )
    page = Client().get("/@alice/").content.decode()
    assert link.format("Alice Liddell (@alice)", "/@alice/feed.xml") in page
    assert link.format("#tea", "/tags/tea/feed.xml") in Client().get("/tags/tea/").content.decode()
    assert "feed.xml" not in Client().get("/@dave/").content.decode()
