"""What a search that finds nothing offers instead."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from search.query.parsing import parse
from search.showing.results import COUNTED, attempts, spellings
from statuses.services import post_status
from tests.cast import make_user
from tests.search.finding import index_all
from users.models import User


def say(author: User, *texts: str) -> None:
    for text in texts:
        post_status(author=author, text=text)
    index_all()


def offered(query: str) -> dict[str, int]:
    return {it.query: it.posts for it in attempts(parse(query), None)}


def test_a_search_is_offered_without_each_part_that_leaves_something(alice: User) -> None:
    say(alice, "first frost 1", "first frost 2", "snow")
    assert offered('"first frost" snow') == {"snow": 1, '"first frost"': 2}
    assert offered('"first frost" snow from:bob') == {}
    assert offered("frost from:bob") == {"frost": 2}
    assert offered("frost -first") == {"frost": 2}
    assert offered("ice") == {}


def test_only_some_are_counted(alice: User) -> None:
    say(alice, *(f"tea {number}" for number in range(COUNTED + 1)))
    (attempt,) = attempts(parse("tea from:bob"), None)
    assert attempt.posts == COUNTED
    assert attempt.has_more


def test_a_word_is_offered_as_a_tag_or_a_name_spells_it(alice: User) -> None:
    say(alice, "#hoarfrost today")
    make_user("rosanolan")
    assert spellings(parse("hoarfrsot from:alice"), None) == ["hoarfrost from:alice"]
    assert spellings(parse("#hoarfrots"), None) == ["#hoarfrost"]
    assert spellings(parse("tea from:rosanolen"), None) == ["tea from:rosanolan"]
    assert spellings(parse("tea zzzzzz 咖啡店咖 -hoarfrsot"), None) == []


def test_the_page_offers_both_and_nothing_on_results(alice: User, client: Client) -> None:
    say(alice, "#hoarfrost today", "tea")
    page = client.get("/search/?q=hoarfrsot+tea").content.decode()
    assert '<a href="/search/?q=hoarfrost%20tea">Did you mean “hoarfrost tea”?' in page
    assert "1 post without “hoarfrsot”" in " ".join(page.split())
    assert "Did you mean" not in client.get("/search/?q=tea").content.decode()


def test_a_mended_query_is_offered_as_a_link(client: Client, alice: User) -> None:
    page = client.get("/search/", {"q": 'snow "first frost', "tab": "top"}).content.decode()
    assert 'href="/search/?q=snow%20%22first%20frost%22&amp;tab=top"' in page


def test_marks_and_chips_are_on_the_page(client: Client, alice: User) -> None:
    say(alice, "Some <b>Tea</b>")
    page = client.get("/search/", {"q": "tea from:alice"}).content.decode()
    assert "Some &lt;b&gt;<mark>Tea</mark>&lt;/b&gt;" in page
    assert 'aria-label="Leave out: by @alice"' in page
    assert 'href="/search/?q=tea"' in page
    people = client.get("/search/?q=ali&tab=people").content.decode()
    assert "<mark>Alice</mark>" in people
    tags = client.get("/search/?q=hoar&tab=tags")
    assert tags.status_code == 200


@pytest.mark.parametrize("query", ["a1 b1 c1 d1 e1", "a1 from:nobody -c1 has:link"])
def test_a_search_without_results_asks_a_bounded_number_of_queries(
    alice: User,
    client: Client,
    query: str,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    say(alice, "tea")
    with django_assert_max_num_queries(18):
        client.get("/search/", {"q": query})
