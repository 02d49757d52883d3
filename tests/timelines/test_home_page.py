import re
from html import unescape

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from lists.services import add_to_list, create_list
from statuses.models import Status
from statuses.reactions import services as reactions
from statuses.services import post_status
from statuses.store import find_statuses
from tests.cast import browser_of
from tests.round_trips import counting_round_trips
from users.models import User


def post(author: User, count: int) -> list[Status]:
    return [post_status(author=author, text=f"number {n}.") for n in range(count)]


def texts(html: str) -> list[str]:
    """What the statuses of a page say: `number 5.` comes out as `5`."""
    return [part.split(".")[0] for part in html.split("number ")[1:]]


def way_on(html: str, rel: str) -> str:
    """The address of the page before or after; empty if there is none."""
    found = re.search(rf'href="([^"]+)" rel="{rel}"', html)
    return unescape(found[1]) if found else ""


def read_all(browser: Client, address: str, rel: str) -> list[str]:
    """This page and all before or after it."""
    pages = [browser.get(address).content.decode()]
    while another := way_on(pages[-1], rel):
        pages.append(browser.get(another).content.decode())
    return pages


def test_a_home_page_costs_one_query_and_five_round_trips(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    post(alice, 30)
    browser = browser_of(bob)
    browser.get("/")
    with counting_round_trips() as trips, django_assert_num_queries(1) as queries:
        page = browser.get("/").content.decode()
    assert len(texts(page)) == 30
    assert len(trips) <= 5, trips.sent
    assert "users_user" in queries.captured_queries[0]["sql"]


def test_a_lively_home_costs_no_more(
    alice: User, bob: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """With replies to strangers, boosts of what is on the page already, and boosts of strangers."""
    statuses = post(alice, 40)
    strange = post(carol, 5)
    for status in strange:
        stored = find_statuses([status.pk])[status.pk]
        post_status(author=alice, text="So it is", reply_to=stored.id)
        reactions.boost(user=alice, status=stored)
    for stored in find_statuses([status.pk for status in statuses[-5:]]).values():
        reactions.boost(user=bob, status=stored)
    browser = browser_of(bob)
    browser.get("/")
    with counting_round_trips() as trips, django_assert_num_queries(1):
        page = browser.get("/").content.decode()
    assert len(texts(page)) == 30
    assert len(trips) <= 5, trips.sent


def test_an_older_home_page_costs_no_more(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    statuses = post(alice, 60)
    browser = browser_of(bob)
    browser.get("/")
    with counting_round_trips() as trips, django_assert_num_queries(1):
        page = browser.get(f"/?max_id={statuses[31].pk}").content.decode()
    assert texts(page)[0] == "30"
    assert len(trips) <= 5, trips.sent


def test_other_pages_are_cheap_too(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    status = post(alice, 30)[-1]
    list_ = create_list(owner=bob, name="Tea party")
    add_to_list(list_=list_, user=alice)
    browser = browser_of(bob)
    most = {
        "/@alice/": (3, 5),
        f"/@alice/{status.pk}/": (3, 3),
        f"/lists/{list_.pk}/": (2, 5),
        f"/lists/{list_.pk}/members/": (3, 5),
        "/explore/": (2, 8),
        "/explore/tags/": (1, 5),
        "/explore/newest/": (2, 7),
        "/@alice/followers/": (2, 5),
        "/@bob/following/": (2, 5),
    }
    for address, (queries, round_trips) in most.items():
        browser.get(address)
        with counting_round_trips() as trips, django_assert_num_queries(queries):
            assert browser.get(address).status_code == 200
        assert len(trips) <= round_trips, (address, trips.sent)


def test_pages_lead_down_to_the_oldest_and_up_again(alice: User) -> None:
    post(alice, 70)
    browser = browser_of(alice)
    numbers = [str(n) for n in reversed(range(70))]
    pages = read_all(browser, "/", "next")
    assert [n for page in pages for n in texts(page)] == numbers
    assert [len(texts(page)) for page in pages] == [30, 30, 10]

    last = way_on(pages[-2], "next")
    way_up = read_all(browser, last, "prev")
    assert [n for page in reversed(way_up) for n in texts(page)] == numbers


def test_ways_on_keep_what_else_the_address_says(alice: User) -> None:
    posted = post(alice, 32)
    page = browser_of(alice).get(f"/?order=latest&x=%22%26&max_id={posted[-1].pk}").content.decode()
    assert way_on(page, "next") == f"/?order=latest&x=%22%26&max_id={posted[1].pk}"
    assert way_on(page, "prev") == f"/?order=latest&x=%22%26&min_id={posted[-2].pk}"


def test_a_full_last_page_does_not_promise_another(alice: User) -> None:
    post(alice, 30)
    page = browser_of(alice).get("/")
    assert page.content.count(b"<article") == 30
    assert b"Older" not in page.content


def test_what_came_since_a_status(alice: User) -> None:
    statuses = post(alice, 3)
    page = browser_of(alice).get("/", {"since_id": statuses[0].pk})
    assert texts(page.content.decode()) == ["2", "1"]


def test_a_page_past_the_end_leads_back(alice: User) -> None:
    status = post_status(author=alice, text="the first")
    page = browser_of(alice).get("/", {"max_id": status.pk}).content.decode()
    assert "Nothing more here" in page
    assert "What&#x27;s happening?" not in page


def test_the_home_of_a_newcomer_leads_to_people(carol: User) -> None:
    page = browser_of(carol).get("/").content.decode()
    assert "Welcome, carol!" in page
    assert 'href="/welcome/people/">Find people to follow' in page


@pytest.mark.parametrize("name", ["max_id", "since_id", "min_id"])
@pytest.mark.parametrize("cursor", ["abc", "", "-1", "1.5", "٣", "9" * 16, "9" * 5_000, "1 OR 1"])
@pytest.mark.django_db
def test_a_cursor_that_is_no_number_is_refused(client: Client, name: str, cursor: str) -> None:
    answer = client.get("/explore/newest/", {name: cursor})
    assert answer.status_code == 400
    assert "That link doesn&#x27;t work." in answer.content.decode()


def test_home_refuses_bad_cursors_too(alice: User) -> None:
    assert browser_of(alice).get("/?max_id=x").status_code == 400


def test_the_navigation_marks_where_one_is(alice: User) -> None:
    browser = browser_of(alice)
    for address in ("/", "/explore/", "/lists/", "/@alice/", "/settings/"):
        page = browser.get(address).content.decode()
        assert f'<a class="place" href="{address}" aria-current="page">' in page
