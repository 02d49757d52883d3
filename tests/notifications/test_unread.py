"""How many are unread: right after any order of news, reading and taking back."""

import random
from functools import partial

import pytest

from notifications import publishing, rows, selectors, services, tasks
from notifications.models import Notification
from notifications.rows import MOST_UNREAD
from redistools import keys
from redistools.client import get_client
from statuses import tasks as status_tasks
from statuses.models import Like, Status
from statuses.reactions.services import boost, like, unlike
from statuses.services import delete_status
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from tests.cast import make_user
from tests.notifications.reading import assert_sound, at_once, say, unread
from users.models import User


def read_all(user: User) -> None:
    drain()
    services.mark_read(user=user)


def test_news_are_unread_until_they_are_read(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=carol, status=status)
    assert unread(alice) == 1
    like(user=make_user("dave"), status=status)
    assert unread(alice) == 1, "it is the same notification"
    boost(user=carol, status=status)
    assert unread(alice) == 2
    assert services.mark_read(user=alice)
    assert alice.unread_notifications == unread(alice) == 0
    assert not services.mark_read(user=alice), "there is nothing left to read"
    like(user=make_user("erin"), status=status)
    assert unread(alice) == 1, "somebody else likes it now"


def test_what_is_taken_back_is_no_longer_unread(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=make_user("dave"), status=status)
    read_all(alice)
    like(user=carol, status=status)
    assert unread(alice) == 1
    unlike(user=carol, status_id=status.id)
    assert unread(alice) == 0, "dave's like was read before"
    mention = say(carol, "@alice")
    assert unread(alice) == 1
    delete_status(status=Status.objects.get(pk=mention.id), by=carol)
    assert unread(alice) == 0


def test_what_is_left_stays_unread_if_it_was(alice: User, carol: User) -> None:
    status = say(alice)
    for name in ("dave", "erin"):
        like(user=make_user(name), status=status)
        assert unread(alice) == 1
    like(user=carol, status=status)
    assert unread(alice) == 1
    unlike(user=carol, status_id=status.id)
    assert unread(alice) == 1, "nobody has read of erin's like"


def test_a_task_that_comes_late_is_news_all_the_same(alice: User, carol: User) -> None:
    """The like came first, but its task after that of the mention, which was read meanwhile."""
    status = say(alice)
    Like.objects.create(pk=status.id, user=carol, status_id=status.id)
    say(carol, "@alice")
    read_all(alice)
    assert unread(alice) == 0
    tasks.likes_changed.enqueue(status.id)
    assert unread(alice) == 1
    newest, older = Notification.objects.filter(recipient=alice).order_by("-position")
    assert (newest.kind, older.kind) == ("mention", "like")


def test_reading_a_page_leaves_unread_what_came_after_it(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=carol, status=status)
    drain()
    page = selectors.everything(alice)
    boost(user=carol, status=status)
    drain()
    services.mark_seen(user=alice, page=page)
    assert unread(alice) == 1
    assert not services.mark_seen(user=alice, page=page)


def test_reading_a_page_leaves_unread_what_redis_did_not_know_yet(alice: User, carol: User) -> None:
    """A worker died between SQL and Redis, and others came after it."""
    status = say(alice)
    services.mark_seen(user=alice, page=selectors.everything(alice))
    like(user=carol, status=status)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publishing, "publish", lambda *_changes: None)
        drain()
    say(carol, "@alice")
    drain()
    page = selectors.everything(alice)
    assert [it.stored.kind for it in page.notifications] == ["mention"]
    services.mark_seen(user=alice, page=page)
    assert unread(alice) == 2
    get_client().unlink(keys.notifications(alice.pk))
    services.mark_seen(user=alice, page=selectors.everything(alice))
    assert unread(alice) == 0


def test_to_read_an_older_page_is_not_to_read_the_first(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "PAGE_SIZE", 2)
    for number in range(4):
        say(carol, f"@alice {number}")
        drain()
    first = selectors.everything(alice)
    assert unread(alice) == 4
    services.mark_seen(user=alice, page=selectors.everything(alice, max_id=first.older))
    assert unread(alice) == 2
    like(user=carol, status=say(alice))  # whose task comes late
    for number in range(2):
        status_tasks.follow_up.call(say(carol, f"@alice again {number}").id)
    alice.refresh_from_db()
    first = selectors.everything(alice)
    services.mark_seen(user=alice, page=first)
    assert alice.unread_notifications == 0
    assert unread(alice) == 1
    services.mark_seen(user=alice, page=selectors.everything(alice))
    assert unread(alice) == 1, "it is not on the first page"
    services.mark_seen(user=alice, page=selectors.everything(alice, max_id=first.older))
    assert unread(alice) == 0


