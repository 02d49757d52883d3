"""Coming back: nothing missing, nothing twice, also while others post."""

import threading
from datetime import timedelta

from django.utils import timezone

from redistools import keys
from redistools.client import get_client
from redistools.ids import time_of
from statuses import tasks as status_tasks
from statuses.models import status_ids
from statuses.services import delete_status, post_status
from tests.running_site import wait_for
from tests.streaming.conftest import Listen
from users.models import User

FILTER = "/1.1/statuses/filter.json"
SAMPLE = "/1.1/statuses/sample.json"


def test_a_client_that_comes_back_gets_what_it_missed_and_only_that(
    listen: Listen, alice: User
) -> None:
    seen = [post_status(author=alice, text=f"red {n}").pk for n in range(2)]
    missed = [post_status(author=alice, text=f"red {n}").pk for n in range(3)]
    post_status(author=alice, text="blue")
    gone = post_status(author=alice, text="red, but deleted")
    delete_status(status=gone, by=alice)
    stream = listen(FILTER, params={"track": "red", "since_id": seen[-1]})
    stream.wait(lambda it: it.deleted)
    live = post_status(author=alice, text="red again").pk
    stream.wait(lambda it: live in it.ids)
    assert stream.ids == [*missed, live]
    assert stream.deleted == [gone.pk]


def test_resuming_while_others_post_leaves_no_gap_and_repeats_nothing(
    listen: Listen, alice: User
) -> None:
    first = post_status(author=alice, text="first").pk
    # Several pages of the log, so that posting and replaying overlap.
    posted = [post_status(author=alice, text=f"before {n}").pk for n in range(30)]
    stop = threading.Event()

    def keep_posting() -> None:
        while not stop.is_set():
            posted.append(post_status(author=alice, text="meanwhile").pk)

    writer = threading.Thread(target=keep_posting)
    writer.start()
    try:
        streams = [listen(SAMPLE, params={"percent": 100, "since_id": first}) for _ in range(10)]
    finally:
        stop.set()
        writer.join()
    for stream in streams:
        stream.wait(lambda it: it.ids[-1:] == posted[-1:])
        assert stream.ids == posted


def test_the_place_of_a_status_counts_not_the_size_of_its_id(listen: Listen, alice: User) -> None:
    """Of two posted at once, the one with the higher id may be published first."""
    late, early = (post_status(author=alice, text=text) for text in ("late", "early"))
    client, marks = get_client(), keys.event_marks()
    position = int(client.zscore(marks, f"post:{late.pk}") or 0)
    client.zadd(marks, {f"post:{early.pk}": position - 1})  # as if published before
    stream = listen(SAMPLE, params={"percent": 100, "since_id": early.pk})
    stream.wait(lambda it: it.ids[:1] == [late.pk])


def test_an_id_that_is_no_status_stands_for_its_time(listen: Listen, alice: User) -> None:
    before = post_status(author=alice, text="before").pk
    position = int(get_client().zscore(keys.event_marks(), f"post:{before}") or 0)
    after = post_status(author=alice, text="after").pk
    stream = listen(SAMPLE, params={"percent": 100, "since_id": position})
    stream.wait(lambda it: it.ids == [after])


def test_a_deletion_that_a_client_got_comes_again_only_where_it_does_not_say_so(
    listen: Listen, alice: User
) -> None:
    early, last = (post_status(author=alice, text=f"{n}") for n in range(2))
    stream = listen(SAMPLE, params={"percent": 100, "since_id": last.pk})
    delete_status(status=early, by=alice)
    stream.wait(lambda it: it.deleted == [early.pk])
    event_id = stream.messages[-1]["delete"]["event_id"]

    by_status, by_event = (
        listen(SAMPLE, params={"percent": 100, "since_id": since_id})
        for since_id in (last.pk, event_id)
    )
    delete_status(status=last, by=alice)
    for again in (by_status, by_event):
        again.wait(lambda it: last.pk in it.deleted)
    assert by_status.deleted == [early.pk, last.pk]
    assert by_event.deleted == [last.pk]


def test_a_status_that_is_not_told_yet_stands_for_now(listen: Listen, alice: User) -> None:
    newest = post_status(author=alice, text="the newest event")
    told = int(get_client().zscore(keys.event_marks(), f"post:{newest.pk}") or 0)
    untold = 0
    while untold < told:  # within one millisecond, an id comes before a position
        untold = status_ids.next(get_client())
    stream = listen(SAMPLE, params={"percent": 100, "since_id": untold})
    after = post_status(author=alice, text="after").pk
    stream.wait(lambda it: it.ids == [after])


def test_one_can_resume_after_a_status_that_is_deleted(listen: Listen, alice: User) -> None:
    last, missed = (post_status(author=alice, text=f"{n}") for n in range(2))
    delete_status(status=last, by=alice)
    stream = listen(SAMPLE, params={"percent": 100, "since_id": last.pk})
    stream.wait(lambda it: it.ids == [missed.pk] and it.deleted == [last.pk])


def test_nothing_is_missed_where_redis_lost_a_status_and_published_it_again(
    listen: Listen, alice: User
) -> None:
    """Behind those that came since: a client knows its id, or the place at which it got it."""
    first, lost = (post_status(author=alice, text=text) for text in ("first", "lost"))
    stream = listen(SAMPLE, params={"percent": 100, "since_id": first.pk})
    stream.wait(lambda it: it.ids == [lost.pk])
    event_id = stream.messages[-1]["event_id"]
    forget_event_of(lost.pk)
    since = post_status(author=alice, text="since")
    wait_for(lambda: timezone.now() > time_of(lost.pk) + timedelta(seconds=1.1))
    status_tasks.publish.func(lost.pk, alice.pk)
    for since_id in (lost.pk, event_id):
        again = listen(SAMPLE, params={"percent": 100, "since_id": since_id})
        again.wait(lambda it: len(it.ids) == 2)
        assert again.ids == [since.pk, lost.pk]


def forget_event_of(status_id: int) -> None:
    client, marks, name = get_client(), keys.event_marks(), f"post:{status_id}"
    client.xdel(keys.event_log(), f"{int(client.zscore(marks, name) or 0)}-0")
    client.zrem(marks, name)


def test_every_status_says_where_to_come_back_to(listen: Listen, alice: User) -> None:
    first = post_status(author=alice, text="first").pk
    posted = [post_status(author=alice, text=f"{n}").pk for n in range(3)]
    stream = listen(SAMPLE, params={"percent": 100, "since_id": first})
    stream.wait(lambda it: it.ids == posted)
    middle = stream.messages[1]
    assert middle["event_id_str"] == str(middle["event_id"])
    again = listen(SAMPLE, params={"percent": 100, "since_id": middle["event_id"]})
    again.wait(lambda it: it.ids == posted[2:])
