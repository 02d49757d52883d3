"""Client libraries that others wrote: tweepy and TwitterAPI read `filter`, `sample`, `firehose`.

A hundred statuses, so that the suite stays quick; STREAM_TEST_STATUSES=5000 takes a minute or so.
"""

import json
import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import requests

from statuses.services import delete_status, post_status
from streaming.asked.matching import Filter, matches
from streaming.event import StatusFacts
from tests.running_site import wait_for
from tests.streaming.server import StreamServer
from users.models import User

with warnings.catch_warnings():
    # It uses a module that Python 3.13 no longer has, and there it can't be tested.
    warnings.simplefilter("ignore", DeprecationWarning)
    tweepy = pytest.importorskip("tweepy", exc_type=ImportError)
    from TwitterAPI import TwitterAPI

STATUSES = int(os.environ.get("STREAM_TEST_STATUSES", "100"))


class Reader(tweepy.Stream):  # type: ignore[misc, name-defined] # tweepy has no types
    """tweepy's own stream: only host and signature are ours."""

    def __init__(self, server: StreamServer, token: str) -> None:
        super().__init__("", "", "", "", daemon=True, max_retries=0)
        self._server, self._token = server, token
        self.ids: list[int] = []
        self.deleted: list[int] = []
        self.connected = threading.Event()

    def _connect(self, method: str, endpoint: str, **options: Any) -> None:
        url = f"{self._server.url}/1.1/{endpoint}.json"
        tweepy.streaming.BaseStream._connect(self, method, url, auth=self._sign, **options)

    def sample(self) -> None:
        """tweepy 4.13 has no method for it any more, but everything that the method needs."""
        self._threaded_connect("GET", "statuses/sample")

    def firehose(self) -> None:
        self._threaded_connect("GET", "statuses/firehose")

    def _sign(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request

    def on_connect(self) -> None:
        self.connected.set()

    def on_status(self, status: Any) -> None:
        assert status.user.screen_name
        assert status.created_at.tzinfo
        self.ids.append(status.id)

    def on_data(self, raw_data: bytes) -> None:
        """tweepy 4.13 knows no deletions either."""
        message = json.loads(raw_data)
        if "delete" in message:
            self.deleted.append(message["delete"]["status"]["id"])
        else:
            super().on_data(raw_data)


@contextmanager
def listening(*readers: Reader) -> Iterator[None]:
    for reader in readers:
        assert reader.connected.wait(30)
    yield
    for reader in readers:
        reader.disconnect()


def test_tweepy_gets_exactly_the_expected_ids(
    server: StreamServer, token: str, alice: User, carol: User
) -> None:
    by_track, by_follow, sample, firehose = (Reader(server, token) for _ in range(4))
    by_track.filter(track=["redis cluster", "django"], threaded=True)
    by_follow.filter(follow=[carol.pk], threaded=True)
    sample.sample()
    firehose.firehose()
    expected: dict[str, list[int]] = {"track": [], "follow": [], "sample": [], "firehose": []}
    texts = ["Django!", "a #redis", "a cluster of Redis", "nothing", "djangos"]
    with listening(by_track, by_follow, sample, firehose):
        for turn in range(STATUSES):
            author, text = (alice, carol)[turn % 2], texts[turn % len(texts)]
            status = post_status(author=author, text=text)
            expected["firehose"].append(status.pk)
            if text in ("Django!", "a cluster of Redis"):
                expected["track"].append(status.pk)
            if author is carol:
                expected["follow"].append(status.pk)
            if matches(Filter(percent=10), StatusFacts(id=status.pk, author_id=author.pk)):
                expected["sample"].append(status.pk)
        last = post_status(author=carol, text="the django end")
        delete_status(status=last, by=carol)
        wait_for(lambda: by_track.deleted == by_follow.deleted == firehose.deleted == [last.pk])
        wait_for(lambda: len(sample.ids) >= len(expected["sample"]))
    assert expected["sample"], "one in ten is some"
    assert by_track.ids == [*expected["track"], last.pk]
    assert by_follow.ids == [*expected["follow"], last.pk]
    assert [n for n in sample.ids if n != last.pk] == expected["sample"]
    assert firehose.ids == [*expected["firehose"], last.pk]


class Api(TwitterAPI):  # type: ignore[misc] # TwitterAPI has no types
    """TwitterAPI, only its host is ours."""

    def __init__(self, server: StreamServer, token: str) -> None:
        super().__init__(auth_type="oAuth2User", oauth2_access_token=token)
        self._server = server

    def _prepare_url(self, subdomain: str, path: str) -> str:
        return f"{self._server.url}/1.1/{path}.json"

    def read_until_deleted(self, stream: str, wanted: dict[str, str], got: list[Any]) -> None:
        """Its loop does not notice the end of a stream, so a message has to end it."""
        answer = self.request(stream, wanted)
        got.append(answer.status_code)
        for message in answer:
            got.append(message.get("id", message))
            if "delete" in message:
                break
        answer.response.close()


def test_twitterapi_reads_messages_by_their_length(
    server: StreamServer, token: str, alice: User
) -> None:
    api = Api(server, token)
    asked = {"statuses/filter": {"track": "django"}, "statuses/sample": {"percent": "100"}}
    asked["statuses/firehose"] = {}
    got: dict[str, list[Any]] = {stream: [] for stream in asked}
    readers = [
        threading.Thread(target=api.read_until_deleted, args=(stream, wanted, got[stream]))
        for stream, wanted in asked.items()
    ]
    for reader in readers:
        reader.start()
    wait_for(lambda: list(got.values()) == [[200]] * 3, what=f"{got}")
    texts = ["Django", "touché 🎉 django", "two\nlines, django"]
    statuses = [post_status(author=alice, text=text) for text in texts]
    delete_status(status=statuses[-1], by=alice)
    for reader in readers:
        reader.join(30)
    for messages in got.values():
        *ids, last = messages[1:]
        assert ids == [status.pk for status in statuses]
        assert last["delete"]["status"]["id"] == statuses[-1].pk
