"""What must not be kept is taken out of messages, however hostile they are."""

import logging
import sys
from typing import Any

import pytest

from insight.log import selectors, store
from insight.log.scrubbing import scrubbed
from insight.recording.sending import flush
from redistools import keys
from redistools.client import get_client
from tests.insight.logging_process import hear, record

pytestmark = pytest.mark.usefixtures("measuring")

# Of a password alone nobody can tell that it is one.
RECOGNISED = (
    "alice@example.com",
    "alice.liddell+birds@mail.example.co.uk",
    "0123456789abcdef0123456789abcdef",
    "kY3vQ0aZ_x-71bbdTq2fLr9pWmC",
    "203.0.114.9",
    "2001:4860:4860::8888",
)
SECRETS = (*RECOGNISED, "correct-horse-9")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("mail to alice@example.com failed", "mail to … failed"),
        ("password=correct-horse-9 refused", "password=… refused"),
        ("{'new_password1': 'correct horse', 'a': 1}", "{'new_password1': …, 'a': 1}"),
        ('{"access_token": "abc"}', '{"access_token": …}'),
        ("Authorization: Bearer abc.def\nnext", "Authorization: …\nnext"),
        ("got Bearer abc.def, twice", "got Bearer …, twice"),
        ("Cookie: sessionid=abc; theme=dark", "Cookie: …"),
        ("csrftoken=abc;", "csrftoken=…;"),
        ("redis://user:pass@redis.internal:6379/0", "redis://…@redis.internal:6379/0"),
        ("GET /oauth/authorize?code=ab&state=1 failed", "GET /oauth/authorize?… failed"),
        ("id=0123456789abcdef0123456789abcdef", "id=…"),
        ("key kY3vQ0aZ_x-71bbdTq2fLr9pWmC is odd", "key … is odd"),
        ("from 203.0.114.9:4321", "from …:4321"),
        ("from 2001:4860:4860::8888", "from …"),
        ("a\x00b\x1b[31mc\ud800\u202ed", "a\ufffdb\ufffd[31mc\ufffd\ufffdd"),
        (
            "Key exists\nDETAIL:  Key (email)=(a b) is\nthere\n\nDuring handling of it",
            "Key exists\nDETAIL: …\n\nDuring handling of it",
        ),
    ],
)
def test_secrets_are_hidden(said: str, kept: str) -> None:
    assert scrubbed(said) == kept


@pytest.mark.parametrize(
    "said",
    [
        "The replica 10.0.0.7:6379 is left alone for a while: timed out",
        "Error 111 connecting to 127.0.0.1:6379. Connection refused.",
        'File "/srv/site/statuses/publication/publish.py", line 12, in publish_and_deliver_to_all',
        "socialsite.loading.without_collections_of_everything failed at 12:30:45",
        "@alice is followed by 12345678901234567890123 people?",
        "django.db.utils.IntegrityError: UNIQUE constraint failed: users_user.username",
        "Is it there? Nobody knows.\n\tIndented",
    ],
)
def test_what_helps_to_find_a_mistake_stays(said: str) -> None:
    assert scrubbed(said) == said


def test_no_secret_reaches_redis() -> None:
    try:
        raise ValueError(" ".join(RECOGNISED), {"password": "correct-horse-9"})
    except ValueError:
        fields: dict[str, Any] = {"exc_info": sys.exc_info(), "levelno": logging.ERROR}
    for secret in SECRETS:
        hear(record("It failed for %s", f"token={secret}", **fields))
        hear(record(f"It failed for password: {secret}", **fields))
    flush()
    held = everything_of_the_log()
    assert "It failed for" in held
    assert "in test_no_secret_reaches_redis" in held
    assert [it for it in RECOGNISED if it in held] == []
    source = '{"password": "correct-horse-9"}'
    assert "correct-horse-9" not in held.replace(source, "")


def everything_of_the_log() -> str:
    client: Any = get_client()
    found: list[object] = []
    for name in client.scan_iter(match=keys.everything()):
        kind = client.type(name) if keys.kind(str(name)) == "log" else None
        if kind == "hash":
            found += client.hgetall(name).values()
        if kind == "list":
            found += client.lrange(name, 0, -1)
    return "\n".join(map(str, found))


@pytest.mark.parametrize("piece", ["a", "a@", "1.", "?", "?=", "'", "password", "::", "\x00", "é"])
def test_ten_megabytes_are_cut_and_cost_little(piece: str) -> None:
    text = piece * (10_000_000 // len(piece))
    hear(record("It failed: %s", text))
    hear(record(text))
    try:
        raise ValueError(text)
    except ValueError:
        hear(record("It failed again", exc_info=sys.exc_info()))
    flush()
    found = selectors.most_frequent("warning", hours=1)
    assert len(found) == 3
    for message, _ in found:
        assert len(message.template) <= store.LONGEST_TEMPLATE
        assert len(message.text) <= store.LONGEST_TEXT
        assert len(message.traceback) <= store.LONGEST_TRACEBACK + 10
    [traced] = [it.message for it in found if it.message.traceback]
    assert "in test_ten_megabytes_are_cut_and_cost_little" in traced.traceback


def test_a_message_that_can_not_be_made_fails_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("odd")

    monkeypatch.setattr(logging, "raiseExceptions", False)
    hear(record("It failed: %s", Odd()))
    hear(record("It failed: %s %s", "only one"))
    hear(record("It worked: %(what)s", args={"what": "it"}))
    flush()
    assert [it.message.text for it in selectors.most_frequent("warning", hours=1)] == [
        "It worked: it"
    ]
