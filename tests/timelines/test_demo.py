from collections import Counter
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.db.models import Count
from django.utils import timezone

from redistools.client import get_client
from redistools.keys import user as user_key
from statuses.models import Status
from statuses.services import post_status
from statuses.store import read_statuses
from statuses.text import clean
from taskqueue import outbox
from tests.cast import make_user
from timelines.demo.community import GUEST, Sizes, imagine
from timelines.demo.languages import load_languages
from timelines.demo.writing import PASSWORD, Record
from timelines.selectors import home, profile
from users.models import Follow, User
from users.store import read_users

SMALL = Sizes(users=40, statuses=600, days=7, seed=3)


def seed(**options: int) -> str:
    out = StringIO()
    sizes = {"users": 30, "statuses": 200, "days": 5, "seed": 3} | options
    call_command("seed_demo", stdout=out, **sizes)
    return out.getvalue()


def test_the_same_seed_makes_the_same_community() -> None:
    assert imagine(SMALL) == imagine(SMALL)
    assert imagine(SMALL) != imagine(Sizes(users=40, statuses=600, days=7, seed=4))


def test_every_phrase_of_every_language_can_be_said() -> None:
    for language in load_languages():
        phrases = [*language.bios, *language.small_talk, *language.answers]
        for phrase in [*phrases, *(p for topic in language.topics.values() for p in topic)]:
            gaps = {name: max(words, key=len) for name, words in language.words.items()}
            clean(phrase.format_map(gaps | {"town": "Nirgends", "friend": "@alice"}))


def test_a_few_are_followed_by_many_and_most_by_a_few() -> None:
    followers = Counter(bond.followee for bond in imagine(Sizes(users=300, statuses=0)).bonds)
    counts = sorted((followers[place] for place in range(300)), reverse=True)
    assert counts[0] > 10 * counts[150]
    assert sum(counts[:30]) > sum(counts[150:])


def test_the_community_talks_in_many_ways() -> None:
    sayings = imagine(SMALL).sayings
    for sign in ("@", "#", "https://"):
        assert sum(sign in saying.text for saying in sayings) > 20
    assert any(saying.place for saying in sayings)
    assert len({saying.text for saying in sayings}) > 0.9 * len(sayings)


def test_what_is_said_comes_the_oldest_first_and_lies_in_the_past() -> None:
    ages = [saying.age for saying in imagine(SMALL).sayings]
    assert ages == sorted(ages, reverse=True)
    assert timedelta(0) <= ages[-1] < ages[0] <= timedelta(days=7)


@pytest.mark.django_db(transaction=True)
def test_accounts_and_statuses_are_such_as_the_site_would_let_in() -> None:
    seed()
    for user in User.objects.all():
        user.full_clean()
    for status in Status.objects.all():
        status.full_clean()
        assert clean(status.text) == status.text
        assert status.created_at <= timezone.now()


@pytest.mark.django_db(transaction=True)
def test_the_counters_are_right() -> None:
    seed()
    assert (User.objects.count(), Status.objects.count()) == (30, 200)
    assert Follow.objects.count() > 30
    counted = User.objects.annotate(
        followers=Count("follows_got", distinct=True),
        following=Count("follows_made", distinct=True),
        posts=Count("statuses", distinct=True),
    )
    for user in counted:
        told = (user.followers_count, user.following_count, user.statuses_count)
        assert told == (user.followers, user.following, user.posts)


@pytest.mark.django_db(transaction=True)
def test_the_guest_logs_in_and_finds_a_full_home() -> None:
    told = seed()
    assert f"Log in as {GUEST} with the password: {PASSWORD}" in told
    assert authenticate(username=GUEST, password=PASSWORD)
    guest = User.objects.get(username=GUEST)
    followed = {follow.followee_id for follow in guest.follows_made.all()}
    seen = home(guest, limit=300)
    expected = Status.objects.filter(author_id__in=followed | {guest.pk}).newest_first()
    assert [status.id for status in seen] == [status.pk for status in expected]
    assert len(seen) > 30


@pytest.mark.django_db(transaction=True)
def test_the_serving_copy_is_there_before_the_first_reader() -> None:
    seed()
    users, statuses = User.objects.values_list("pk"), Status.objects.values_list("pk")
    assert len(read_users([pk for (pk,) in users])) == 30
    assert len(read_statuses([pk for (pk,) in statuses])) == 200
    assert outbox.waiting() == 0


@pytest.mark.django_db(transaction=True)
def test_a_second_run_changes_nothing() -> None:
    seed()
    before = (User.objects.count(), Follow.objects.count(), Status.objects.count())
    told = seed(seed=9)
    assert "there already" in told
    assert PASSWORD in told
    assert before == (User.objects.count(), Follow.objects.count(), Status.objects.count())


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
    next(steps)
    assert User.objects.exists()
    steps.close()  # as Ctrl-C does with a generator
    assert not User.objects.exists()


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
