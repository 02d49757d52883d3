"""Streams from the outside: a real process, real sockets."""

import json
import re

import pytest

from redistools import keys
from redistools.client import get_client
from statuses.services import delete_status, post_status
from tests.streaming.conftest import Listen
from users.models import User

SAMPLE = "/1.1/statuses/sample.json"
FILTER = "/1.1/statuses/filter.json"
FIREHOSE = "/1.1/statuses/firehose.json"


def test_the_firehose_carries_a_status_as_soon_as_it_is_posted(listen: Listen, alice: User) -> None:
    firehose = listen(FIREHOSE)
    status = post_status(
        author=alice,
        text="Hello #world, @carol! example.com",
        language="en",
        latitude=48.2,
        longitude=16.4,
    )
    firehose.wait(lambda it: it.messages)
    (message,) = firehose.messages
    assert re.fullmatch(r"\w{3} \w{3} \d\d \d\d:\d\d:\d\d \+0000 \d{4}", message.pop("created_at"))
    (mention,) = message["entities"].pop("user_mentions")
    assert (mention["screen_name"], mention["indices"]) == ("carol", [14, 20])
    assert message.pop("event_id_str") == str(message.pop("event_id"))
    assert message == {
        "id": status.pk,
        "id_str": str(status.pk),
        "text": "Hello #world, @carol! example.com",
        "user": {
            "id": alice.pk,
            "id_str": str(alice.pk),
            "screen_name": "alice",
            "name": "Alice Liddell",
            "profile_image_url_https": None,
        },
        "in_reply_to_status_id": None,
        "in_reply_to_status_id_str": None,
        "in_reply_to_user_id": None,
        "in_reply_to_user_id_str": None,
        "in_reply_to_screen_name": None,
        "coordinates": {"type": "Point", "coordinates": [16.4, 48.2]},
        "entities": {
            "hashtags": [{"text": "world", "indices": [6, 12]}],
            "urls": [
                {
                    "url": "http://example.com",
                    "expanded_url": "http://example.com",
                    "indices": [22, 33],
                }
            ],
        },
        "lang": "en",
    }


@pytest.mark.parametrize("path", [FILTER, FILTER.removeprefix("/1.1")])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_filter_joins_its_parameters_by_or(
    listen: Listen, alice: User, carol: User, path: str, method: str
) -> None:
    asked = {"track": "red,green", "follow": "@Carol", "locations": "10,40,20,50"}
    as_form = {"data": asked} if method == "POST" else {"params": asked}
    stream = listen(path, method=method, **as_form)
    wanted = [
        post_status(author=alice, text="something RED!").pk,
        post_status(author=carol, text="whatever").pk,
        post_status(author=alice, text="in Vienna", latitude=48.2, longitude=16.4).pk,
    ]
    post_status(author=alice, text="nothing of it")
    wanted.append(post_status(author=alice, text="green at last").pk)
    stream.wait(lambda it: wanted[-1] in it.ids)
    assert stream.ids == wanted


def test_a_deletion_is_told_to_those_whose_filter_had_matched(listen: Listen, alice: User) -> None:
    interested, stranger = (
        listen(FILTER, params={"track": "oops"}),
        listen(FILTER, params={"track": "other"}),
    )
    status = post_status(author=alice, text="oops")
    delete_status(status=status, by=alice)
    last = post_status(author=alice, text="oops, the other one")
    for stream in (interested, stranger):
        stream.wait(lambda it: last.pk in it.ids)
    position = int(get_client().zscore(keys.event_marks(), f"delete:{status.pk}") or 0)
    assert interested.messages[1] == {
        "delete": {
            "status": {
                "id": status.pk,
                "id_str": str(status.pk),
                "user_id": alice.pk,
                "user_id_str": str(alice.pk),
            },
            "event_id": position,
            "event_id_str": str(position),
        }
    }
    assert stranger.deleted == []


def test_samples_of_one_size_are_the_same(listen: Listen, alice: User) -> None:
    everything = listen(SAMPLE, params={"percent": 100})
    one, other = (listen(SAMPLE, params={"percent": 50}) for _ in range(2))
    ids = [post_status(author=alice, text=f"{n}").pk for n in range(40)]
    everything.wait(lambda it: it.ids == ids)
    one.wait(lambda it: it.ids == other.ids)
    assert set(one.ids) < set(ids)
    assert len(one.ids) > 5


def test_delimited_messages_tell_their_length_in_bytes(listen: Listen, alice: User) -> None:
    stream = listen(FIREHOSE, params={"delimited": "length"})
    for text in ("touché 🎉", "two\nlines"):
        post_status(author=alice, text=text)
    stream.wait(lambda it: it.raw.count(b'"text"') == 2 and it.raw.endswith(b"}\r\n"))
    rest, texts = stream.raw.removeprefix(b"\r\n"), []
    while rest:
        length, _, rest = rest.partition(b"\r\n")
        message, rest = rest[: int(length)], rest[int(length) :]
        assert message.endswith(b"\r\n")
        assert b"\r" not in message[:-2]
        texts.append(json.loads(message)["text"])
    assert texts == ["touché 🎉", "two\nlines"]
