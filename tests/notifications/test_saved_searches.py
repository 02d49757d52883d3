"""Saved searches that notify: one notification for each, whatever comes."""

import pytest
from pytest_django import DjangoAssertNumQueries

from notifications.models import Notification
from notifications.selectors import everything
from relations.blocks_and_mutes.services import block, mute, mute_word
from search.models import SavedSearch, SearchAnchor
from search.services import (
    MOST_NOTIFYING,
    delete_search,
    notify_of_search,
    rename_search,
    save_search,
)
from search.watching import watch
from statuses.models import Status
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from users.audience import Visibility
from users.models import User
from users.services import delete_account, suspend
from web.cursors import HIGHEST_ID
from web.refusals import Refusal


def watched(user: User, query: str) -> SavedSearch:
    search = save_search(user=user, query=query)
    notify_of_search(search=search, wanted=True)
    return search


@pytest.fixture(autouse=True)
def begun(transactional_db: None) -> None:
    """Nothing is there yet."""
    watch(settled=0)


def look() -> None:
    """At everything that has been posted, as if a minute had passed."""
    newest = Status.objects.order_by("-pk").values_list("pk", flat=True).first()
    while watch(settled=newest):
        pass
    drain()


def told(user: User) -> list[str]:
    user.refresh_from_db()
    return [it.search for it in everything(user).notifications if it.stored.kind == "search"]


def test_new_posts_are_one_notification_for_each_search(alice: User, bob: User) -> None:
    tea, frost = watched(bob, "tea -milk"), watched(bob, '"first frost" OR 咖啡')
    save_search(user=bob, query="coffee")
    for text in ("tea", "tea with milk", "more tea", "一杯咖啡", "coffee"):
        post_status(author=alice, text=text)
    look()
    assert told(bob) == ['"first frost" OR 咖啡', "tea -milk"]
    assert bob.unread_notifications == 2
    rename_search(search=frost, name="Frost")
    page = browser_of(bob).get("/notifications/").content.decode()
    assert f'There are new posts for <a href="/search/saved/{tea.pk}/open/">' in page
    assert "Frost" in page
    answer = browser_of(bob).get(f"/search/saved/{tea.pk}/open/")
    assert answer["Location"] == "/search/?q=tea+-milk"
    assert browser_of(alice).get(f"/search/saved/{tea.pk}/open/").status_code == 404


def test_what_comes_later_makes_it_unread_again_and_looking_twice_changes_nothing(
    alice: User, bob: User
) -> None:
    watched(bob, "tea")
    post_status(author=alice, text="tea")
    look()
    row = Notification.objects.get(kind="search")
    everything_read(bob)
    look()
    SavedSearch.objects.update(newest=0)
    watch(settled=0)
    bob.refresh_from_db()
    assert bob.unread_notifications == 0
    post_status(author=alice, text="tea 2")
    look()
    bob.refresh_from_db()
    assert bob.unread_notifications == 1
    assert Notification.objects.get(kind="search").pk == row.pk


def everything_read(user: User) -> None:
    browser_of(user).get("/notifications/")


def test_a_repeated_look_tells_nothing_new(alice: User, bob: User) -> None:
    watched(bob, "tea")
    post = post_status(author=alice, text="tea")
    look()
    before = Notification.objects.values().get(kind="search")
    for _ in range(2):
        watch(settled=post.pk)
    look()
    assert Notification.objects.values().get(kind="search") == before


def test_nobody_is_told_of_what_their_results_would_not_show(
    alice: User, bob: User, carol: User
) -> None:
    watched(bob, "tea")
    shy, muted, gone = (make_user(it) for it in ("shy", "muted", "gone"))
    User.objects.filter(pk=shy.pk).update(posts_are_searchable=False)
    block(blocker=carol, blocked=bob)
    mute(user=bob, muted=muted)
    mute_word(user=bob, phrase="spoilers", action="hide")
    for author in (shy, carol, muted, gone, bob):
        post_status(author=author, text="tea")
    suspend(user=gone)
    for visibility in (Visibility.UNLISTED, Visibility.FOLLOWERS):
        post_status(author=alice, text="tea", visibility=visibility)
    post_status(author=alice, text="tea and spoilers")
    delete_status(status=post_status(author=alice, text="tea"), by=alice)
    look()
    assert told(bob) == []
    post_status(author=alice, text="tea")
    look()
    assert told(bob) == ["tea"]


def test_a_search_that_notifies_no_longer_or_is_gone_tells_nothing(alice: User, bob: User) -> None:
    tea, coffee = watched(bob, "tea"), watched(bob, "coffee")
    post_status(author=alice, text="tea and coffee")
    look()
    notify_of_search(search=tea, wanted=False)
    assert not SearchAnchor.objects.filter(search=tea).exists()
    everything_read(bob)
    delete_search(search=coffee)
    drain()
    assert told(bob) == ["tea"], "what was told stays, but for a search that is gone"
    assert not Notification.objects.filter(subject=coffee.pk, kind="search").exists()
    post_status(author=alice, text="tea and coffee")
    look()
    bob.refresh_from_db()
    assert bob.unread_notifications == 0
    watched(bob, "milk")
    delete_account(user=bob)
    drain()
    assert not SearchAnchor.objects.exists()
    assert not Notification.objects.exists()


def test_only_what_is_live_can_notify_and_only_some(alice: User) -> None:
    with pytest.raises(Refusal, match="not live"):
        watched(alice, "tea in:bookmarks")
    for number in range(MOST_NOTIFYING):
        watched(alice, f"tea {number}")
    with pytest.raises(Refusal, match="maximum"):
        watched(alice, "coffee")
    watched(alice, "tea 1")


def test_the_button_turns_it_on_and_off(bob: User) -> None:
    search = save_search(user=bob, query="tea")
    browser = browser_of(bob)
    assert 'aria-pressed="false"' in browser.get("/search/saved/").content.decode()
    browser.post(f"/search/saved/{search.pk}/notify/", {"wanted": "1"})
    assert 'aria-pressed="true"' in browser.get("/search/saved/").content.decode()
    browser.post(f"/search/saved/{search.pk}/notify/", {"wanted": "0"})
    assert not bob.saved_searches.get().notifies


def test_posts_that_nobody_searches_for_cost_no_more_with_many_searches(
    alice: User, bob: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    searches = [SavedSearch(user=bob, query=f"word{it}", notifies=True) for it in range(300)]
    SavedSearch.objects.bulk_create(searches)
    anchors = [SearchAnchor(search=it, term=it.query) for it in bob.saved_searches.all()]
    SearchAnchor.objects.bulk_create(anchors)
    for number in range(5):
        post_status(author=alice, text=f"tea {number}")
    with django_assert_max_num_queries(8):
        watch(settled=HIGHEST_ID)