def test_nobody_counts_beyond_a_hundred(alice: User, carol: User) -> None:
    for number in range(MOST_UNREAD + 5):
        Notification.objects.create(
            recipient=alice, kind="like", subject=number, position=number + 1, count=1,
            actors=str(carol.pk), arrived=number + 1,
        )  # fmt: skip
    say(carol, "@alice")
    assert unread(alice) == MOST_UNREAD


def test_unread_is_exact_when_everything_happens_at_once(alice: User, carol: User) -> None:
    statuses = [say(alice, f"number {number}") for number in range(4)]
    drain()
    chances = random.Random(7)
    fans = [make_user(f"fan{number}") for number in range(6)]
    busy = [partial(like_and_unlike, fan, chances.sample(statuses, 4)) for fan in fans]
    at_once(*busy, *[partial(read_now, alice)] * 2, *[work_on] * 2)
    drain()
    alice.refresh_from_db()
    assert alice.unread_notifications == rows.unread_of(alice)
    assert_sound()
    likes = Like.objects.filter(status_id__in=[it.id for it in statuses])
    assert {row.subject for row in alice.notifications.all()} == {it.status_id for it in likes}


def like_and_unlike(fan: User, statuses: list[StoredStatus]) -> None:
    for status in statuses:
        like(user=fan, status=status)
    for status in statuses[:2]:
        unlike(user=fan, status_id=status.id)


def read_now(user: User) -> None:
    services.mark_read(user=User.objects.get(pk=user.pk))


def work_on() -> None:
    for _ in range(5):
        drain()


def test_two_tasks_of_one_group_at_once_make_one_row(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=carol, status=status)
    at_once(*[partial(tasks.likes_changed.call, status.id)] * 8)
    assert unread(alice) == 1
    assert Notification.objects.filter(recipient=alice).count() == 1


@pytest.mark.parametrize("first", ["news", "reading"])
def test_news_and_reading_at_once_leave_the_right_number(
    alice: User, carol: User, first: str
) -> None:
    """Whichever is first: what is in SQL when it was read is read, everything else unread."""
    for number in range(10):
        status = say(alice, f"number {number}")
        like(user=carol, status=status)
        jobs = [partial(tasks.likes_changed.call, status.id), partial(read_now, alice)]
        at_once(*(jobs if first == "news" else jobs[::-1]))
        alice.refresh_from_db()
        assert alice.unread_notifications == rows.unread_of(alice) <= 1
        read_all(alice)


def test_a_group_that_falls_and_rises_again_is_news(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=make_user("dave"), status=status)
    read_all(alice)
    for _ in range(3):
        like(user=carol, status=status)
        assert unread(alice) == 1
        unlike(user=carol, status_id=status.id)
        assert unread(alice) == 0
    like(user=carol, status=status)
    read_all(alice)
    unlike(user=carol, status_id=status.id)
    assert unread(alice) == 0
    like(user=carol, status=status)
    assert unread(alice) == 1


class Model:
    """A plain account of who likes what, and which of it alice has read."""

    def __init__(self) -> None:
        self.likes: set[tuple[int, int]] = set()
        self.read: set[tuple[int, int]] = set()

    def toggle(self, fan: int, status: int) -> bool:
        """Does the fan like it now?"""
        pair = (fan, status)
        self.read.discard(pair)
        self.likes ^= {pair}
        return pair in self.likes

    def unread(self) -> int:
        return len({status for _, status in self.likes - self.read})


@pytest.mark.parametrize("seed", range(4))
def test_unread_is_what_a_plain_account_of_everything_says(alice: User, seed: int) -> None:
    chances, model = random.Random(seed), Model()
    statuses = [say(alice, f"number {number}") for number in range(3)]
    fans = [make_user(f"fan{number}") for number in range(3)]
    for _ in range(40):
        if chances.random() < 0.2:
            read_all(alice)
            model.read |= model.likes
        else:
            fan, status = chances.randrange(3), chances.randrange(3)
            if model.toggle(fan, status):
                like(user=fans[fan], status=statuses[status])
            else:
                unlike(user=fans[fan], status_id=statuses[status].id)
        assert unread(alice) == model.unread()
    assert_sound()
