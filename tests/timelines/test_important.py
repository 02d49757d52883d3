"""The home in the order of importance, page by page, and what it costs."""

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from redistools import keys
from redistools.client import get_client
from relations.services import follow, hide_boosts, unfollow
from statuses.reactions import services as reactions
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.entries import statuses_on
from tests.redis_keys import keys_of_the_test
from tests.round_trips import counting_round_trips
from tests.timelines.important_home import forget, said, stored, walk, write
from timelines import store, tasks
from timelines.ranking.important import important
from timelines.reading.paging import PAGE_SIZE
from users.models import User
from users.services import suspend


def test_each_status_comes_once_and_as_itself(alice: User, bob: User, carol: User) -> None:
    follow(follower=bob, followee=carol)
    status = post_status(author=alice, text="hello")
    reactions.boost(user=carol, status=stored(status))
    (entry,) = statuses_on(important(bob))
    assert (entry.id, entry.boost) == (status.pk, None)


def test_a_reply_to_a_stranger_shows_only_where_somebody_boosts_it(
    alice: User, bob: User, carol: User
) -> None:
    """Bob follows alice and dave. Dave's boost is hidden, erin's is seen."""
    dave, erin = make_user("dave"), make_user("erin")
    for friend in (dave, erin):
        follow(follower=bob, followee=friend)
    question = post_status(author=carol, text="a question")
    answer = post_status(author=alice, text="an answer", reply_to=stored(question).id)
    assert said(bob) == []
    reactions.boost(user=erin, status=stored(answer))
    reactions.boost(user=dave, status=stored(answer))
    hide_boosts(follower=bob, followee=dave)
    forget(bob)
    (entry,) = statuses_on(important(bob))
    assert entry.boost
    assert (entry.text, entry.boost.author_id) == ("an answer", erin.pk)


def test_rules_that_change_while_the_order_is_kept_hold(alice: User, bob: User) -> None:
    dave, erin = make_user("dave"), make_user("erin")
    follow(follower=bob, followee=dave)
    status = post_status(author=erin, text="boosted")
    reactions.boost(user=dave, status=stored(status))
    gone = post_status(author=alice, text="soon gone")
    assert set(said(bob)) == {"boosted", "soon gone"}
    delete_status(status=gone, by=alice)
    assert said(bob) == ["boosted"]
    hide_boosts(follower=bob, followee=dave)
    assert said(bob) == []


def test_a_suspended_booster_does_not_hide_what_others_boosted(
    alice: User, bob: User, carol: User
) -> None:
    dave = make_user("dave")
    follow(follower=bob, followee=dave)
    status = post_status(author=carol, text="boosted")
    reactions.boost(user=alice, status=stored(status))
    reactions.boost(user=dave, status=stored(status))
    suspend(user=dave)
    (entry,) = statuses_on(important(bob))
    assert entry.boost
    assert entry.boost.author_id == alice.pk
    suspend(user=carol)
    assert said(bob) == []


def test_the_order_is_kept_until_one_posts(alice: User, bob: User) -> None:
    post_status(author=alice, text="first")
    assert said(bob) == ["first"]
    post_status(author=alice, text="second")
    assert said(bob) == ["first"]
    assert 0 < get_client().ttl(keys.important(bob.pk)) <= 5 * 60
    post_status(author=bob, text="mine")
    assert said(bob) == ["mine", "second", "first"]


def test_following_and_unfollowing_change_it_at_once(alice: User, bob: User, carol: User) -> None:
    post_status(author=alice, text="by alice")
    post_status(author=carol, text="by carol")
    assert said(bob) == ["by alice"]
    follow(follower=bob, followee=carol)
    assert said(bob) == ["by carol", "by alice"]
    unfollow(follower=bob, followee=alice)
    assert said(bob) == ["by carol"]


def test_a_lost_order_is_worked_out_again(alice: User, bob: User) -> None:
    post_status(author=alice, text="hello")
    before = said(bob)
    get_client().delete(*keys_of_the_test("important:*"), *keys_of_the_test("home:*"))
    assert said(bob) == before == ["hello"]


