"""How often one may try. Raises Refusal (429), without running the block, once a limit is reached.

A try is counted before its work begins, so that simultaneous ones count too; if it should not count
after all, it is given back.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, cast

from django.utils.translation import ngettext_lazy

from configuration.current import site
from redistools.client import get_client
from redistools.lock import LockNotAcquired, lock
from redistools.rate_limit import Decision, RateLimit
from web.refusals import Refusal

P = ParamSpec("P")
R = TypeVar("R")

QUARTER_HOUR = 15 * 60
HOUR = 60 * 60
DAY = 24 * HOUR

# From one address to one account.
FAILED_LOGINS_PER_PAIR = 10
FAILED_LOGINS_PER_DEVICE = 10
# Loose, since strangers can use it up: it only stops guessing from very many addresses.
FAILED_LOGINS_PER_ACCOUNT = 100
FAILED_LOGINS_PER_ADDRESS = 50
WRONG_PASSWORDS_PER_ACCOUNT = 10
# Of a million possible ones, three are right at any time.
WRONG_CODES = 10
WRONG_CODES_PER_DAY = 50
RESET_MAILS_PER_MAILBOX = 5
RESET_MAILS_PER_ADDRESS = 20
CONFIRMATION_MAILS_PER_MAILBOX = 5
PICTURES_PER_HOUR = 40
# Longer than one takes, also behind another; then whoever died meanwhile holds up nobody.
PICTURE_SECONDS = 60
FIVE_MINUTES = 5 * 60
SEARCHES = 100
# A browser asks while somebody types.
COMPLETIONS = 500
# An open thread asks four times a minute, a page after each "back".
LOOKS = 300

Writing = Literal[
    "post", "edit", "deletion", "like", "boost", "bookmark", "undo", "follow", "unfollow",
    "boosts_hidden", "tag", "list", "profile", "member", "token", "password", "email", "export",
    "notifications", "report", "privacy", "request", "block", "mute",
    "appearance", "dismissal", "search", "appeal",
    "message", "reaction", "reading", "chat", "stranger",
]  # fmt: skip


class Pace(NamedTuple):
    """How much a member may do: generous for people, hard for scripts. A limit of 0 is none; one
    with a name is a setting of the site.
    """

    limit: int | str
    window: int = HOUR
    per_minute: int = 0


# What can be undone has a pace of its own, so that one who did too much can still undo it.
PACES: dict[Writing, Pace] = {
    "post": Pace("posts_per_hour", per_minute=30),
    "edit": Pace(200, per_minute=20),
    "deletion": Pace(500),
    "like": Pace(1_000, per_minute=100),
    "boost": Pace(300, per_minute=30),
    "bookmark": Pace(1_000, per_minute=100),
    "undo": Pace(2_500, per_minute=300),
    "follow": Pace("follows_per_day", DAY, per_minute=40),
    "unfollow": Pace(400, DAY),
    "boosts_hidden": Pace(200, per_minute=40),
    "tag": Pace(200, per_minute=40),
    "list": Pace(100),
    # A new name is written into every status of its owner.
    "profile": Pace(20),
    "member": Pace(500),
    "token": Pace(60),
    "password": Pace(30),
    "email": Pace(20, DAY),
    "export": Pace(3, DAY),
    "report": Pace("reports_per_hour", per_minute=5),
    "appeal": Pace(10, DAY),
    "notifications": Pace(500),
    "privacy": Pace(60),
    "appearance": Pace(100),
    "search": Pace(200),
    "request": Pace(2_000, per_minute=200),
    "block": Pace(400, per_minute=40),
    "mute": Pace(400, per_minute=40),
    "dismissal": Pace(400, per_minute=60),
    "message": Pace(1_000, per_minute=60),
    "reaction": Pace(1_000, per_minute=100),
    "reading": Pace(5_000, per_minute=300),
    "chat": Pace(200, per_minute=40),
    # Chats with people who have not asked for it.
    "stranger": Pace(20, DAY),
}


def login_attempt(
    *, username: str, address: str, device: str | None
) -> AbstractContextManager[None]:
    """Only failures count, also for names without an account. A known device has its own count."""
    if device:
        limit = _limit("login_device", FAILED_LOGINS_PER_DEVICE, QUARTER_HOUR)
        return _counting_failures(limit, device)
    return _stranger_logs_in(username.lower(), address)


@contextmanager
def _stranger_logs_in(name: str, address: str) -> Iterator[None]:
    from_address = _limit("login_address", FAILED_LOGINS_PER_ADDRESS, QUARTER_HOUR)
    from_address_to_account = _limit("login_pair", FAILED_LOGINS_PER_PAIR, QUARTER_HOUR)
    to_account = _limit("login_account", FAILED_LOGINS_PER_ACCOUNT, HOUR)
    with (
        _counting_failures(from_address, address),
        _counting_failures(from_address_to_account, f"{address} {name}"),
        _counting_failures(to_account, name),
    ):
        yield


def password_check(*, user_id: int) -> AbstractContextManager[None]:
    """Counted apart from log-ins: a stranger at an open session must not lock its owner out."""
    limit = _limit("password_check", WRONG_PASSWORDS_PER_ACCOUNT, QUARTER_HOUR)
    return _counting_failures(limit, str(user_id))


@contextmanager
def code_check(*, user_id: int, device: str | None) -> Iterator[None]:
    """Only wrong codes count. One who knows the password must not lock the owner out."""
    subject = device or f"account {user_id}"
    at_once = _limit("code", WRONG_CODES, QUARTER_HOUR)
    in_a_day = _limit("code_day", WRONG_CODES_PER_DAY, DAY)
    with _counting_failures(at_once, subject), _counting_failures(in_a_day, subject):
        yield


def successful_sign_up(*, address: str) -> AbstractContextManager[None]:
    """An empty address, that of a program, has no limit."""
    if not address:
        return nullcontext()
    return _counting(_limit("sign_up", site().sign_ups_per_hour, HOUR), address)


def count_reset_mail(*, mailbox: str, address: str) -> None:
    """Counts whether or not the mailbox belongs to an account: the answer must not reveal it."""
    _take(_limit("reset_address", RESET_MAILS_PER_ADDRESS, HOUR), address)
    _take(_limit("reset_mailbox", RESET_MAILS_PER_MAILBOX, HOUR), mailbox.lower())


def count_confirmation_mail(*, mailbox: str) -> None:
    """Repeated sign-ups with somebody else's address must not flood it."""
    limit = _limit("confirmation_mailbox", CONFIRMATION_MAILS_PER_MAILBOX, DAY)
    _take(limit, mailbox.lower())


