"""How many of our files a page passes: somebody who follows its way has to open these."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from django.conf import settings

from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.cluster import on_a_server
from users.models import User

ROOT: Path = settings.BASE_DIR
NOT_OURS = ("tests", ".venv")
# The way of a request to its view, and that of a command to Redis or SQL, are the same for all
# pages: middleware, session, account, client.
SHARED = ("redistools", "web", "socialsite", "users/login")

HOME, HOME_ITSELF = 62, 28


@contextmanager
def tracing() -> Iterator[set[str]]:
    """The files of ours in which a function runs during the block, in this thread."""
    files: set[str] = set()

    def note(frame: FrameType, _event: str, _argument: object) -> None:
        files.add(frame.f_code.co_filename)

    passed: set[str] = set()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield passed
    finally:
        sys.setprofile(before)
    inside = (Path(name).relative_to(ROOT) for name in files if Path(name).is_relative_to(ROOT))
    passed |= {path.as_posix() for path in inside if path.parts[0] not in NOT_OURS}


@on_a_server  # a cluster's client has a file of its own
def test_a_home_page_passes_so_many_files_and_no_more(alice: User, bob: User) -> None:
    post_status(author=alice, text="Hello @bob #tea")
    drain()
    browser = browser_of(bob)
    assert "Hello" in browser.get("/").content.decode(), "what is kept has been made"
    with tracing() as passed:
        page = browser.get("/")
    assert "Hello" in page.content.decode()
    own = {it for it in passed if not it.startswith(SHARED)}
    assert "timelines/views.py" in own
    assert len(own) <= HOME_ITSELF, "\n".join(sorted(own))
    assert len(passed) <= HOME, "\n".join(sorted(passed))
