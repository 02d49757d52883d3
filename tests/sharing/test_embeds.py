import pytest
from django.conf import settings as site
from django.test import Client

from configuration.site import Site
from statuses.models import Status
from statuses.reactions.services import boost
from statuses.selectors import visible_or_404
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of
from users.audience import Visibility
from users.models import User
from users.services import suspend


@pytest.fixture
def status(alice: User) -> Status:
    return post_status(author=alice, text="hello <everybody>")


def page_of(status: Status) -> str:
    return f"{site.SITE_URL}/@alice/{status.pk}/"


def test_oembed_says_how_to_embed_a_post(status: Status) -> None:
    answer = Client().get("/oembed", {"url": page_of(status), "format": "json"})
    assert answer.status_code == 200
    assert answer["Access-Control-Allow-Origin"] == "*"
    said = answer.json()
    assert (said["version"], said["type"]) == ("1.0", "rich")
    assert said["author_name"] == "Alice Liddell"
    assert said["author_url"] == f"{site.SITE_URL}/@alice/"
    assert said["provider_name"] == Site.name
    assert f'<iframe src="{page_of(status)}embed/" width="550"' in said["html"]
    assert said["width"] == 550
    assert f'height="{said["height"]}"' in said["html"]


@pytest.mark.parametrize(("asked", "width"), [("300", 300), ("5000", 550), ("10", 220)])
def test_oembed_keeps_to_the_width(status: Status, asked: str, width: int) -> None:
    said = Client().get("/oembed", {"url": page_of(status), "maxwidth": asked}).json()
    assert said["width"] == width
    assert f'width="{width}"' in said["html"]


def test_the_page_of_a_post_leads_there(status: Status) -> None:
    page = Client().get(f"/@alice/{status.pk}/").content.decode()
    start = page.index('type="application/json+oembed"')
    address = page[start:].partition('href="')[2].partition('"')[0]
    assert address.startswith(f"{site.SITE_URL}/oembed?url=http")
    assert Client().get(address.removeprefix(site.SITE_URL)).status_code == 200


def test_oembed_refuses_as_the_standard_says(status: Status, alice: User) -> None:
    def code(**parameters: str) -> int:
        answer = Client().get("/oembed", parameters)
        assert set(answer.json()) == {"error", "code"}
        return answer.status_code

    assert code() == 400
    assert code(url="") == 400
    assert code(url=page_of(status), maxwidth="wide") == 400
    assert code(url=page_of(status), maxheight="-1") == 400
    assert code(url=page_of(status), format="xml") == 501
    assert code(url=f"https://elsewhere.example/@alice/{status.pk}/") == 404
    assert code(url=f"{site.SITE_URL}/@alice/") == 404
    assert code(url=f"{site.SITE_URL}/@alice/1/") == 404
    assert code(url=f"{site.SITE_URL}/@nobody/{status.pk}/") == 404
    assert code(url="http://[::1") == 404
    hidden = post_status(author=alice, text="psst", visibility=Visibility.FOLLOWERS)
    assert code(url=page_of(hidden)) == 404
    delete_status(status=status, by=alice)
    assert code(url=page_of(status)) == 404


def test_only_an_embed_may_be_framed(status: Status) -> None:
    embed = Client().get(f"/@alice/{status.pk}/embed/")
    assert "frame-ancestors *" in embed["Content-Security-Policy"]
    assert "default-src 'none'" in embed["Content-Security-Policy"]
    assert "X-Frame-Options" not in embed
    for address in ("/", "/@alice/", f"/@alice/{status.pk}/", "/explore/", "/login/", "/offline/"):
        page = Client().get(address)
        assert page["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in page["Content-Security-Policy"]


def test_an_embed_is_light_and_knows_nobody(status: Status, alice: User) -> None:
    for reader in (Client(), browser_of(alice)):
        answer = reader.get(f"/@alice/{status.pk}/embed/")
        page = answer.content.decode()
        assert "hello &lt;everybody&gt;" in page
        assert "<script" not in page
        assert "<form" not in page
        assert not answer.cookies
        assert len(answer.content) < 2_500
        assert f'<link rel="canonical" href="{page_of(status)}">' in page


def test_what_visitors_cant_see_can_t_be_embedded(status: Status, alice: User, bob: User) -> None:
    for visibility in (Visibility.FOLLOWERS, Visibility.MENTIONED):
        hidden = post_status(author=alice, text="psst @bob", visibility=visibility)
        assert browser_of(bob).get(f"/@alice/{hidden.pk}/").status_code == 200
        assert browser_of(bob).get(f"/@alice/{hidden.pk}/embed/").status_code == 404
    assert Client().get(f"/@bob/{status.pk}/embed/").status_code == 404
    suspend(user=alice)
    assert Client().get(f"/@alice/{status.pk}/embed/").status_code == 404


def test_a_boost_leads_to_the_embed_of_its_original(status: Status, bob: User) -> None:
    boost(user=bob, status=visible_or_404(status.pk, viewer=bob))
    drain()
    boosted = Status.objects.get(boost_of=status.pk)
    answer = Client().get(f"/@bob/{boosted.pk}/embed/")
    assert answer["Location"] == f"/@alice/{status.pk}/embed/"
