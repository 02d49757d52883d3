"""What notifications cost those who write, and those who are notified a lot."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from notifications import selectors, tasks
from notifications.grouping.facts import MOST_COUNTED
from relations.services import follow, unfollow
from statuses.models import Like, Status
from statuses.reactions.services import boost, like, unlike
from statuses.services import edit_status
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.copies import insert
from tests.notifications.reading import Told, say, told
from tests.plans import on_sqlite
from tests.round_trips import counting_round_trips
from users.models import User


def test_a_like_costs_its_id_and_one_round_trip(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=carol, status=status)
    unlike(user=carol, status_id=status.id)  # Redis has the scripts now
    like(user=carol, status=status)
    with counting_round_trips() as trips:
        unlike(user=carol, status_id=status.id)
    assert len(trips) == 1
    with counting_round_trips() as trips:
        like(user=carol, status=status)
    assert len(trips) == 2


@on_sqlite
def test_every_question_has_an_index(alice: User, bob: User, carol: User) -> None:
    """SQLite says how it finds the answers."""
    status = say(alice, "hello @bob")
    with CaptureQueriesContext(connection) as asked:
        for user in (bob, carol):
            like(user=user, status=status)
            boost(user=user, status=status)
        say(carol, "yes", reply_to=status.id)
        unfollow(follower=bob, followee=alice)
        follow(follower=bob, followee=alice)
        edit_status(status=Status.objects.get(pk=status.id), by=alice, text="hello @carol")
        drain()
        browser_of(alice).get("/notifications/")
        selectors.mentions(alice)
    plans = [plan_of(query["sql"]) for query in asked if query["sql"].startswith("SELECT")]
    ours = [line for plan in plans for line in plan if "notifications_notification" in line]
    assert ours
    tables = ("notifications_notification", "statuses_like", "relations_follow", "statuses_status")
    scans = {f"SCAN {table}" for table in tables}
    assert [line for plan in plans for line in plan if line in scans] == []


def plan_of(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return [row[3] for row in cursor.fetchall()]


def test_nobody_counts_beyond_ten_thousand(alice: User, carol: User) -> None:
    status = say(alice)
    numbers = range(1, MOST_COUNTED + 6)
    fans = [User(pk=carol.pk + n, username=f"fan{n}", email="fan@example.com") for n in numbers]
    insert(fans, differing_in=("id", "username"))
    likes = [
        Like(pk=n, user=fan, status_id=status.id) for n, fan in zip(numbers, fans, strict=True)
    ]
    insert(likes, differing_in=("id", "user_id"))
    tasks.likes_changed.enqueue(status.id)
    [group] = told(alice)
    assert group == Told("like", ["fan10005", "fan10004"], MOST_COUNTED - 2)
    page = browser_of(alice).get("/notifications/").content.decode()
    assert "and 10,000+ others" in " ".join(page.split())
