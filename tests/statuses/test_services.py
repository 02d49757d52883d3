"""Posting and deleting, on the real database file and the real Redis."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from redistools import keys
from redistools.client import get_client
from redistools.ids import IdSequence, first_id_at
from relations.services import follow
from statuses import models, services
from statuses.models import Status
from statuses.selectors import show
from statuses.services import delete_status, post_status
from taskqueue import outbox
from tests.cast import make_user
from tests.races import in_threads
from tests.round_trips import counting_round_trips
from tests.statements import statements
from timelines.selectors import home
from users.audience import Visibility
from users.models import User
from users.store import read_users
from web.refusals import Refusal


def posts_of(user: User) -> tuple[int, int, int]:
    """According to SQL's rows, to the account, and to the serving copy."""
    counted = Status.objects.filter(author=user).count()
    stored = read_users([user.pk]).get(user.pk)
    return counted, User.objects.get(pk=user.pk).statuses_count, stored.posts if stored else 0


def in_a_thread(action: "partial[object]") -> object:
    try:
        return action()
    finally:
        connection.close()


def test_a_status_is_stored_counted_and_served(alice: User) -> None:
    status = post_status(
        author=alice, text=" hello @alice\r\n", language="en", latitude=52.5, longitude=-13.25
    )
    stored = Status.objects.get()
    assert (stored.pk, stored.text, stored.author) == (status.pk, "hello @alice", alice)
    assert (stored.latitude, stored.longitude, stored.language) == (52.5, -13.25, "en")
    (served,) = show([status.pk], viewer=None).statuses
    assert served.status.html == 'hello <a class="mention" href="/@alice/">@alice</a>'
    assert served.status.name == "Alice Liddell"
    assert served.status.parts == (("lat", "52.5"), ("lon", "-13.25"))
    assert posts_of(alice) == (1, 1, 1)
    assert outbox.waiting() == 0


def test_the_id_tells_when_it_was_posted(alice: User) -> None:
    before = timezone.now()
    status = post_status(author=alice, text="now")
    assert abs(status.created_at - before) < timedelta(seconds=5)
    assert status.pk > first_id_at(before - timedelta(seconds=1))


@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"text": " \u200b\n"},
        {"text": "x" * 501},
        {"text": "a\x00b"},
        {"text": "x", "latitude": 91.0, "longitude": 0.0},
        {"text": "x", "latitude": 0.0, "longitude": -180.5},
        {"text": "x", "latitude": float("inf"), "longitude": 0.0},
        {"text": "x", "latitude": float("nan"), "longitude": 5.0},
        {"text": "x", "latitude": 1.0},
        {"text": "x", "longitude": 1.0},
        {"text": "x", "language": "English, please"},
        {"text": "x", "idempotency_key": "k" * 65},
    ],
    ids=str,
)
def test_what_is_wrong_is_refused_and_nothing_is_stored(
    alice: User, fields: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError) as refused:
        post_status(author=alice, **fields)
    assert refused.value.messages
    assert posts_of(alice) == (0, 0, 0)
    assert outbox.waiting() == 0
    assert not get_client().exists(keys.profile(alice.pk))


def test_the_same_text_without_a_key_is_posted_twice(alice: User) -> None:
    first, second = (post_status(author=alice, text="again") for _ in range(2))
    assert first.pk < second.pk
    assert posts_of(alice) == (2, 2, 2)


def test_a_form_sent_twice_posts_once(alice: User) -> None:
    first, second = (post_status(author=alice, text="click", idempotency_key="k") for _ in range(2))
    assert first == second
    assert posts_of(alice) == (1, 1, 1)


def test_the_same_key_of_another_author_is_another_status(alice: User, carol: User) -> None:
    one = post_status(author=alice, text="hi", idempotency_key="k")
    other = post_status(author=carol, text="hi", idempotency_key="k")
    assert one != other
    assert posts_of(alice) == posts_of(carol) == (1, 1, 1)


def test_a_form_sent_many_times_at_once_posts_once(alice: User) -> None:
    post = partial(post_status, author=alice, text="click", idempotency_key="k")
    posted = in_threads(8, in_a_thread, post)
    assert posted == [Status.objects.get()] * 8
    assert posts_of(alice) == (1, 1, 1)


def test_many_statuses_at_once_are_all_counted(alice: User) -> None:
    posted = in_threads(8, in_a_thread, partial(post_status, author=alice, text="hi"))
    assert len(set(posted)) == 8
    assert posts_of(alice) == (8, 8, 8)


