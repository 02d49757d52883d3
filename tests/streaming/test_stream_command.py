import io
import threading

import pytest
from django.core.management import CommandError, call_command
from django.core.management.color import no_style

from access.tokens import create_token, revoke_token
from statuses.services import delete_status, post_status
from streaming.terminal import show
from tests.running_site import wait_for
from tests.streaming.server import StreamServer
from users.models import User


def test_the_command_prints_a_filtered_stream_in_colour(
    server: StreamServer, alice: User, carol: User
) -> None:
    row, token = create_token(user=carol, name="terminal")
    output = io.StringIO()
    arguments = ["stream", "--track", "hello", "--token", token, "--url", server.url]
    printing = threading.Thread(
        target=lambda: call_command(*arguments, stdout=output, force_color=True)
    )
    printing.start()
    posted = []

    def printed() -> bool:
        # Again and again: only its first line shows that the stream is open.
        posted.append(post_status(author=alice, text="hello @carol"))
        post_status(author=alice, text="something else")
        return "hello" in output.getvalue()

    wait_for(printed)
    delete_status(status=posted[-1], by=alice)
    wait_for(lambda: f"{posted[-1].pk} was deleted" in output.getvalue())
    revoke_token(token=row)
    printing.join(30)
    told = output.getvalue()
    assert "\x1b[" in told
    assert "Alice Liddell" in told
    assert "something else" not in told
    assert "The token was revoked." in told


def test_the_command_says_why_there_is_no_stream(server: StreamServer, db: None) -> None:
    with pytest.raises(CommandError, match="401: The token is unknown"):
        call_command("stream", "--token", "nonsense", "--url", server.url)
    with pytest.raises(CommandError, match="access_token USERNAME` makes one"):
        call_command("stream", "--url", server.url)
    with pytest.raises(CommandError, match="does not answer"):
        call_command("stream", "--token", "x", "--url", "http://127.0.0.1:1")


def test_old_names_and_texts_send_no_escapes_to_the_terminal() -> None:
    """They were stored before such characters were refused."""
    message = {
        "text": "\x1b[2J@carol\u202e",
        "user": {"name": "\x1b]0;gone\x07", "screen_name": "alice"},
        "created_at": "Wed Aug 27 13:08:45 +0000 2008",
        "entities": {"user_mentions": [{"indices": [4, 10]}]},
    }
    told = show(message, no_style())
    assert told == "�]0;gone� @alice  13:08:45\n�[2J@carol�\n"
    assert show({"limit": {"track": "\x9b"}}, no_style()) == 'limit: {"track": "�"}\n'
