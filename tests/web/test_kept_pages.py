"""Pages that are kept for visitors: quick, never personal, and gone when something is hidden."""

import gzip
from collections.abc import Callable

import pytest
from django.conf import settings as site
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from redistools import keys
from redistools.client import get_client
from relations.services import follow
from statuses.models import Status
from statuses.reactions.services import boost, like
from statuses.selectors import visible_or_404
from statuses.services import delete_status, edit_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.redis_keys import keys_of_the_test
from tests.round_trips import counting_round_trips
from users.models import User
from users.services import (
    change_privacy,
    change_profile,
    delete_account,
    request_deletion,
    silence,
    suspend,
)
from web.pages import kept_pages
from web.pages.kept_pages import KEPT_SECONDS
from web.pages.page_versions import VERSION_SECONDS

WORDS = "words of alice #tea"


@pytest.fixture
def status(alice: User) -> Status:
    status = post_status(author=alice, text=WORDS)
    drain()
    return status


def pages_with(status: Status) -> list[str]:
    return [
        "/@alice/",
        "/@alice/with_replies/",
        f"/@alice/{status.pk}/",
        f"/@alice/{status.pk}/embed/",
        "/@alice/feed.xml",
        "/tags/tea/",
        "/tags/tea/feed.xml",
        "/explore/newest/",
    ]


def kept() -> list[str]:
    return [name for name in keys_of_the_test() if keys.kind(name) == "page"]


def let_kept_pages_end() -> None:
    """Like ten seconds."""
    for name in kept():
        assert 0 < get_client().ttl(name) <= KEPT_SECONDS
        get_client().unlink(name)


def shows(address: str, words: str = WORDS.partition(" #")[0]) -> bool:
    return words in Client().get(address).content.decode()


def test_the_second_visitor_costs_one_round_trip_and_no_query(
    status: Status, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Client().get("/@alice/")  # Redis does not know who is suspended, until somebody asks
    for address in (*pages_with(status), "/", "/explore/", "/explore/tags/"):
        first = Client().get(address)
        with django_assert_num_queries(0, info=address), counting_round_trips() as trips:
            second = Client().get(address)
        assert len(trips) == 1, address
        assert second.content == first.content
        assert second.headers.items() == first.headers.items()


def test_a_page_is_kept_for_a_short_time_and_its_version_for_longer(status: Status) -> None:
    Client().get("/@alice/")
    (name,) = kept()
    assert 0 < get_client().ttl(name) <= KEPT_SECONDS
    delete_status(status=status, by=status.author)
    assert 2 * KEPT_SECONDS < get_client().ttl(keys.page_version()) <= VERSION_SECONDS


def test_a_new_post_ends_no_kept_page(status: Status, alice: User) -> None:
    """A busy site would keep none."""
    Client().get("/@alice/")  # Redis does not know who is suspended, until somebody asks
    before = {address: Client().get(address).content for address in pages_with(status)}
    post_status(author=alice, text="and more #tea")
    drain()
    for address, page in before.items():
        assert Client().get(address).content == page, address


def go_private(alice: User, _status: Status) -> None:
    change_privacy(user=alice, is_private=True, default_visibility=0)


HIDING: dict[str, Callable[[User, Status], object]] = {
    "deletion": lambda _alice, status: delete_status(status=status, by=status.author),
    "suspension": lambda alice, _status: suspend(user=alice),
    "silence": lambda alice, _status: silence(user=alice),
    "going private": go_private,
    "leaving": lambda alice, _status: request_deletion(user=alice),
    "deleted account": lambda alice, _status: delete_account(user=alice),
    "edit": lambda alice, status: edit_status(status=status, by=alice, text="something else #tea"),
}


@pytest.mark.parametrize("change", HIDING)
def test_what_is_hidden_is_gone_from_kept_pages_at_once(
    status: Status, alice: User, change: str
) -> None:
    """Before any worker has run."""
    for address in pages_with(status):
        assert shows(address), address
        assert shows(address), address
    HIDING[change](alice, status)
    for address in pages_with(status):
        assert not shows(address), address


def test_a_page_of_somebody_else_who_boosted_it_loses_it_too(status: Status, bob: User) -> None:
    boost(user=bob, status=visible_or_404(status.pk, viewer=bob))
    drain()
    assert shows("/@bob/")
    delete_status(status=status, by=status.author)
    assert not shows("/@bob/")


def test_new_posts_likes_and_follows_show_when_kept_pages_end(status: Status, alice: User) -> None:
    bob, page = make_user("bob"), f"/@alice/{status.pk}/"
    for address in pages_with(status):
        assert shows(address)
    post_status(author=alice, text="and more #tea")
    drain()
    let_kept_pages_end()
    for address in ("/@alice/", "/@alice/feed.xml", "/tags/tea/", "/explore/newest/"):
        assert shows(address, "and more"), address
    answered = visible_or_404(status.pk, viewer=bob)
    assert not shows(page, "quite so")
    post_status(author=bob, text="quite so", reply_to=answered.id)
    let_kept_pages_end()
    assert shows(page, "quite so")
    before = Client().get(page).content
    like(user=bob, status=answered)
    let_kept_pages_end()
    assert Client().get(page).content != before
    before = Client().get("/@alice/").content
    follow(follower=bob, followee=alice)
    let_kept_pages_end()
    assert Client().get("/@alice/").content != before


def test_a_new_name_shows_at_once(status: Status, alice: User) -> None:
    page = f"/@alice/{status.pk}/"
    assert shows("/@alice/")
    assert shows(page)
    change_profile(user=alice, name="Queen Alice", bio="")
    drain()
    assert shows("/@alice/", "Queen Alice")
    assert shows(page, "Queen Alice")


def test_members_get_their_own_page_and_leave_nothing_for_visitors(
    status: Status, alice: User
) -> None:
    browser = browser_of(alice)
    for address in ("/@alice/", f"/@alice/{status.pk}/", "/explore/", "/"):
        mine = browser.get(address)
        assert "csrfmiddlewaretoken" in mine.content.decode()
        assert mine["Cache-Control"] == "private, no-cache"
        assert "ETag" not in mine
    assert kept() == []
    for address in ("/@alice/", f"/@alice/{status.pk}/", "/explore/", "/"):
        page = Client().get(address)
        assert "csrfmiddlewaretoken" not in page.content.decode()
        assert not page.cookies
        assert browser.get(address).content != page.content


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("cookie", "sessionid=abc"),
        ("cookie", "messages=abc"),
        ("cookie", "anything=else"),
        ("hx-request", "true"),
        ("authorization", "Bearer abc"),
    ],
)
def test_requests_that_may_be_special_are_not_answered_from_there(
    status: Status, header: str, value: str
) -> None:
    Client().get("/@alice/", headers={header: value})
    assert kept() == []
    Client().get("/@alice/")
    Client().get("/@alice/?max_id=5")
    Client().post("/@alice/")
    Client().get("/login/")
    Client().get("/@nobody/")
    assert len(kept()) == 1


