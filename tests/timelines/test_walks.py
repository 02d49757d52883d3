"""How many of our files a page passes: somebody who follows its way has to open these."""

from statuses.services import post_status
from taskqueue.drain import drain
from tests import postgres
from tests.cast import browser_of
from tests.cluster import on_a_server
from tests.walks import is_printed, walking
from users.models import User

# The way of a request to its view, and that of a command to Redis or SQL, are the same for all
# pages: middleware, what measures it, session, account, client.
# The number beside the way to messages is on all of them, too.
MESSAGES = ("taskqueue/consequences.py", "chats/consequences.py", "chats/counts.py")
SHARED = (
    *("redistools", "configuration", "web", "socialsite", "users/login", "insight/recording"),
    *MESSAGES,
)

# Two of them for the settings of the site: what an administrator announces, and maintenance.
HOME, HOME_ITSELF = 60, 18


@on_a_server  # a cluster's client has a file of its own
def test_a_home_page_passes_so_many_files_and_no_more(alice: User, bob: User) -> None:
    post_status(author=alice, text="Hello @bob #tea")
    drain()
    browser = browser_of(bob)
    assert "Hello" in browser.get("/").content.decode(), "what is kept has been made"
    with walking(ground=("tests",)) as walk:
        page = browser.get("/")
    assert "Hello" in page.content.decode()
    own = [it for it in walk.files if not it.startswith(SHARED)]
    assert "timelines/views.py" in own
    assert len(own) <= HOME_ITSELF, "\n".join(own)
    # On PostgreSQL, what keeps statements prepared, and what notices that the server is silent.
    assert len(walk.files) <= HOME + 2 * postgres.is_wanted(), walk
    assert is_printed("home", own), f"REFRESH_WALKS=1 refreshes it: {own}"
