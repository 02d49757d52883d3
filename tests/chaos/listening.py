"""A client of the public stream that connects again, where it was, whenever the stream breaks. It
does what docs/streaming.md says, and no more.
"""

import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Self

import httpx
from django.utils import timezone

from redistools.ids import first_id_at
from tests.member import Member

SAMPLE = "/1.1/statuses/sample.json?percent=100"
# Slower than the site allows, so that it is never told to wait.
PAUSE_SECONDS = 0.5
# Keep-alives come every 30 seconds.
SILENCE = httpx.Timeout(10.0, read=90.0)
TEXT = re.compile(r"chaos \w+ \d+")


class Listening:
    """Knows what it has heard by the end of the block: texts of posts, and ids of deleted ones."""

    def __init__(self, stream_urls: Sequence[str], member: Member) -> None:
        self._urls = stream_urls
        # A client of its own: threads would share the cookie jar.
        self._browser = httpx.Client(timeout=SILENCE, cookies=dict(member.browser.cookies))
        self._since: int | None = None
        self.member = member
        self.gap_until = 0
        """It last began without a position here: older posts are read from the pages."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self.heard: Counter[str] = Counter()
        self.deleted: set[int] = set()
        self.refusals: Counter[int] = Counter()
        self.connects = 0
        self.is_open = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._ended.set()  # the thread sleeps in a read, and ends with the process

    def _listen(self) -> None:
        while not self._ended.is_set():
            try:
                for message in self._messages():
                    self._take(message)
            except httpx.TransportError:
                pass
            self.is_open = False
            time.sleep(PAUSE_SECONDS)

    def _messages(self) -> Iterator[dict[str, Any]]:
        since = f"&since_id={self._since}" if self._since else ""
        url = random.choice(self._urls) + SAMPLE + since
        with self._browser.stream("GET", url) as answer:
            self.connects += 1
            if answer.status_code != 200:
                self.refusals[answer.status_code] += 1
                if answer.status_code == 416:
                    self._since = None
                return
            if self._since is None:
                self.gap_until = first_id_at(timezone.now())
            self.is_open = True
            for line in answer.iter_lines():
                if line:
                    yield json.loads(line)

    def _take(self, message: dict[str, Any]) -> None:
        if "text" in message:
            self._since = message["event_id"]
            if "retweeted_status" not in message:
                self.heard.update(TEXT.findall(message["text"]))
        elif "delete" in message:
            self._since = message["delete"]["event_id"]
            self.deleted.add(message["delete"]["status"]["id"])