def count_search(*, subject: str) -> None:
    _take(_limit("search", SEARCHES, FIVE_MINUTES), subject)


def count_completion(*, user_id: int) -> None:
    _take(_limit("completion", COMPLETIONS, FIVE_MINUTES), str(user_id))


def count_look(*, subject: str) -> None:
    _take(_limit("look", LOOKS, FIVE_MINUTES), subject)


def count_picture(*, user_id: int) -> None:
    """Refused ones too: looking at a picture takes longer than anything else that a page does."""
    _take(_limit("picture", PICTURES_PER_HOUR, HOUR), str(user_id))


@contextmanager
def one_picture(*, user_id: int) -> Iterator[None]:
    """One at a time for each person: it takes a processor and much memory while it lasts."""
    try:
        with lock(get_client(), f"picture:{user_id}", timeout=PICTURE_SECONDS, wait=0):
            yield
    except LockNotAcquired as error:
        raise too_often(PICTURE_SECONDS / 10) from error


def throttled(kind: Writing, *, by: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For a service: each call that does not raise counts for the account that its argument `by`
    names (a user, an id, or what a dot leads to).
    """

    def decorator(service: Callable[P, R]) -> Callable[P, R]:
        @wraps(service)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            with _writing(kind, _account_id(kwargs, by)):
                return service(*args, **kwargs)

        return wrapper

    return decorator


def _account_id(arguments: Mapping[str, Any], path: str) -> int:
    name, *attributes = path.split(".")
    found = arguments[name]
    for attribute in attributes:
        found = getattr(found, attribute)
    return cast("int", getattr(found, "pk", found))


def _writing(kind: Writing, user_id: int) -> AbstractContextManager[None]:
    wanted, window, per_minute = PACES[kind]
    most = getattr(site(), wanted) if isinstance(wanted, str) else wanted
    if not most:
        return nullcontext()
    limit = RateLimit(
        get_client(), f"write_{kind}", limit=most, window=window, per_minute=per_minute
    )
    return _counting(limit, str(user_id), kind)


@contextmanager
def unlimited() -> Iterator[None]:
    """For programs that write in many people's names: in this process, nothing of it counts."""
    paces, before = PACES, dict(PACES)
    paces.update(dict.fromkeys(paces, Pace(0)))
    try:
        yield
    finally:
        paces.update(before)


TRY_LATER = ngettext_lazy(
    "Too many attempts. Try again in a minute.",
    "Too many attempts. Try again in %(minutes)s minutes.",
    "minutes",
)
TOO_OFTEN = {
    "post": ngettext_lazy(
        "You're posting too fast. Try again in a minute.",
        "You're posting too fast. Try again in %(minutes)s minutes.",
        "minutes",
    ),
    "edit": ngettext_lazy(
        "You're editing too fast. Try again in a minute.",
        "You're editing too fast. Try again in %(minutes)s minutes.",
        "minutes",
    ),
}


def too_often(seconds: float, kind: str = "") -> Refusal:
    words = TOO_OFTEN.get(kind, TRY_LATER) % {"minutes": math.ceil(seconds / 60)}
    return Refusal(words, code="too_often", status=429, retry_after=seconds)


def _limit(name: str, limit: int, window: int) -> RateLimit:
    return RateLimit(get_client(), name, limit=limit, window=window)


def _take(limit: RateLimit, subject: str, kind: str = "") -> Decision:
    decision = limit.hit(subject)
    if not decision.allowed:
        raise too_often(decision.retry_after, kind)
    return decision


@contextmanager
def _counting(limit: RateLimit, subject: str, kind: str = "") -> Iterator[None]:
    taken = _take(limit, subject, kind)
    try:
        yield
    except BaseException:
        limit.give_back(taken)
        raise


@contextmanager
def _counting_failures(limit: RateLimit, subject: str) -> Iterator[None]:
    taken = _take(limit, subject)
    yield
    limit.give_back(taken)
