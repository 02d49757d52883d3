"""Many threads on the real database file and the real Redis."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from access import tokens
from lists import services as lists
from redistools import keys
from redistools.client import get_client
from tests.users.conftest import PASSWORD
from users import selectors, store
from users.models import User
from users.services import change_profile, delete_account, sign_up
from web.refusals import Refusal

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(actions: Iterable[Callable[[], object]]) -> list[object]:
    """Do all actions at the same instant, each in its own thread."""
    waiting = list(actions)
    start = threading.Barrier(len(waiting))

    def do(action: Callable[[], object]) -> object:
        try:
            start.wait()
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(waiting)) as pool:
        return list(pool.map(do, waiting))


def outcome_of_sign_up(username: str) -> str | list[str]:
    try:
        return sign_up(username=username, email="a@example.com", password=PASSWORD).username
    except ValidationError as error:
        return error.message_dict["username"]


def test_of_64_simultaneous_sign_ups_for_one_name_one_wins() -> None:
    spellings = ["alice", "Alice", "ALICE", "aLiCe"] * 16
    outcomes = at_once(partial(outcome_of_sign_up, name) for name in spellings)
    winner = User.objects.get()
    assert outcomes.count(winner.username) == 1
    assert outcomes.count(["This username is taken."]) == 63
    assert store.read_users([winner.pk])[winner.pk].username == winner.username


def rename(*, user: User) -> None:
    change_profile(user=user, name="New name", bio="")


@pytest.mark.parametrize(
    ("action", "names"), [(rename, ["New name"]), (delete_account, [])], ids=["rename", "delete"]
)
def test_a_slow_rebuild_never_has_the_last_word(
    alice: User, monkeypatch: pytest.MonkeyPatch, action: Callable[..., None], names: list[str]
) -> None:
    """The rebuild has read the old row, and the action comes before it writes the hash."""
    row_read, action_done = threading.Event(), threading.Event()
    fields_of = store.fields_of

    def slow_fields(user: User) -> dict[str, str]:
        fields = fields_of(user)
        if not row_read.is_set():
            row_read.set()
            action_done.wait(timeout=0.5)  # in vain: the action has to wait for the rebuild
        return fields

    def do_the_action_meanwhile() -> None:
        assert row_read.wait(timeout=30)
        action(user=alice)
        action_done.set()

    get_client().delete(keys.user(alice.pk))
    monkeypatch.setattr(store, "fields_of", slow_fields)
    at_once([partial(selectors.people, [alice.pk]), do_the_action_meanwhile])
    assert [person.name for person in store.read_users([alice.pk]).values()] == names


def refused(action: Callable[[], object]) -> bool:
    try:
        action()
    except Refusal as error:
        return error.code == "limit"
    return False


def test_many_who_ask_at_once_get_no_more_lists_than_the_limit(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "MAX_LISTS", 3)
    actions = [partial(lists.create_list, owner=alice, name=f"List {n}") for n in range(16)]
    assert at_once(partial(refused, action) for action in actions).count(False) == 3
    assert alice.lists.count() == 3


def test_many_who_ask_at_once_get_no_more_tokens_than_the_limit(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 3)
    actions = [partial(tokens.create_token, user=alice, name="bot") for _ in range(16)]
    assert at_once(partial(refused, action) for action in actions).count(False) == 3
    assert tokens.tokens_of(alice).count() == 3
