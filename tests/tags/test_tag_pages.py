from urllib.parse import quote

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tags import services
from tags.models import Tag, TagFollow
from tags.services import follow_tag
from tests.cast import browser_of, clicks
from tests.round_trips import counting_round_trips
from tests.timelines.tagging import post
from users import throttling
from users.models import User
from users.throttling import Pace


def test_the_page_of_a_tag_shows_it_as_written_with_its_posts(client: Client, alice: User) -> None:
    post(alice, "<b> #TeaTime")
    post(alice, "no tag")
    page = client.get("/tags/teatime/").content.decode()
    assert "<title>#TeaTime · " in page
    assert '&lt;b&gt; <a class="hashtag" href="/tags/teatime/">#TeaTime</a>' in page
    assert "no tag" not in page
    assert 'href="/login/?next=/tags/teatime/">Follow' in page, "visitors log in first"


@pytest.mark.parametrize("spelling", ["TEA", "Tea", "\uff34\uff25\uff21"])
def test_every_spelling_leads_to_one_address(client: Client, alice: User, spelling: str) -> None:
    answer = client.get(f"/tags/{quote(spelling)}/?max_id=5")
    assert answer.status_code == 301
    assert answer["Location"] == "/tags/tea/?max_id=5"


@pytest.mark.parametrize("name", ["茶", "caf\u00e9", "नमस्ते"])
def test_an_address_may_be_in_any_script(client: Client, alice: User, name: str) -> None:
    post(alice, f"#{name}")
    answer = client.get(f"/tags/{quote(name)}/")
    assert answer.status_code == 200
    assert f"#{name}</bdi></h1>" in answer.content.decode()
    decomposed = client.get(f"/tags/{quote('cafe')}%CC%81/")
    assert decomposed["Location"] == "/tags/caf%C3%A9/"


def test_the_link_in_a_post_leads_to_the_page_without_a_detour(client: Client, alice: User) -> None:
    post(alice, "#Caf\u00e9")
    page = client.get("/explore/").content.decode()
    address = page.partition('class="hashtag" href="')[2].partition('"')[0]
    assert client.get(address).status_code == 200


def test_a_tag_that_nobody_uses_has_a_page(client: Client, alice: User) -> None:
    for browser in (client, browser_of(alice)):
        answer = browser.get("/tags/unused/")
        assert answer.status_code == 200
        assert "Nothing with <bdi>#unused</bdi> yet" in answer.content.decode()
    assert not Tag.objects.exists(), "looking makes none"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["1", "a b", "a-b", "%23tea", "%00", "a" * 101, "%F0%9F%8D%B5", "."]
)
@pytest.mark.parametrize("action", ["", "follow/", "unfollow/"])
def test_what_can_not_be_a_tag_is_404(alice: User, name: str, action: str) -> None:
    browser = browser_of(alice)
    address = f"/tags/{name}/{action}"
    assert (browser.post(address) if action else browser.get(address)).status_code == 404


def test_following_and_unfollowing_on_the_page(alice: User, bob: User) -> None:
    post(alice, "#Tea")
    browser = browser_of(bob)
    page = browser.get("/tags/tea/").content.decode()
    assert 'action="/tags/tea/follow/"' in page
    answer = browser.post("/tags/tea/follow/", {"next": "/tags/tea/"})
    assert answer["Location"] == "/tags/tea/"
    page = browser.get("/tags/tea/").content.decode()
    assert 'action="/tags/tea/unfollow/"' in page
    assert '<bdi class="person-name">#Tea</bdi>' in browser.get("/tags/").content.decode()
    browser.post("/tags/TEA/unfollow/")
    assert not TagFollow.objects.exists()
    assert "You don't follow any tags yet" in browser.get("/tags/").content.decode()


def test_a_double_click_follows_once(bob: User) -> None:
    codes = clicks([browser_of(bob) for _ in range(4)], "/tags/tea/follow/")
    assert codes == [302] * 4
    assert TagFollow.objects.count() == 1


def test_one_tag_too_many_is_refused_with_the_reason(
    bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MAX_TAGS", 1)
    follow_tag(user=bob, name="tea")
    answer = browser_of(bob).post("/tags/cake/follow/")
    assert answer.status_code == 400
    assert "You follow 1 tags, the maximum. Unfollow one first." in answer.content.decode()


def test_following_too_often_is_429(bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(throttling.PACES, "tag", Pace(2))
    browser = browser_of(bob)
    assert [browser.post(f"/tags/t{n}/follow/").status_code for n in range(3)] == [302, 302, 429]
    assert browser.post("/tags/t1/unfollow/").status_code == 302, "undoing is always possible"


def test_visitors_and_other_sites_change_nothing(client: Client, bob: User) -> None:
    assert client.post("/tags/tea/follow/")["Location"].startswith("/login/")
    assert client.get("/tags/")["Location"].startswith("/login/")
    assert client.get("/mentions/")["Location"].startswith("/login/")
    assert browser_of(bob).get("/tags/tea/follow/").status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(bob)
    assert strict.post("/tags/tea/follow/").status_code == 403
    assert not TagFollow.objects.exists()


def test_a_page_past_the_end_leads_back(client: Client, alice: User) -> None:
    status = post(alice, "#tea")
    assert "Nothing more here" in client.get(f"/tags/tea/?max_id={status.pk}").content.decode()
    assert client.get("/tags/tea/?max_id=x").status_code == 400


def test_the_pages_are_cheap(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(31):
        post(alice, f"#tea with @bob {number}")
    follow_tag(user=bob, name="tea")
    browser = browser_of(bob)
    for address, queries, round_trips in (
        ("/tags/tea/", 2, 6),
        ("/tags/", 2, 3),
        ("/mentions/", 1, 5),
    ):
        browser.get(address)
        with counting_round_trips() as trips, django_assert_num_queries(queries):
            assert browser.get(address).status_code == 200
        assert len(trips) <= round_trips, (address, trips.sent)
