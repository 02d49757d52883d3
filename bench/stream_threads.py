"""The baseline: a stream server with a thread, a subscription and a filter for each client.

This is how "Redis in Action" builds it in chapter 8: every request handler subscribes by itself,
decodes each message, asks its own filter, and writes what passes as a chunk. Rewritten here;
run as `python -m bench.stream_threads PORT`.
"""

import json
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import django
from django.conf import settings

Filter = Callable[[dict[str, Any]], bool]

CHANNEL = "bench:statuses"


def sample_filter(percent: int) -> Filter:
    return lambda status: hash(status["id"]) % 100 < percent


def track_filter(phrases: list[str]) -> Filter:
    groups = [set(phrase.lower().split()) for phrase in phrases]

    def matches(status: dict[str, Any]) -> bool:
        words = set(status["text"].lower().split())
        return any(group <= words for group in groups)

    return matches


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(address.query).items()}
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._chunk(b"\r\n")
        self._follow_channel(
            track_filter(asked["track"].split(","))
            if "track" in asked
            else sample_filter(int(asked["percent"]))
        )

    def _follow_channel(self, matches: Filter) -> None:
        import redis

        connection = redis.Redis.from_url(settings.REDIS_URL)
        subscription = connection.pubsub()
        subscription.subscribe(CHANNEL)
        try:
            for message in subscription.listen():
                if message["type"] == "message" and matches(json.loads(message["data"])):
                    self._chunk(message["data"] + b"\r\n")
        except OSError:
            pass  # the client has gone
        finally:
            connection.close()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, *args: object) -> None:
        """A log line for each of a thousand clients helps nobody."""


class Server(ThreadingHTTPServer):
    request_queue_size = 1_024
    daemon_threads = True


if __name__ == "__main__":
    django.setup()
    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