def test_pages_have_no_repeats_while_others_post_and_delete(alice: User, bob: User) -> None:
    statuses = [post_status(author=alice, text=f"number {n}") for n in range(3 * PAGE_SIZE)]
    first = important(bob)
    post_status(author=alice, text="meanwhile")
    for status in statuses[35:40]:
        delete_status(status=status, by=alice)
    assert first.more is not None
    second = important(bob, after=int(first.more))
    assert len(second.entries) == PAGE_SIZE
    assert not {it.id for it in first.entries} & {it.id for it in second.entries}
    assert len(walk(bob)) == 3 * PAGE_SIZE - 5


def test_a_pulled_author_is_in_the_order(alice: User, bob: User, settings: Settings) -> None:
    settings.PULL_THRESHOLD = 1
    follow(follower=make_user("dave"), followee=alice)
    tasks.change_mode.call(alice.pk)
    post_status(author=alice, text="pulled")
    drain()
    assert said(bob) == ["pulled"]


def test_it_looks_at_the_newest_only(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "TIMELINE_SIZE", 5)
    for n in range(8):
        post_status(author=alice, text=f"{n}")
    assert sorted(said(bob)) == ["3", "4", "5", "6", "7"]


def test_the_home_has_both_orders(alice: User, bob: User) -> None:
    write(alice, hours_ago=3, text="loved", likes_count=9)
    write(alice, hours_ago=1, text="latest")
    browser = browser_of(bob)
    latest = browser.get("/").content.decode()
    assert latest.index("latest</p>") < latest.index("loved</p>")
    assert '<a href="/" aria-current="page">Latest</a>' in latest
    assert '<a href="/?order=important">Important</a>' in latest
    page = browser.get("/?order=important").content.decode()
    assert page.index("loved</p>") < page.index("latest</p>")
    assert '<a href="/?order=important" aria-current="page">Important</a>' in page
    assert "ordered by likes, boosts, replies and age" in page
    assert 'see <a href="/">Latest</a>' in page


def test_pages_lead_to_the_end(alice: User, bob: User) -> None:
    for n in range(PAGE_SIZE + 5):
        post_status(author=alice, text=f"number {n}")
    browser = browser_of(bob)
    first = browser.get("/?order=important")
    more = first.context["page"].more
    assert f'href="/?order=important&amp;after={more}" rel="next">More' in first.content.decode()
    second = browser.get(f"/?order=important&after={more}")
    assert len(second.context["page"].entries) == 5
    assert b"More</a>" not in second.content
    assert b"What&#x27;s happening?" not in second.content
    past = browser.get("/?order=important&after=5").content.decode()
    assert "The order may have changed" in past


def test_a_newcomer_is_welcomed_in_either_order(carol: User) -> None:
    assert b"Welcome, carol!" in browser_of(carol).get("/?order=important").content


@pytest.mark.parametrize("query", ["order=best", "order=", "order=important&after=x"])
def test_an_order_that_does_not_exist_is_refused(alice: User, query: str) -> None:
    assert browser_of(alice).get(f"/?{query}").status_code == 400


def test_an_important_page_costs_one_query_and_five_round_trips(
    alice: User, bob: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    follow(follower=bob, followee=carol)
    for n in range(40):
        status = post_status(author=alice, text=f"number {n}")
        if n % 4 == 0:
            reactions.boost(user=carol, status=stored(status))
            post_status(author=carol, text="indeed", reply_to=stored(status).id)
    browser = browser_of(bob)
    browser.get("/?order=important")
    with counting_round_trips() as trips, django_assert_num_queries(1):
        page = browser.get("/?order=important")
    assert len(page.context["page"].entries) == PAGE_SIZE
    assert len(trips) <= 5, trips.sent


def test_working_it_out_costs_a_few_round_trips_and_no_sql(
    alice: User, bob: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(60):
        status = post_status(author=carol, text=f"number {n}")
        reactions.boost(user=alice, status=stored(status))
    important(bob)
    forget(bob)
    with counting_round_trips() as trips, django_assert_num_queries(0):
        important(bob)
    assert len(trips) <= 10, trips.sent
