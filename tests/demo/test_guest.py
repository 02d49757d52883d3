"""What somebody finds who looks around with the account of the guest."""

import pytest

from demo.people import GUEST
from explore.selectors import popular, trending_tags
from lists.models import List
from notifications import tasks
from notifications.grouping.kinds import ALWAYS_TOLD, KINDS
from notifications.models import Notification
from notifications.selectors import everything
from redistools.ids import first_id_at
from statuses import tasks as status_tasks
from statuses.models import Bookmark, Mention, Status, StatusVersion
from statuses.reading.history import history_of
from tags.selectors import followed_tags
from tests.demo.seeding import seed
from tests.entries import statuses_on
from timelines.reading.reaction_timelines import bookmarked
from timelines.selectors import home, list_timeline, mentions, tag_timeline
from users.models import User

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def guest() -> User:
    seed(users=60, statuses=900)
    return User.objects.get(username=GUEST)


def test_the_guest_is_notified_of_everything_there_is(guest: User) -> None:
    rows = Notification.objects.filter(recipient=guest)
    # Nobody has to ask to follow the guest, and moderators had nothing to do.
    assert {row.kind for row in rows} == set(KINDS) - {"request", "report", *ALWAYS_TOLD}
    assert any(row.kind == "like" and row.count > 3 for row in rows), "“and 3 others”"
    assert any(row.kind == "follow" and row.count > 1 for row in rows)


def test_some_notifications_are_unread_and_they_are_the_newest(guest: User) -> None:
    shown = everything(guest).notifications
    unread = [it.is_unread for it in shown]
    assert guest.unread_notifications == sum(unread)
    assert unread == sorted(unread, reverse=True)
    assert len(set(unread)) == 2


def test_the_tasks_that_notify_find_nothing_to_change(guest: User) -> None:
    before = list(Notification.objects.filter(recipient=guest).order_by("pk").values())
    for mention in Mention.objects.filter(user=guest):
        status_tasks.follow_up.call(mention.status_id)
    for status in Status.objects.filter(author=guest):
        tasks.likes_changed.call(status.pk)
        tasks.boosts_changed.call(status.pk)
    for boost in Status.objects.filter(author=guest, boost_of__isnull=False):
        assert boost.boost_of is not None
        tasks.status_edited.call(boost.boost_of.pk, 0)
    assert list(Notification.objects.filter(recipient=guest).order_by("pk").values()) == before


def test_what_the_guest_boosted_was_edited_afterwards(guest: User) -> None:
    edits = Notification.objects.filter(recipient=guest, kind="edit")
    for notification in edits:
        status = Status.objects.get(pk=notification.subject)
        boost = Status.objects.get(author=guest, boost_of=status)
        assert status.edited_at is not None
        assert boost.pk < first_id_at(status.edited_at)


def test_edited_statuses_have_a_history(guest: User) -> None:
    for version in StatusVersion.objects.all():
        now, before = history_of(version.status_id)
        assert before.status.text == version.text != now.status.text
        assert before.written_at < now.written_at


def test_pages_of_the_guest_are_full(guest: User) -> None:
    assert len(home(guest)) == 30
    assert mentions(guest)
    assert Bookmark.objects.filter(user=guest).count() == len(statuses_on(bookmarked(guest))) > 5
    assert all(tag_timeline(tag) for tag in followed_tags(guest))
    for list_ in List.objects.filter(owner=guest):
        assert list_timeline(list_, viewer=guest)
    assert {list_.is_private for list_ in guest.lists.all()} == {True, False}


def test_explore_has_popular_posts_and_trending_tags(guest: User) -> None:
    entries = statuses_on(popular(guest))
    assert len(entries) == 30
    assert entries[0].counts.likes > 3
    tags = trending_tags(10)
    assert len(tags) == 10
    assert tags[0].people > 3
    # In scripts that have capital letters.
    assert any(it.written != it.name for it in tags), "as people write it"
