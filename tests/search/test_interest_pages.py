"""Interests on profiles, and the tab of the search that finds people by them."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from search import selectors
from search.interests import page as interests_page
from tags.interests.services import MOST_INTERESTS, add_interests, change_interests
from tags.models import Interest
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from users import throttling
from users.models import User
from web.refusals import Refusal

TAB = "/search/?tab=interests"


def text(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def put(user: User, *names: str, languages: tuple[str, ...] = ()) -> None:
    change_interests(user=user, names=names, languages=languages)
    drain()


def results(page: str) -> str:
    return page.partition('id="found-people"')[2]


def test_a_profile_shows_interests_that_lead_to_people_who_share_them(
    client: Client, alice: User
) -> None:
    assert "Speaks" not in text(client, "/@alice/")
    answer = browser_of(alice).post(
        "/settings/interests/",
        {"tags": "#Python, redis  #python", "languages": ["zh", "en"]},
    )
    assert answer["Location"] == "/@alice/"
    page = text(client, "/@alice/")
    assert 'href="/search/?tab=interests&amp;tag=python"' in page
    assert "Speaks 中文, English" in page
    assert page.count("tab=interests&amp;tag=") == 2
    assert "@alice" in results(text(client, "/search/?tab=interests&tag=python"))


def test_what_is_saved_is_shown_in_the_form_and_can_be_taken_away(alice: User) -> None:
    put(alice, "tea", "birds", languages=("de",))
    browser = browser_of(alice)
    page = text(browser, "/settings/interests/")
    assert 'value="#tea #birds"' in page
    assert 'value="de" id="id_languages_7" checked' in page
    assert "Everybody can see them" in page
    assert browser.post("/settings/interests/", {"tags": "tea"}).status_code == 302
    assert [str(it.tag) for it in alice.interests.all()] == ["#tea"]
    assert not alice.spoken_languages.exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tags": "#12"}, "at least one letter"),
        ({"tags": " ".join(f"t{n}" for n in range(MOST_INTERESTS + 1))}, "up to 10 interests"),
        ({"languages": ["en", "de", "fr", "es", "it", "zh", "ja"]}, "up to 6 languages"),
        ({"languages": ["xx"]}, "xx"),
    ],
)
def test_what_is_no_interest_is_refused_in_the_form(
    alice: User, given: dict[str, str | list[str]], words: str
) -> None:
    put(alice, "tea")
    answer = browser_of(alice).post("/settings/interests/", given)
    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert [str(it.tag) for it in alice.interests.all()] == ["#tea"]


def test_a_program_gets_no_language_in_that_does_not_exist(alice: User) -> None:
    with pytest.raises(Refusal):
        change_interests(user=alice, names=[], languages=["<script>"])


def test_visitors_have_no_such_page(client: Client) -> None:
    assert client.get("/settings/interests/")["Location"].startswith("/login/")


def test_adding_stops_at_the_most(alice: User) -> None:
    put(alice, *(f"t{n}" for n in range(8)))
    assert add_interests(user=alice, names=["t1", "new", "newer", "newest"]) == 2
    assert alice.interests.count() == MOST_INTERESTS
    assert add_interests(user=alice, names=["other"]) == 0


def test_a_search_is_understood_as_it_is_typed(client: Client, alice: User, carol: User) -> None:
    put(alice, "python", "redis", languages=("zh", "en"))
    put(carol, "python")
    page = text(client, TAB + "&q=%23python+%23Redis+lang:zh-CN")
    assert "@alice" in results(page)
    assert "@carol" not in results(page)
    assert "#python, #redis · speaks 中文" in page
    assert 'value="#python #redis lang:zh"' in page
    assert '<input type="checkbox" name="tag" value="redis" checked>' in page
    assert '<option value="zh" selected lang="zh">' in page
    assert 'href="/search/?q=%23python%20%23redis%20lang%3Azh&amp;tab=people"' in page


def test_a_form_asks_for_some_of_several(client: Client, alice: User, carol: User) -> None:
    put(alice, "python", "redis", "go")
    put(carol, "python", "go")
    asked = TAB + "&tag=python&tag=redis&tag=go&more=rust+%23c&lang=&least="
    page = text(client, asked)
    assert "Nobody found" in page
    assert "At least 4 of 5" in page
    page = results(text(client, asked + "2"))
    assert page.index("@alice") < page.index("@carol")
    assert "3 of 5: #python, #redis, #go" in page
    assert "2 of 5: #python, #go" in page
    assert "@carol" not in results(text(client, asked + "3"))


@pytest.mark.parametrize(
    "query", ["", "lang:zh", "%23%23", "%3Cb%3E", "from:alice", "a " * 99, "%231 lang:xx", "%00"]
)
def test_any_query_gets_a_page(client: Client, alice: User, query: str) -> None:
    put(alice, "tea")
    page = text(client, f"{TAB}&q={query}&least=x")
    assert 'name="more"' in page
    assert "<b>" not in results(page)


def test_what_is_not_looked_for_is_said(client: Client, alice: User) -> None:
    assert "Not looked for" not in text(client, TAB + "&q=tea")
    page = text(client, TAB + "&q=%2312+lang:xx+a+b+c+d+e+f+g")
    assert "Not looked for: 12, xx, g." in page


def test_nothing_asked_offers_own_and_popular_interests(alice: User, carol: User) -> None:
    put(alice, "python")
    put(carol, "tea")
    page = text(browser_of(carol), TAB)
    assert "Who shares your interests?" in page
    for name in ("tea", "python"):
        assert f'<input type="checkbox" name="tag" value="{name}">' in page
    assert 'href="/settings/interests/"' in page
    assert "python" not in results(page)


def test_people_come_page_by_page(
    client: Client, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, module in (("PEOPLE_PER_PAGE", interests_page), ("MOST_PAGES", interests_page)):
        monkeypatch.setattr(module, name, 2)
    people = [make_user(f"fan{n}", followers_count=9 - n) for n in range(5)]
    for user in people:
        put(user, "tea")
    page = text(client, TAB + "&q=tea")
    assert results(page).index("@fan0") < results(page).index("@fan1")
    assert "@fan2" not in page
    assert 'href="/search/?tab=interests&amp;q=tea&amp;page=2" rel="next"' in page
    page = text(client, TAB + "&q=tea&page=2")
    assert "@fan3" in results(page)
    assert "@fan4" not in page
    assert 'rel="next"' not in page
    assert "Nobody more here" in text(client, TAB + "&q=tea&page=3")
    assert client.get(f"{TAB}&q=tea&page={selectors.MOST_PAGES + 1}").status_code == 400


def test_the_first_steps_put_tags_on_the_profile_only_if_asked(carol: User) -> None:
    browser = browser_of(carol)
    page = text(browser, "/welcome/interests/")
    assert "Put them on my profile too" in page
    assert "on_profile" in page
    assert "checked" not in page.partition('name="on_profile"')[2].partition(">")[0]
    browser.post("/welcome/interests/", {"others": "#tea"})
    assert not Interest.objects.exists()
    browser.post("/welcome/interests/", {"others": "#tea #birds", "on_profile": "on"})
    assert [it.tag.name for it in carol.interests.order_by("pk")] == ["tea", "birds"]


def test_searching_has_its_pace(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttling, "SEARCHES", 1)
    assert client.get(TAB).status_code == 200
    assert client.get(TAB).status_code == 429


def test_few_people_cost_a_fixed_number_of_queries(
    client: Client, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(4):
        put(make_user(f"fan{n}"), "tea", "birds", languages=("en",))
    address = TAB + "&q=%23tea+%23birds+lang:en"
    text(client, address)
    with django_assert_num_queries(7):
        text(client, address)
