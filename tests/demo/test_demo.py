from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError
from django.db.models import Count
from django.utils import timezone

from demo.community import Sizes, imagine
from demo.people import GUEST, PASSWORD
from demo.pictures import drawn
from demo.writing import Record
from notifications.models import Notification
from notifications.selectors import everything
from pictures.kinds import storage
from redistools.client import get_client
from redistools.keys import user as user_key
from relations.models import Follow
from statuses.models import Like, Status
from statuses.services import post_status
from statuses.store import read_statuses
from statuses.words.text import clean
from tags.models import Tag
from taskqueue import outbox
from tests.cast import make_user
from tests.demo.seeding import AGREE, SMALL, checked, seed
from timelines.selectors import home, list_timeline, profile, tag_timeline
from timelines.tasks import index
from users.models import User
from users.pictures.kinds import AVATAR
from users.store import read_users


@pytest.mark.django_db(transaction=True)
def test_accounts_and_statuses_are_such_as_the_site_would_let_in() -> None:
    seed()
    for user in User.objects.all():
        user.full_clean()
    for status in Status.objects.without_boosts():
        status.full_clean()
        assert clean(status.text) == status.text
        assert status.created_at <= timezone.now()


@pytest.mark.django_db(transaction=True)
def test_the_counters_are_right() -> None:
    seed()
    assert (User.objects.count(), Status.objects.without_boosts().count()) == (30, 200)
    assert Follow.objects.count() > 30
    assert Status.objects.filter(boost_of__isnull=False).count() > 10
    counted = User.objects.annotate(
        followers=Count("follows_got", distinct=True),
        following=Count("follows_made", distinct=True),
        posts=Count("statuses", distinct=True),
    )
    for user in counted:
        told = (user.followers_count, user.following_count, user.statuses_count)
        assert told == (user.followers, user.following, user.posts)


@pytest.mark.django_db(transaction=True)
def test_redis_agrees_with_sql_before_and_after_somebody_has_read() -> None:
    seed()
    assert checked().endswith(AGREE)
    guest = User.objects.get(username=GUEST)
    home(guest)
    everything(guest)
    for list_ in guest.lists.all():
        list_timeline(list_, viewer=guest)
    for follow in guest.followed_tags.select_related("tag"):
        tag_timeline(follow.tag, viewer=guest)
    assert checked().endswith(AGREE)


@pytest.mark.django_db(transaction=True)
def test_a_tag_that_was_read_before_gets_what_the_community_says() -> None:
    own = post_status(author=make_user("early"), text="Here before you #birding")
    index.call(own.pk)
    tag = Tag.objects.get(name="birding")
    assert [status.id for status in tag_timeline(tag)] == [own.pk]
    seed()
    assert len(tag_timeline(tag)) > 1
    assert checked().endswith(AGREE)


@pytest.mark.django_db(transaction=True)
def test_the_guest_logs_in_and_finds_a_full_home() -> None:
    told = seed()
    assert f'Log in as {GUEST}, with the password "{PASSWORD}".' in told
    assert authenticate(username=GUEST, password=PASSWORD)
    guest = User.objects.get(username=GUEST)
    followed = {follow.followee_id for follow in guest.follows_made.all()}
    seen = home(guest, limit=300)
    expected = Status.objects.filter(author_id__in=followed | {guest.pk})
    said = expected.filter(boost_of__isnull=True).without_replies()
    assert {status.pk for status in said} <= {entry.status.id for entry in seen}
    assert any(entry.boost for entry in seen)
    assert any(entry.status.reply_to for entry in seen)


@pytest.mark.django_db(transaction=True)
def test_the_serving_copy_is_there_before_the_first_reader() -> None:
    seed()
    users, statuses = User.objects.values_list("pk"), Status.objects.values_list("pk")
    assert len(read_users([pk for (pk,) in users])) == 30
    assert len(read_statuses([pk for (pk,) in statuses])) == Status.objects.count() > 200
    assert outbox.waiting() == 0


@pytest.mark.django_db(transaction=True)
def test_a_second_run_changes_nothing() -> None:
    seed()
    tables = (User, Follow, Status, Like, Notification)
    before = [table._default_manager.count() for table in tables]
    told = seed(seed=9)
    assert "there already" in told
    assert PASSWORD in told
    assert before == [table._default_manager.count() for table in tables]


@pytest.mark.django_db(transaction=True)
def test_a_name_that_somebody_has_is_told_and_nothing_is_written() -> None:
    name = imagine(Sizes(30, 200, 5, 3)).people[7].username
    somebody = make_user(name.upper())
    with pytest.raises(CommandError, match=name.upper()):
        seed()
    assert list(User.objects.all()) == [somebody]


@pytest.mark.django_db(transaction=True)
def test_stopped_half_way_it_leaves_nothing() -> None:
    steps: Any = iter(Record(imagine(SMALL), now=timezone.now()))
    next(step for step in steps if User.objects.exists())
    avatars = [name for user in User.objects.all() for name in AVATAR.files(user.avatar)]
    steps.close()  # as Ctrl-C does with a generator
    assert not User.objects.exists()
    assert not any(map(storage().exists, avatars))


@pytest.mark.django_db(transaction=True)
def test_authors_go_on_posting_after_the_seed() -> None:
    seed()
    guest = User.objects.get(username=GUEST)
    status = post_status(author=guest, text="I am here")
    assert status.pk > max(Status.objects.exclude(pk=status.pk).values_list("pk", flat=True))
    assert profile(guest)[0].text == "I am here"
    assert get_client().hget(user_key(guest.pk), "posts") == str(guest.statuses_count + 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"users": 1}, "--users must be from 2 to 20000, got 1"),
        ({"statuses": -1}, "--statuses must be from 0 to 1000000, got -1"),
        ({"days": 0}, "--days must be from 1 to 365, got 0"),
    ],
)
def test_a_size_that_can_not_be_is_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        seed(**options)


@pytest.mark.django_db(transaction=True)
def test_some_have_pictures_and_the_same_ones_every_time() -> None:
    seed()
    avatars = [user.avatar for user in User.objects.all() if user.avatar]
    assert 3 < len(avatars) < 20
    assert all(storage().exists(name) for token in avatars for name in AVATAR.files(token))
    assert User.objects.exclude(header="").exists()
    first, second, other = (drawn(AVATAR, name).tobytes() for name in ("ana", "ana", "ben"))
    assert first == second
    assert first != other
