"""The panels beside a page: trending tags, and whom to follow."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.round_trips import counting_round_trips
from users.models import User


def test_the_panels_show_tags_and_people(alice: User, bob: User, carol: User) -> None:
    post_status(author=alice, text="#Tea")
    drain()
    page = browser_of(bob).get(
        "/aside/", headers={"HX-Current-URL": "http://testserver/@alice/?x=1"}
    )
    text = page.content.decode()
    assert "Who to follow" in text
    assert 'action="/@carol/follow/"' in text
    assert 'action="/@carol/dismiss/"' in text
    assert 'aria-label="Not interested in @carol"' in text
    assert 'href="/explore/people/"' in text
    assert "Here since" in text
    assert 'name="next" value="/@alice/?x=1"' in text
    assert "/tags/tea/" in text
    assert "1 person today" in text
    assert "<html" not in text
    assert {"no-cache", "private"} <= set(page["Cache-Control"].split(", "))


@pytest.mark.parametrize(
    "asked_from",
    ["", "//evil.example/", "https://x.example//evil.example/", "http://[", "javascript:x"],
)
def test_buttons_lead_to_no_other_site(alice: User, carol: User, asked_from: str) -> None:
    page = browser_of(alice).get("/aside/", headers={"HX-Current-URL": asked_from})
    assert 'name="next" value="/"' in page.content.decode()


def test_visitors_are_sent_to_log_in(alice: User, client: Client) -> None:
    page = client.get("/aside/")
    assert "/login/?next=/@alice/" in page.content.decode()
    assert "csrfmiddlewaretoken" not in page.content.decode()
    assert not page.cookies


def test_without_anything_to_show_there_are_no_panels(
    transactional_db: None, client: Client
) -> None:
    assert client.get("/aside/").content.decode().strip() == ""


def test_the_panels_cost_four_round_trips_and_one_query(
    alice: User, bob: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = browser_of(bob)
    browser.get("/aside/")
    with counting_round_trips() as trips, django_assert_num_queries(1):
        browser.get("/aside/")
    assert len(trips) == 4, trips.sent
