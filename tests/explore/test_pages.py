"""/explore/ and its tabs, for members and visitors."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from explore import languages
from explore.selectors import newest, newest_in_sql
from redistools.client import get_client
from statuses.models import Status
from statuses.reactions import services as reactions
from statuses.services import delete_status, post_status
from statuses.store import find_statuses
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.redis_keys import keys_of_the_test
from tests.round_trips import counting_round_trips
from users.models import User
from users.services import suspend


def post(author: User, count: int, language: str = "") -> list[Status]:
    return [
        post_status(author=author, text=f"number {n}.", language=language) for n in range(count)
    ]


def like(fan: User, *statuses: Status) -> None:
    for status in statuses:
        reactions.like(user=fan, status=find_statuses([status.pk])[status.pk])
    drain()


def shown(answer: Any) -> list[str]:
    return [entry.text for entry in answer.context["page"].entries]


def test_visitors_see_what_everybody_says_and_whom_to_follow(
    client: Client, alice: User, carol: User
) -> None:
    post_status(author=alice, text="from the first")
    post_status(author=carol, text="from the second")
    for address in ("/explore/", "/explore/newest/"):
        page = client.get(address).content.decode()
        assert page.index("from the second") < page.index("from the first")
        assert "People to follow" in page
        assert "/follow/" not in page


def test_popular_posts_come_first(client: Client, alice: User, bob: User, carol: User) -> None:
    first, second, third = post(alice, 3)
    like(bob, second, third)
    like(carol, second)
    for browser in (client, browser_of(carol)):
        answer = browser.get("/explore/")
        assert shown(answer) == [second.text, third.text]
        assert first.text not in answer.content.decode()
    assert shown(client.get("/explore/newest/")) == [third.text, second.text, first.text]


def test_a_site_where_nothing_is_popular_shows_what_is_new(client: Client, alice: User) -> None:
    post_status(author=alice, text="hello", language="en")
    page = client.get("/explore/?lang=en").content.decode()
    assert "Nothing is popular yet" in page
    assert "hello" in page
    assert 'href="/explore/newest/?lang=en">All newest posts' in page


def test_popular_pages_go_on_without_repeats(client: Client, alice: User, bob: User) -> None:
    like(bob, *post(alice, 70))
    seen: list[str] = []
    address = "/explore/"
    while address:
        page = client.get(address)
        seen += shown(page)
        assert ("People to follow" in page.content.decode()) is (address == "/explore/")
        more = page.context["page"].more
        assert ('rel="next"' in page.content.decode()) is bool(more)
        address = f"/explore/?after={more}" if more else ""
    assert seen == [f"number {n}." for n in reversed(range(70))]
    past = client.get("/explore/?after=1")
    assert "Nothing more here" in past.content.decode()


@pytest.mark.parametrize("cursor", ["abc", "", "-1", "1e5", "nan", "inf", "٣", "9" * 5_000, "(1"])
@pytest.mark.django_db
def test_a_cursor_that_is_no_score_is_refused(client: Client, cursor: str) -> None:
    answer = client.get("/explore/", {"after": cursor})
    assert answer.status_code == 400
    assert "That link doesn&#x27;t work." in answer.content.decode()


def test_newest_leaves_out_replies_and_boosts(client: Client, alice: User, bob: User) -> None:
    status = post_status(author=alice, text="hello")
    stored = find_statuses([status.pk])[status.pk]
    post_status(author=bob, text="a reply", reply_to=stored.id)
    reactions.boost(user=bob, status=stored)
    assert shown(client.get("/explore/newest/")) == ["hello"]


def test_older_pages_go_on_without_the_people(client: Client, alice: User) -> None:
    post(alice, 31, language="en")
    first = client.get("/explore/newest/?lang=en")
    assert b"number 0." not in first.content
    older = first.context["page"].older
    assert f"/explore/newest/?lang=en&amp;max_id={older}" in first.content.decode()
    second = client.get(f"/explore/newest/?lang=en&max_id={older}").content.decode()
    assert "number 0." in second
    assert "People to follow" not in second


def test_posts_are_filtered_by_language(client: Client, alice: User, bob: User) -> None:
    texts = {"": "…", "en": "hello", "pt-BR": "olá"}
    for language, text in texts.items():
        like(bob, post_status(author=alice, text=text, language=language))
    for address in ("/explore/", "/explore/newest/"):
        assert shown(client.get(address)) == ["olá", "hello", "…"]
        for language in ("en", "pt-BR"):
            answer = client.get(address, {"lang": language})
            assert shown(answer) == [texts[language]]
            assert f'value="{language}" lang="{language}" selected' in answer.content.decode()
        page = client.get(address, {"lang": "fi"}).content.decode()
        assert "Nothing in this language yet" in page
        assert "Suomi" in page


def test_popular_posts_that_redis_has_forgotten_are_filtered_too(
    client: Client, alice: User, bob: User
) -> None:
    for language in ("en", "de"):
        like(bob, post_status(author=alice, text=f"in {language}", language=language))
    gone = post_status(author=alice, text="gone", language="de")
    like(bob, gone)
    delete_status(status=gone, by=alice)
    get_client().delete(*keys_of_the_test("status:*"))
    assert shown(client.get("/explore/?lang=de")) == ["in de"]


@pytest.mark.parametrize("address", ["/explore/", "/explore/newest/"])
@pytest.mark.parametrize("language", ["EN", "x", "klingonese!", "e" * 40, "en\x00", "<b>"])
@pytest.mark.django_db
def test_what_is_no_language_is_refused(client: Client, address: str, language: str) -> None:
    answer = client.get(address, {"lang": language})
    assert answer.status_code == 400
    assert "<b>" not in answer.content.decode()


def test_the_languages_in_use_can_be_chosen_the_most_used_first(
    client: Client, alice: User
) -> None:
    for language in ("de", "en", "de", "", "xx"):
        post_status(author=alice, text="hello", language=language)
    found = client.get("/explore/").context["languages"]
    assert found[0] == ("de", "Deutsch")
    assert set(found[1:]) == {("en", "English"), ("xx", "xx")}


def test_languages_are_looked_for_in_the_newest_posts_only_and_not_every_time(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "NEWEST", 2)
    for language in ("de", "en", "fr"):
        post_status(author=alice, text="hello", language=language)
    assert {it.code for it in languages.seen()} == {"en", "fr"}
    post_status(author=alice, text="hello", language="es")
    assert {it.code for it in languages.seen()} == {"en", "fr"}
    cache.clear()
    assert {it.code for it in languages.seen()} == {"fr", "es"}


@pytest.mark.parametrize("cursors", [{}, {"below": 10**15}, {"above": 10**3}])
@pytest.mark.django_db
def test_the_newest_of_a_language_are_found_by_an_index(cursors: dict[str, int]) -> None:
    rows = newest_in_sql("en").visible_to(None).between(**cursors).newest_first()
    plan = rows.values_list("id", flat=True)[:31].explain()
    assert "USING INDEX status_by_language" in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.django_db
def test_the_newest_of_all_are_found_without_sorting() -> None:
    plan = newest_in_sql("").visible_to(None).newest_first()[:31].explain()
    assert "TEMP B-TREE" not in plan


def test_trending_tags_lead_to_their_pages(client: Client, alice: User, bob: User) -> None:
    for author in (alice, bob):
        post_status(author=author, text="#Tee und #Käse" if author == bob else "#Tee")
    drain()
    page = client.get("/explore/tags/").content.decode()
    assert 'href="/tags/tee/">#<bdi>Tee</bdi></a>\n<small>2 people today' in page
    assert 'href="/tags/k%C3%A4se/">#<bdi>Käse</bdi></a>\n<small>1 person today' in page


def test_without_tags_the_page_says_how_to_begin(client: Client, alice: User) -> None:
    assert b"No tags today" in client.get("/explore/tags/").content
    assert b"Write a post" in browser_of(alice).get("/explore/tags/").content


def test_members_are_shown_people_they_do_not_follow(alice: User, bob: User, carol: User) -> None:
    page = browser_of(bob).get("/explore/")
    assert [it.person.username for it in page.context["suggested"]] == ["carol"]
    assert b'action="/@carol/follow/"' in page.content


def test_those_whom_most_follow_come_first(client: Client, alice: User, carol: User) -> None:
    make_user("dave", followers_count=5)
    usernames = [it.person.username for it in client.get("/explore/").context["suggested"]]
    assert usernames == ["dave", "carol", "alice"]


def test_suspended_accounts_are_not_shown(client: Client, alice: User, bob: User) -> None:
    like(bob, post_status(author=alice, text="something bad"))
    suspend(user=alice)
    for address in ("/explore/", "/explore/newest/", "/explore/tags/"):
        page = client.get(address).content.decode()
        assert "something bad" not in page
        assert "alice" not in page


def test_pages_stay_full_past_hidden_posts(client: Client, alice: User, bob: User) -> None:
    spammer = make_user("spammer")
    like(bob, *post(alice, 35), *post(spammer, 90))
    suspend(user=spammer)
    assert shown(client.get("/explore/")) == [f"number {n}." for n in range(34, 4, -1)]


def test_an_empty_site_says_what_to_do(client: Client, transactional_db: None) -> None:
    for address in ("/explore/", "/explore/newest/"):
        page = client.get(address).content.decode()
        assert "Nobody has posted anything yet" in page
        assert "Sign up and be the first" in page


@pytest.mark.parametrize("address", ["/explore/", "/explore/tags/", "/explore/newest/"])
def test_explore_is_only_read(client: Client, address: str) -> None:
    assert client.post(address).status_code == 405


@pytest.mark.parametrize(
    "address", ["/explore/", "/explore/?lang=en", "/explore/tags/", "/explore/newest/?lang=en"]
)
@pytest.mark.parametrize("count", [0, 1, 40])
def test_a_page_costs_eight_round_trips_and_two_queries(
    alice: User,
    bob: User,
    address: str,
    count: int,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    like(bob, *post(alice, count, language="en"))
    browser = browser_of(bob)
    browser.get(address)
    with counting_round_trips() as trips, django_assert_max_num_queries(2):
        assert browser.get(address).status_code == 200
    assert len(trips) <= 8, trips.sent


def test_newest_reads_as_other_timelines_do(alice: User) -> None:
    ids = [status.pk for status in post(alice, 5)]
    assert [it.id for it in newest(None, max_id=ids[3], limit=2)] == [ids[2], ids[1]]
    assert [it.id for it in newest(None, min_id=ids[1], limit=2)] == [ids[3], ids[2]]
    assert [it.id for it in newest(None, since_id=ids[1])] == [ids[4], ids[3], ids[2]]
