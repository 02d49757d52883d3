"""Long texts, which lists of posts show the beginning of."""

import pytest
from django.test import Client

from configuration.site import Site
from statuses.html.folding import fold_of
from statuses.services import edit_status, post_status
from tests.cast import browser_of
from users.models import User

POEM = "\n".join(f"line {number}" for number in range(30))


@pytest.mark.parametrize(
    ("text", "fold"),
    [
        ("", ""),
        ("A few words.", ""),
        ("x" * Site.longest_post, ""),
        ("\n".join("1234567890abcd"), ""),
        ("\n".join("1234567890abcdef"), "long"),
        (POEM, "long"),
        ("字" * 300, "long-on-phones"),
        ("字" * Site.longest_post, "long"),
        ("lorem ipsum " * 41, ""),
        # Marks take no room.
        ("z" + "\u0351" * 2_000, ""),
        ("ภาษาไทย " * 60, ""),
    ],
)
def test_texts_of_more_than_fourteen_lines_are_long(text: str, fold: str) -> None:
    assert fold_of(text) == fold


def test_a_list_shows_the_beginning_and_a_way_to_the_rest(alice: User, client: Client) -> None:
    post_status(author=alice, text=POEM)
    for page in (client.get("/@alice/"), browser_of(alice).get("/")):
        html = page.content.decode()
        assert '<p class="status-text long"' in html
        assert html.count('<label class="unfold">') == 1
        assert "line 29" in html


def test_short_texts_versions_and_embeds_are_whole(alice: User, client: Client) -> None:
    status = post_status(author=alice, text=POEM)
    edit_status(status=status, by=alice, text="Short.")
    assert "unfold" not in client.get("/@alice/").content.decode()
    for address in (f"/@alice/{status.pk}/history/", f"/@alice/{status.pk}/embed/"):
        page = client.get(address)
        assert page.status_code == 200
        assert "unfold" not in page.content.decode()


def test_times_say_that_they_are_in_utc(alice: User, client: Client) -> None:
    """Scripts put them into the reader's zone."""
    status = post_status(author=alice, text="One.")
    edit_status(status=status, by=alice, text="Two.")
    pages = [f"/@alice/{status.pk}/{page}" for page in ("history/", "", "embed/")]
    for address in pages:
        assert " UTC</time>" in client.get(address).content.decode(), address
    assert client.get(pages[0]).content.decode().count(" UTC</time>") == 2


def test_visitors_log_in_to_like_boost_and_reply_and_come_back(alice: User, client: Client) -> None:
    status = post_status(author=alice, text="Tea?")
    page = client.get("/explore/newest/").content.decode()
    there = f"/@alice/{status.pk}/"
    for kind, onward in (("boost", there), ("like", there), ("reply", f"{there}%23reply")):
        link = f'<a data-action={kind} rel="nofollow" href="/login/?next={onward}">'
        assert link in page, kind
    assert "login/?next" not in browser_of(alice).get("/explore/newest/").content.decode()
