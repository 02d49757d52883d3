import re
from datetime import timedelta

from django.conf import settings as site
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from sharing.sitemaps import PEOPLE_PER_PAGE
from statuses.models import Status
from statuses.services import post_status
from statuses.tasks import follow_up
from taskqueue.drain import drain
from tests.cast import make_user
from users.audience import Visibility
from users.models import User
from users.services import suspend


def addresses(path: str) -> list[str]:
    """Without the host, which is ours."""
    answer = Client().get(path)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/xml"
    found = re.findall("<loc>(.*?)</loc>", answer.content.decode())
    assert all(it.startswith(site.SITE_URL) for it in found)
    return [it.removeprefix(site.SITE_URL) for it in found]


def everything() -> list[str]:
    return [address for page in addresses("/sitemap.xml") for address in addresses(page)]


def test_robots_are_led_to_the_map(client: Client) -> None:
    assert f"Sitemap: {site.SITE_URL}/sitemap.xml" in client.get("/robots.txt").content.decode()


def test_the_map_has_people_posts_and_tags(alice: User) -> None:
    status = post_status(author=alice, text="hello #tea")
    drain()
    follow_up.call(status.pk)
    found = everything()
    assert {"/", "/explore/", "/tags/tea/", "/@alice/", f"/@alice/{status.pk}/"} <= {*found}
    for address in found:
        assert Client().get(address).status_code == 200


def test_an_empty_site_has_a_map(transactional_db: None) -> None:
    assert "/" in everything()


def test_the_map_has_only_what_everybody_may_find(alice: User) -> None:
    for visibility in (Visibility.UNLISTED, Visibility.FOLLOWERS, Visibility.MENTIONED):
        post_status(author=alice, text=f"psst #secret{visibility}", visibility=visibility)
    dave = make_user("dave", is_private=True)
    post_status(author=dave, text="hello #private")
    erin = make_user("erin")
    post_status(author=erin, text="hello")
    make_user("silent")
    drain()
    suspend(user=erin)
    found = everything()
    assert [it for it in found if it.startswith("/@")] == ["/@alice/"]
    assert not [it for it in found if it.startswith("/tags/")]


def test_each_day_has_a_page(alice: User) -> None:
    status = post_status(author=alice, text="hello")
    day = status.created_at.date()
    old = Status.objects.get(pk=status.pk)
    old.pk = status.pk - (3 * 86_400_000 << 12)
    old.save(force_insert=True)
    pages = [it for it in addresses("/sitemap.xml") if "posts" in it]
    assert pages == [f"/sitemap-posts-{day - timedelta(days=age)}.xml" for age in range(4)]
    assert addresses(pages[3]) == [f"/@alice/{old.pk}/"]
    assert addresses(pages[1]) == []


def test_pages_of_the_map_that_cant_be_are_not_found(transactional_db: None) -> None:
    cant_be = ("posts-2026-02-31", "posts-9999-12-31", "posts-yesterday")
    for page in (*cant_be, "people--1", "people-x", f"people-{10**12}"):
        assert Client().get(f"/sitemap-{page}.xml").status_code == 404
    assert addresses(f"/sitemap-people-{10**6}.xml") == []
    assert addresses(f"/sitemap-posts-{timezone.now().date()}.xml") == []


def test_a_page_of_the_map_costs_one_query_and_the_index_two(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        status = post_status(author=alice, text=f"number {number}")
    with django_assert_num_queries(2):
        addresses("/sitemap.xml")
    with django_assert_num_queries(1):
        assert len(addresses(f"/sitemap-posts-{status.created_at.date()}.xml")) == 5
    with django_assert_num_queries(1):
        assert len(addresses(f"/sitemap-people-{alice.pk // PEOPLE_PER_PAGE}.xml")) == 1


def test_a_robot_that_has_the_map_is_told_so(alice: User) -> None:
    etag = Client().get("/sitemap.xml")["ETag"]
    assert Client().get("/sitemap.xml", headers={"if-none-match": etag}).status_code == 304
