"""What a click costs before it is answered: session, account, rate limit, permission and all."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from notifications.models import Notification
from relations.services import follow
from statuses.models import Like, Mention, Status, Tagging
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from tests.statements import statements
from timelines.selectors import home
from users.models import User

STATEMENTS, TRANSACTIONS, ROUND_TRIPS = 10, 2, 4
TEXT = "@bob and @carol, #tea or #coffee?"

Click = tuple[str, dict[str, object]]


def post(status: Status) -> Click:
    return "/statuses/", {"text": TEXT, "idempotency_key": f"{status.pk}"}


def reply(status: Status) -> Click:
    address, form = post(status)
    return address, {**form, "reply_to": status.pk}


def boost(status: Status) -> Click:
    return f"/statuses/{status.pk}/boost/", {}


def like(status: Status) -> Click:
    return f"/statuses/{status.pk}/like/", {}


# Whether somebody may see the status takes two more.
CLICKS = {post: ROUND_TRIPS, reply: ROUND_TRIPS + 2, boost: ROUND_TRIPS + 2, like: ROUND_TRIPS + 2}


@pytest.fixture
def browser(alice: User, bob: User, carol: User) -> Client:
    """dave's, who has ten followers, of whom alice, bob and carol are three."""
    dave = make_user("dave")
    for fan in (alice, bob, carol, *(make_user(f"fan{number}") for number in range(7))):
        follow(follower=fan, followee=dave)
        home(fan)
    home(dave)
    return browser_of(dave)


@pytest.mark.parametrize(("click", "round_trips"), CLICKS.items())
def test_a_click_stays_within_its_budget(
    browser: Client, alice: User, click: Callable[[Status], Click], round_trips: int
) -> None:
    said = [post_status(author=alice, text=f"number {number}") for number in range(3)]
    # The first clicks load what Redis does not know yet.
    for status in said[:2]:
        assert browser.post(*click(status)).status_code == 302
    with CaptureQueriesContext(connection) as queries, counting_round_trips() as trips:
        assert browser.post(*click(said[2])).status_code == 302
    asked = statements(queries)
    assert len(asked) <= STATEMENTS, queries.captured_queries
    assert 1 <= asked.count("BEGIN") <= TRANSACTIONS
    assert len(trips) <= round_trips, trips.sent


def test_what_the_budget_leaves_out_is_done_later(browser: Client, alice: User) -> None:
    """Clicks are cheap because tasks do the rest, not because nobody does it."""
    said = post_status(author=alice, text="hello")
    drain()
    Notification.objects.all().delete()  # of those who follow
    for click in (reply, boost, like):
        browser.post(*click(said))
    assert not Notification.objects.exists()
    drain()
    answer = Status.objects.get(reply_to=said)
    names = Mention.objects.filter(status=answer).values_list("user__username", flat=True)
    assert sorted(names) == ["alice", "bob", "carol"], "who is answered, and who is named"
    assert Tagging.objects.filter(status=answer).count() == 2
    assert Like.objects.filter(status=said).count() == 1
    told = Notification.objects.values_list("recipient__username", "kind")
    assert sorted(told) == [
        *(("alice", kind) for kind in ("boost", "like", "reply")),
        *((name, "mention") for name in ("bob", "carol")),
    ]
