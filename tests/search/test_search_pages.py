"""Searching for people and tags."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from redistools import keys
from redistools.client import get_client
from relations.blocks_and_mutes.services import block
from relations.services import follow
from search import selectors
from statuses.services import delete_status, post_status
from tags.services import follow_tag
from taskqueue.drain import drain
from tests import postgres
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from tests.search.finding import count_tags
from users import throttling
from users.audience import Visibility
from users.models import User
from users.services import change_profile, request_deletion, silence, suspend
from users.tasks import refresh_user


def found(query: str, viewer: User | None = None) -> list[str]:
    browser = browser_of(viewer) if viewer else Client()
    answer = browser.get("/search/", {"q": query, "tab": "people"})
    assert answer.status_code == 200
    return [person.username for person in answer.context["people"].shown]


def empty_the_board() -> None:
    """So that only SQL knows any tags."""
    get_client().unlink(keys.trending("tags"))


def tags(query: str) -> list[str]:
    return [it.name for it in selectors.find_tags(query)]


@pytest.mark.parametrize(
    "query", ["ali", "ALICE", "lidd", "liddell ali", "@alice", "@Ali", "älice"]
)
def test_people_are_found_by_the_beginning_of_any_name(alice: User, bob: User, query: str) -> None:
    assert found(query) == ["alice"]


@pytest.mark.parametrize("query", ["iddell", "alice b", "zed", "@liddellx", "%", "*", "\0"])
def test_nobody_is_found_by_anything_else(alice: User, bob: User, query: str) -> None:
    assert found(query) == []


def test_names_without_blanks_are_found_by_any_part(transactional_db: None) -> None:
    make_user("taro", name="山田太郎")
    for query in ("山田", "太郎", "田太"):
        assert found(query) == ["taro"]


def test_people_are_found_by_their_bios_after_those_with_such_names(carol: User) -> None:
    for number, (name, bio) in enumerate(
        [
            ("tess", "Gardens"),
            ("una", "I love GARDENS, and tea"),
            ("gardener", ""),
            ("vera", "gärten"),
        ]
    ):
        make_user(name, bio=bio, followers_count=number)
    assert found("garden") == ["gardener", "una", "tess"]
    assert found("una gardens") == found("tea garden") == ["una"]
    assert found("@gardens") == ["una", "tess"]
    follow(follower=carol, followee=User.objects.get(username="tess"))
    assert found("garden", carol) == ["gardener", "tess", "una"]


def test_bios_of_silenced_accounts_are_for_their_followers(alice: User, bob: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_silenced=True)
    change_profile(user=alice, name="Alice", bio="gardens")
    assert found("gardens") == []
    assert found("gardens", bob) == ["alice"]
    suspend(user=alice)
    assert found("gardens", bob) == []


def test_those_whom_the_reader_follows_come_first_then_those_with_the_most_followers(
    carol: User,
) -> None:
    for name, count in (("max_a", 5), ("max_b", 9), ("max_c", 0)):
        make_user(name, followers_count=count)
    assert found("max") == ["max_b", "max_a", "max_c"]
    follow(follower=carol, followee=User.objects.get(username="max_c"))
    assert found("max", carol) == ["max_c", "max_b", "max_a"]


def test_the_account_of_exactly_this_name_comes_before_all(carol: User) -> None:
    star = make_user("maximum", followers_count=1_000)
    make_user("max")
    follow(follower=carol, followee=star)
    assert found("@max", carol) == ["max", "maximum"]
    assert found("MAX", carol) == ["max", "maximum"]


def test_a_block_hides_both_from_each_other(alice: User, carol: User) -> None:
    block(blocker=alice, blocked=carol)
    assert found("alice", carol) == []
    assert found("@carol", alice) == []
    assert found("alice") == ["alice"]


def test_suspended_and_leaving_accounts_are_not_found(alice: User, carol: User) -> None:
    assert found("@alice") == ["alice"]
    suspend(user=alice)
    request_deletion(user=carol)
    assert found("@alice") == found("lidd") == found("carol") == []


def test_silenced_accounts_are_found_by_name_and_by_followers(alice: User, bob: User) -> None:
    silence(user=alice)
    assert found("lidd") == []
    assert found("@alice") == ["alice"]
    assert found("lidd", bob) == ["alice"]


def test_private_accounts_are_found_and_can_be_asked(alice: User, carol: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_private=True)
    refresh_user.call(alice.pk)
    page = browser_of(carol).get("/search/?q=ali&tab=people").content.decode()
    assert 'action="/@alice/follow/"' in page


def test_people_who_follow_the_reader_are_marked(alice: User, bob: User, carol: User) -> None:
    page = browser_of(alice).get("/search/?q=bo&tab=people").content.decode()
    assert "Follows you" in page
    assert (
        "Follows you" not in browser_of(alice).get("/search/?q=carol&tab=people").content.decode()
    )


def test_results_go_on_page_by_page_without_repeats(
    transactional_db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "PEOPLE_PER_PAGE", 2)
    for number in range(5):
        make_user(f"twin{number}", followers_count=number)
    seen: list[str] = []
    page: int | None = 1
    while page:
        answer = client.get(f"/search/?q=twin&tab=people&page={page}")
        seen += [it.username for it in answer.context["people"].shown]
        page = answer.context["next_page"]
    assert seen == ["twin4", "twin3", "twin2", "twin1", "twin0"]
    assert "Nothing more here" in client.get("/search/?q=twin&tab=people&page=9").content.decode()


@pytest.mark.parametrize("page", ["0", "11", "x", "-1", "99999999999999999999"])
def test_pages_that_cannot_be_are_refused(
    transactional_db: None, client: Client, page: str
) -> None:
    assert client.get("/search/", {"q": "a", "tab": "people", "page": page}).status_code == 400


def test_without_a_query_the_page_says_what_to_type(alice: User, client: Client) -> None:
    post_status(author=alice, text="#Tea")
    drain()
    page = client.get("/search/").content.decode()
    assert "Find posts, people and tags" in page
    assert "/tags/tea/" in page
    for tab in ("latest", "top", "people", "tags"):
        answer = client.get("/search/", {"q": "zzz", "tab": tab})
        assert "Nothing found for “zzz”" in answer.content.decode()


def test_what_was_typed_is_shown_escaped(transactional_db: None, client: Client) -> None:
    page = client.get("/search/", {"q": '"><script>x'}).content.decode()
    assert "<script>x" not in page
    assert "&quot;&gt;&lt;script&gt;x" in page


def test_tags_are_found_by_their_beginning(alice: User, carol: User) -> None:
    post_status(author=alice, text="#Berlin #Bergen")
    drain()
    assert tags("#ber") == ["bergen", "berlin"] or tags("#ber") == ["berlin", "bergen"]
    assert tags("BERL") == ["berlin"]
    assert tags("@ber") == []
    assert selectors.find_people("#ali", viewer=None).people.shown == []


def test_tags_that_nobody_rises_with_are_found_too(alice: User, carol: User) -> None:
    post_status(author=alice, text="#Berlin")
    count_tags()
    empty_the_board()
    assert tags("ber") == ["berlin"]


def test_tags_that_only_some_may_know_are_not_found(alice: User, carol: User, bob: User) -> None:
    post_status(author=alice, text="#secretone", visibility=Visibility.FOLLOWERS)
    User.objects.filter(pk=carol.pk).update(is_private=True)
    carol.refresh_from_db()
    refresh_user.call(carol.pk)
    post_status(author=carol, text="#secrettwo")
    follow_tag(user=bob, name="secretthree")
    gone = post_status(author=alice, text="#secretfour")
    delete_status(status=gone, by=alice)
    dave = make_user("dave")
    post_status(author=dave, text="#secretfive")
    suspend(user=dave)
    count_tags()
    assert tags("#secret") == []
    empty_the_board()
    assert tags("#secret") == []


def test_too_many_searches_have_to_wait(
    alice: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttling, "SEARCHES", 2)
    codes = [client.get("/search/?q=ali").status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    assert client.get("/search/").status_code == 200
    assert browser_of(alice).get("/search/?q=ali").status_code == 200


def test_search_is_only_read(transactional_db: None, client: Client) -> None:
    assert client.post("/search/", {"q": "a"}).status_code == 405


def test_a_search_costs_six_round_trips_and_eight_queries(
    alice: User, bob: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Session, rate limit, viewpoint, people, tags; and the account. PostgreSQL looks first at how
    many of the newest posts fit.
    """
    browser = browser_of(bob)
    browser.get("/search/?q=ali")
    most = 8 + postgres.is_wanted()
    with counting_round_trips() as trips, django_assert_max_num_queries(most):
        browser.get("/search/?q=ali")
    assert len(trips) <= 6, trips.sent
