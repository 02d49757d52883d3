"""What other sites learn of a page: canonical links and Open Graph."""

import re

from django.conf import settings as site
from django.test import Client

from statuses.services import post_status
from tests.cast import browser_of
from users.audience import Visibility
from users.models import User
from users.services import change_profile

META = re.compile(r'<meta (?:property|name)="(og:\w+|description|robots)" content="([^"]*)">')
CANONICAL = re.compile(r'<link rel="canonical" href="([^"]*)">')


def meta(address: str, client: Client | None = None) -> dict[str, str]:
    page = (client or Client()).get(address).content.decode()
    canonical = CANONICAL.findall(page)
    return dict(META.findall(page)) | ({"canonical": canonical[0]} if canonical else {})


def test_a_profile_says_who_it_is_about(alice: User) -> None:
    change_profile(user=alice, name="Alice", bio='Down the "hole"')
    said = meta("/@alice/")
    assert said["og:type"] == "profile"
    assert said["og:title"] == "Alice (@alice)"
    assert said["og:description"] == said["description"] == "Down the &quot;hole&quot;"
    assert said["og:url"] == said["canonical"] == f"{site.SITE_URL}/@alice/"
    assert said["og:image"] == f"{site.SITE_URL}/static/img/icon-512.png"
    assert meta("/@alice/?max_id=5")["canonical"] == f"{site.SITE_URL}/@alice/"


def test_a_post_says_what_it_says(alice: User) -> None:
    status = post_status(author=alice, text="hello <there>")
    said = meta(f"/@alice/{status.pk}/")
    assert said["og:type"] == "article"
    assert said["og:title"] == "Alice Liddell (@alice)"
    assert said["og:description"] == "hello &lt;there&gt;"
    assert said["og:url"] == said["canonical"] == f"{site.SITE_URL}/@alice/{status.pk}/"
    assert "robots" not in said


def test_a_warning_stands_for_the_text(alice: User) -> None:
    status = post_status(author=alice, text="the butler did it", warning="the end of a book")
    assert meta(f"/@alice/{status.pk}/")["og:description"] == "the end of a book"


def test_what_not_everybody_may_see_gives_nothing_away(alice: User, bob: User) -> None:
    for visibility in (Visibility.FOLLOWERS, Visibility.MENTIONED):
        status = post_status(author=alice, text="psst @bob", visibility=visibility)
        assert meta(f"/@alice/{status.pk}/") == {}
        for reader in (alice, bob):
            assert meta(f"/@alice/{status.pk}/", browser_of(reader)) == {"robots": "noindex"}


def test_unlisted_posts_are_not_for_search_engines(alice: User) -> None:
    status = post_status(author=alice, text="hello", visibility=Visibility.UNLISTED)
    assert meta(f"/@alice/{status.pk}/")["robots"] == "noindex"


def test_a_tag_has_one_address(alice: User) -> None:
    said = meta("/tags/tea/")
    assert said["canonical"] == said["og:url"] == f"{site.SITE_URL}/tags/tea/"
    assert said["og:title"] == "#tea"
