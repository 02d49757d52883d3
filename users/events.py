"""What happens to accounts (`taskqueue/consequences.py`): inside the transaction that writes it,
unless it says otherwise.
"""

from typing import TYPE_CHECKING

from taskqueue.consequences import Event

if TYPE_CHECKING:
    from django.http import HttpRequest

    from .models import User


@Event
def password_changed(user_id: int) -> None:
    """What was opened with the old password ends."""


@Event
def signed_up(user_id: int) -> None:
    """There is a new account. After the commit."""


@Event
def logged_in(user_id: int) -> None:
    """A session was opened for the account. Outside of transactions."""


@Event
def renamed(user_id: int) -> None:
    """Another name or avatar, which statuses hold."""


@Event
def names_changed(user_id: int, former: list[str]) -> None:
    """Found under other words of their names, or for the first time. `former`: those no longer."""


@Event
def described(user: "User") -> None:
    """There is another name or bio, or a new account."""


@Event
def standing_changed(user_id: int) -> None:
    """Suspended, leaving or silenced, or no longer."""


@Event
def opened(user_id: int) -> None:
    """A private account is private no longer."""


@Event
def findability_changed(user_id: int) -> None:
    """The account is private or no longer, or its posts may be searched or no longer."""


@Event
def suspension_explained(account: "User") -> None:
    """Its owner logs in. Returns the words for them; empty if there are none."""


@Event
def suspension_answerable(request: "HttpRequest", account: "User") -> None:
    """The same page: returns HTML with what its owner can do; empty if there is nothing."""


@Event
def whose_counters_change(user: "User") -> None:
    """When the account goes. Returns ids: these accounts are locked before anything is written."""


@Event
def before_leaving(user: "User") -> None:
    """The account is about to be deleted. Afterwards SQL no longer knows whom it followed or what
    it said: now is the time to start the tasks that take it out of Redis.
    """


@Event
def left(user_id: int) -> None:
    """The account is gone. After the commit, in a task; and again in another an hour later."""


@Event
def about_to_use_email(email: str) -> None:
    """Before it is kept as the address of an account, or mailed to. May raise Refusal."""


@Event
def about_to_publish(user: "User", text: str) -> None:
    """Before a member's words are written: a post, an edit, a name, a bio. May raise Refusal."""


@Event
def about_to_join(user: "User", address: str) -> None:
    """The account is written, and its transaction still open. `address`: where they come from, as
    far as that is known. May raise Refusal.
    """