def test_a_path_that_a_proxy_has_cut_short_names_no_other_page(status: Status) -> None:
    """As gunicorn reads `SCRIPT_NAME: /@alice`: the front page, at the address of a profile."""
    Client().get("/", SCRIPT_NAME="/@alice")
    assert kept() == []
    assert shows("/@alice/with_replies/")
    assert shows("/@alice/")


def test_a_csrf_cookie_from_another_page_changes_nothing(status: Status) -> None:
    visitor = Client()
    visitor.get("/login/")
    assert site.CSRF_COOKIE_NAME in visitor.cookies
    assert visitor.get("/@alice/").content == Client().get("/@alice/").content
    assert len(kept()) == 1


def test_who_has_the_page_is_told_so(status: Status) -> None:
    for address in pages_with(status):
        page = Client().get(address)
        again = Client().get(address, headers={"if-none-match": page["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again["ETag"] == page["ETag"]
        assert {"Cookie", "Accept-Encoding"} <= set(page["Vary"].split(", "))
        assert page["Cache-Control"] == "no-cache"
    delete_status(status=status, by=status.author)
    changed = Client().get("/@alice/", headers={"if-none-match": page["ETag"]})
    assert changed.status_code == 200


def test_a_kept_page_goes_out_as_the_client_reads_it(status: Status) -> None:
    plain = Client().get("/@alice/")
    packed = Client().get("/@alice/", headers={"accept-encoding": "br, gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content)
    assert gzip.decompress(packed.content) == plain.content
    head = Client().head("/@alice/", headers={"accept-encoding": "gzip"})
    assert (head.content, head["Content-Length"]) == (b"", packed["Content-Length"])
    refusing = Client().get("/@alice/", headers={"accept-encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refusing


def test_each_language_and_host_has_its_own(status: Status, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "other.example"]
    Client().get("/@alice/")
    Client().get("/@alice/", headers={"accept-language": "zh-CN"})
    Client().get("/@alice/", headers={"host": "other.example"})
    assert len(kept()) == 3
    assert Client().get("/@alice/", headers={"host": "forged.example"}).status_code == 400


def test_a_page_that_was_made_while_something_changed_is_not_shown(
    status: Status, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change comes after the page was read, and before it is kept."""
    keep = kept_pages._keep

    def delete_and_keep(*arguments: object) -> None:
        monkeypatch.undo()
        delete_status(status=status, by=alice)
        keep(*arguments)  # type: ignore[arg-type] # whatever they are

    monkeypatch.setattr(kept_pages, "_keep", delete_and_keep)
    assert shows("/@alice/")
    assert len(kept()) == 1
    assert not shows("/@alice/")


def test_what_nobody_can_read_counts_as_missing(status: Status) -> None:
    Client().get("/@alice/")
    (name,) = kept()
    get_client().set(name, "nonsense")
    assert shows("/@alice/")