def test_an_id_that_was_given_out_before_is_not_used_again(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis came back with an older memory, and another process had used the next id."""
    monkeypatch.setattr(
        services, "status_ids", IdSequence("status", floor=models.status_ids._floor)
    )
    post_status(author=alice, text="the sequence has asked SQL for its floor")
    taken = first_id_at(timezone.now() + timedelta(hours=1))
    Status.objects.create(id=taken, author=make_user("bob"), text="of the lost second")
    get_client().set(keys.id_sequence("status"), taken - 1)

    status = post_status(author=alice, text="mine")
    assert status.pk == taken + 1
    assert Status.objects.get(pk=taken).text == "of the lost second"
    assert posts_of(alice) == (2, 2, 2)


def test_the_author_deletes_a_status(alice: User) -> None:
    status = post_status(author=alice, text="oops")
    assert delete_status(status=status, by=alice) is True
    assert show([status.pk], viewer=None).statuses == []
    assert posts_of(alice) == (0, 0, 0)
    assert outbox.waiting() == 0


def test_the_second_deletion_does_nothing(alice: User) -> None:
    status = post_status(author=alice, text="oops")
    post_status(author=alice, text="stays")
    assert delete_status(status=status, by=alice) is True
    assert delete_status(status=status, by=alice) is False
    assert posts_of(alice) == (1, 1, 1)


def test_of_many_deletions_at_once_one_deletes(alice: User) -> None:
    status = post_status(author=alice, text="oops")
    post_status(author=alice, text="stays")
    deleted = in_threads(8, in_a_thread, partial(delete_status, status=status, by=alice))
    assert sorted(map(bool, deleted)) == [False] * 7 + [True]
    assert posts_of(alice) == (1, 1, 1)


def test_a_stranger_can_not_delete_a_status(alice: User, carol: User) -> None:
    status = post_status(author=alice, text="mine")
    with pytest.raises(Refusal):
        delete_status(status=status, by=carol)
    assert [served.text for served in show([status.pk], viewer=None).statuses] == ["mine"]
    assert posts_of(alice) == (1, 1, 1)


def test_a_moderator_deletes_a_status_of_somebody_else(alice: User, carol: User) -> None:
    carol.user_permissions.add(Permission.objects.get(codename="delete_status"))
    User.objects.filter(pk=carol.pk).update(is_staff=True)
    moderator = User.objects.get(pk=carol.pk)
    status = post_status(author=alice, text="spam")
    assert delete_status(status=status, by=moderator) is True
    assert posts_of(alice) == (0, 0, 0)
    assert posts_of(carol)[1] == 0


def test_a_moderator_who_is_locked_out_deletes_nothing(alice: User, carol: User) -> None:
    carol.user_permissions.add(Permission.objects.get(codename="delete_status"))
    User.objects.filter(pk=carol.pk).update(is_staff=True)
    User.objects.filter(pk=carol.pk).update(is_active=False)
    status = post_status(author=alice, text="stays")
    with pytest.raises(Refusal):
        delete_status(status=status, by=User.objects.get(pk=carol.pk))
    assert posts_of(alice) == (1, 1, 1)


def test_an_empty_idempotency_key_is_none(alice: User) -> None:
    posted = [post_status(author=alice, text="again", idempotency_key="").pk for _ in range(2)]
    assert len(set(posted)) == 2


def test_a_post_costs_seven_statements_one_transaction_and_two_round_trips(
    alice: User, bob: User
) -> None:
    for number in range(9):
        follow(follower=make_user(f"fan{number}"), followee=alice)
    home(alice)
    # The first calls load what Redis does not know yet.
    for number in range(2):
        post_status(author=alice, text=f"#tag for @bob {number}", idempotency_key=f"{number}")
    with CaptureQueriesContext(connection) as queries, counting_round_trips() as trips:
        post_status(author=alice, text="#tag for @bob", idempotency_key="form")
    asked = statements(queries)
    assert len(queries) <= (4 if connection.vendor == "postgresql" else 7), "trips to the database"
    assert len(asked) <= 7
    assert asked.count("BEGIN") == 1
    end = asked.index("COMMIT")
    assert {"INSERT", "UPDATE"} <= set(asked[:end])
    assert set(asked[end + 1 :]) == {"SELECT"}, "nothing else is written"
    assert len(trips) <= 2, "its id; the copies with the event and the first deliveries"


def test_nobody_answers_what_they_may_not_see(alice: User, carol: User) -> None:
    hidden = post_status(author=alice, text="for friends", visibility=Visibility.FOLLOWERS)
    with pytest.raises(Refusal, match="has been deleted") as refused:
        post_status(author=carol, text="really?", reply_to=hidden.pk)
    assert refused.value.code == "gone"


def test_a_chosen_language_is_the_usual_one_from_then_on(alice: User) -> None:
    assert post_status(author=alice, text="one", guessed_language="fr").language == "fr"
    assert post_status(author=alice, text="zwei", language="de").language == "de"
    assert post_status(author=alice, text="drei", guessed_language="fr").language == "de"
