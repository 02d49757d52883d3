"""What readers see while somebody is suspended: nothing of theirs, and everything else."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from explore.selectors import newest
from lists.services import add_to_list, create_list
from redistools import keys
from redistools.client import get_client
from relations import selectors as people
from relations.services import follow
from statuses import store as status_store
from statuses.models import Status, status_ids
from statuses.reading.shown import ShownStatus
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from timelines import store, tasks
from timelines.selectors import home, list_timeline, profile
from upkeep.checking import differences
from users.models import User
from users.services import restore, suspend
from users.standing.suspension import suspended_ids
from web import pager


@pytest.fixture
def dave(bob: User) -> User:
    dave = make_user("dave", name="Dave the spammer", bio="Buy now!")
    follow(follower=bob, followee=dave)
    return dave


def texts(page: list[ShownStatus]) -> list[str]:
    return [status.text for status in page]


def walk(read: Callable[..., list[ShownStatus]]) -> list[str]:
    """Every page, one after the other, as a reader would."""
    seen: list[ShownStatus] = []
    while page := read(max_id=seen[-1].id if seen else None):
        seen += page
    return texts(seen)


def walk_up(read: Callable[..., list[ShownStatus]], start: int) -> list[str]:
    seen: list[ShownStatus] = []
    while page := read(min_id=seen[0].id if seen else start):
        seen = page + seen
    return texts(seen)


def test_a_suspended_author_vanishes_everywhere_and_comes_back_in_order(
    client: Client, alice: User, bob: User, dave: User
) -> None:
    list_ = create_list(owner=bob, name="Reading")
    for member in (alice, dave):
        add_to_list(list_=list_, user=member)
    said = [post_status(author=who, text=f"by {who}") for who in (alice, dave, alice, dave)]
    reads: list[Callable[..., list[ShownStatus]]] = [
        partial(home, bob),
        partial(list_timeline, list_),
        partial(newest, None),
    ]
    both = ["by @dave", "by @alice", "by @dave", "by @alice"]
    assert [texts(read()) for read in reads] == [both] * 3
    in_redis = get_client().lrange(keys.home(bob.pk), 0, -1)

    suspend(user=dave)
    assert [texts(read()) for read in reads] == [["by @alice", "by @alice"]] * 3
    assert texts(profile(dave)) == []
    addresses = ["/@dave/", "/@dave/followers/", "/@dave/following/", f"/@dave/{said[1].pk}/"]
    assert [client.get(address).status_code for address in addresses] == [404] * 4
    for address in ("/", "/explore/", f"/lists/{list_.pk}/"):
        assert b"dave" not in browser_of(bob).get(address).content
    assert get_client().lrange(keys.home(bob.pk), 0, -1) == in_redis, "hidden, not gone"
    assert not list(differences(None, Counter()))

    restore(user=dave)
    assert [texts(read()) for read in reads] == [both] * 3
    assert [client.get(address).status_code for address in addresses] == [200] * 4
    assert not list(differences(None, Counter()))


def test_a_home_that_is_built_meanwhile_has_everything_when_they_come_back(
    alice: User, bob: User, dave: User
) -> None:
    post_status(author=dave, text="before")
    suspend(user=dave)
    get_client().delete(keys.home(bob.pk), keys.profile(dave.pk))
    assert texts(home(bob)) == []
    restore(user=dave)
    assert texts(home(bob)) == ["before"]


def test_what_is_posted_in_the_same_moment_is_hidden_too(
    alice: User, bob: User, dave: User
) -> None:
    home(bob)
    in_flight = User.objects.get(pk=dave.pk)
    suspend(user=dave)
    post_status(author=in_flight, text="just in time", idempotency_key="once")
    drain()
    assert texts(home(bob)) == texts(newest(None)) == []
    restore(user=dave)
    assert texts(home(bob)) == texts(newest(None)) == ["just in time"]


@pytest.mark.parametrize("limit", [1, 3, 30])
def test_pages_stay_full_in_both_directions_and_below_what_redis_keeps(
    alice: User, bob: User, dave: User, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "TIMELINE_SIZE", 10)
    home(bob)
    authors = [alice, dave, dave, alice, dave, dave, dave, dave, alice, dave] * 3
    for number, author in enumerate(authors):
        post_status(author=author, text=f"{number} by {author}")
    suspend(user=dave)
    wanted = [f"{n} by {who}" for n, who in enumerate(authors) if who == alice][::-1]
    read = partial(home, bob, limit=limit)
    assert walk(read) == wanted
    assert walk_up(read, 1) == wanted
    assert len(read()) == min(limit, len(wanted))


def test_a_home_full_of_a_suspended_spammer_is_read_in_a_few_round_trips(
    alice: User, bob: User, dave: User
) -> None:
    post_status(author=alice, text="below the heap")
    ids = [status_ids.next(get_client()) for _ in range(700)]
    Status.objects.bulk_create(
        [Status(id=i, author=dave, text="spam", created_at=dave.date_joined) for i in ids]
    )
    status_store.refresh_statuses(ids)
    suspend(user=dave)
    home(bob)
    suspended_ids()
    with counting_round_trips() as trips:
        assert texts(home(bob)) == ["below the heap"]
    assert len(trips) <= 12, len(trips)


def test_pulled_authors_are_hidden_too(
    alice: User, bob: User, dave: User, settings: Settings
) -> None:
    settings.PULL_THRESHOLD = 1
    follow(follower=alice, followee=dave)
    dave.refresh_from_db()
    tasks.change_mode.call(dave.pk)
    post_status(author=dave, text="pulled")
    drain()
    assert texts(home(bob)) == ["pulled"]
    suspend(user=dave)
    assert texts(home(bob)) == texts(home(alice)) == []
    restore(user=dave)
    assert texts(home(bob)) == texts(home(alice)) == ["pulled"]


def test_a_page_costs_no_more_while_somebody_is_suspended(
    alice: User, bob: User, dave: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    suspend(user=dave)
    for _ in range(31):
        post_status(author=alice, text="hello @dave and @bob")
    browser = browser_of(bob)
    browser.get("/")
    with counting_round_trips() as trips, django_assert_num_queries(1):
        assert browser.get("/").status_code == 200
    assert len(trips) <= 5, trips.sent


LINK = '<a class="mention" href="/@Dave/">@Dave</a>'


def test_mentions_of_a_suspended_account_are_plain_text(
    client: Client, alice: User, bob: User, dave: User
) -> None:
    status = post_status(author=alice, text="hello @Dave and @bob")
    drain()
    other = '<a class="mention" href="/@bob/">@bob</a>'
    addresses = [
        *("/", "/explore/", "/@alice/", f"/@alice/{status.pk}/"),
        f"/statuses/{status.pk}/delete/",
    ]
    follow(follower=alice, followee=bob)
    browser = browser_of(alice)
    assert all(LINK in browser.get(address).content.decode() for address in addresses)
    suspend(user=dave)
    for address in addresses:
        page = browser.get(address).content.decode()
        assert "hello @Dave and" in page
        assert LINK not in page
        assert other in page
    assert not list(differences(None, Counter())), "the stored status is as it was"
    restore(user=dave)
    assert all(LINK in browser.get(address).content.decode() for address in addresses)


def test_what_mentions_a_suspended_account_is_linked_once_they_are_back(
    client: Client, alice: User, dave: User
) -> None:
    suspend(user=dave)
    post_status(author=alice, text="where is @Dave?")
    assert LINK not in client.get("/@alice/").content.decode()
    restore(user=dave)
    assert LINK in client.get("/@alice/").content.decode()


def names_on(client: Client, address: str) -> list[str]:
    return [person.username for person in client.get(address).context["people"].shown]


def test_their_rows_vanish_from_all_lists_of_people(
    client: Client, alice: User, bob: User, dave: User
) -> None:
    follow(follower=dave, followee=alice)
    list_ = create_list(owner=bob, name="Reading")
    for member in (alice, dave):
        add_to_list(list_=list_, user=member)
    pages = {
        "/@alice/followers/": ["dave", "bob"],
        "/@bob/following/": ["dave", "alice"],
        f"/lists/{list_.pk}/members/": ["dave", "alice"],
    }
    assert {address: names_on(client, address) for address in pages} == pages
    assert b"@dave" in client.get("/explore/").content
    suspend(user=dave)
    for browser in (client, browser_of(bob)):
        for address, names in pages.items():
            assert names_on(browser, address) == [name for name in names if name != "dave"]
            assert b"Buy now" not in browser.get(address).content
    assert b"@dave" not in client.get("/explore/").content
    restore(user=dave)
    assert {address: names_on(client, address) for address in pages} == pages


def test_pages_of_people_stay_full(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "PEOPLE_PER_PAGE", 2)
    crowd = [make_user(f"fan{number}") for number in range(12)]
    for fan in crowd:
        follow(follower=fan, followee=alice)
    for fan in crowd[3:11]:
        suspend(user=fan)
    first = client.get("/@alice/followers/").context["people"]
    assert [fan.username for fan in first.shown] == ["fan11", "fan2"]
    second = client.get(f"/@alice/followers/?max_id={first.older}").context["people"]
    assert [fan.username for fan in second.shown] == ["fan1", "fan0"]
    assert second.older is None


def test_a_page_of_people_looks_only_so_far_and_the_next_goes_on(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "PEOPLE_PER_PAGE", 1)
    monkeypatch.setattr(pager, "ROUNDS", 1)
    crowd = [make_user(f"fan{number}") for number in range(4)]
    for fan in crowd:
        follow(follower=fan, followee=alice)
    for fan in crowd[1:]:
        suspend(user=fan)
    page = client.get("/@alice/followers/")
    assert page.context["people"].shown == []
    assert b"Older" in page.content
    assert names_on(client, f"/@alice/followers/?max_id={page.context['people'].older}") == ["fan0"]


def test_nobody_does_anything_with_a_suspended_account(alice: User, bob: User, dave: User) -> None:
    list_ = create_list(owner=bob, name="Reading")
    add_to_list(list_=list_, user=dave)
    suspend(user=dave)
    browser = browser_of(bob)
    assert browser.post("/@dave/follow/").status_code == 404
    assert browser.post("/@dave/unfollow/").status_code == 404
    members = f"/lists/{list_.pk}/members/"
    added = browser.post(f"{members}add/", {"username": "dave"})
    assert (added.status_code, b"No account named @dave." in added.content) == (400, True)
    assert browser.post(f"{members}remove/", {"username": "dave"}).status_code == 404


def test_the_lists_of_a_suspended_owner_vanish_with_them(
    client: Client, bob: User, dave: User
) -> None:
    list_ = create_list(owner=dave, name="Customers")
    addresses = [f"/lists/{list_.pk}/", f"/lists/{list_.pk}/members/"]
    suspend(user=dave)
    for browser in (client, browser_of(bob)):
        assert [browser.get(address).status_code for address in addresses] == [404, 404]
    restore(user=dave)
    assert [client.get(address).status_code for address in addresses] == [200, 200]
