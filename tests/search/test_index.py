"""The index of posts: who enters, how it is fed, and how it comes back."""

import io
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from redistools.ids import first_id_at
from search.index import feeding, writing
from search.index.documents import document
from search.index.engine import engine
from search.models import Entry, Progress
from search.tasks import index_author, index_new, index_old
from statuses.models import Status
from statuses.reactions.services import boost
from statuses.services import delete_status, edit_status, post_status
from statuses.store import find_statuses
from taskqueue.drain import drain
from tests.cast import make_user
from tests.search.finding import index_all
from tests.statements import statements
from upkeep import checking
from users.audience import Visibility
from users.models import User
from users.services import change_privacy, delete_account, silence, suspend


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


def indexed() -> list[str]:
    ids = Entry.objects.values_list("pk", flat=True)
    return sorted(Status.objects.filter(pk__in=ids).values_list("text", flat=True))


def check(*options: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("check_timelines", *options, stdout=out, stderr=io.StringIO())
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that was posted so far has been looked at."""
    monkeypatch.setattr(feeding, "UNSETTLED", timedelta(0))
    index_all()


def test_only_public_posts_enter_and_no_boosts(alice: User, bob: User) -> None:
    for visibility in Visibility:
        post_status(author=alice, text=f"for {visibility.name}", visibility=visibility)
    (public,) = find_statuses(
        Status.objects.filter(visibility=Visibility.PUBLIC).values_list("pk", flat=True)
    ).values()
    boost(user=bob, status=public)
    index_all()
    assert indexed() == ["for PUBLIC"]
    assert Entry.objects.count() == 1


def test_who_is_private_or_does_not_want_to_be_found_is_not_in_it(alice: User, bob: User) -> None:
    post_status(author=alice, text="of alice")
    post_status(author=bob, text="of bob")
    index_all()
    change_privacy(user=alice, is_private=True, default_visibility=0)
    change_privacy(user=bob, is_private=False, default_visibility=0, posts_are_searchable=False)
    drain()
    assert indexed() == []
    post_status(author=bob, text="of bob again")
    index_all()
    assert indexed() == []
    change_privacy(user=alice, is_private=False, default_visibility=0)
    change_privacy(user=bob, is_private=False, default_visibility=0, posts_are_searchable=True)
    drain()
    assert indexed() == ["of alice", "of bob", "of bob again"]


def test_a_long_list_of_posts_is_taken_in_parts(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("search.tasks.SOME", 2)
    for number in range(5):
        post_status(author=alice, text=f"number {number}")
    drain()
    index_author.call(alice.pk)
    drain()
    assert len(indexed()) == 5


def test_what_moderators_hide_stays_in_it(alice: User, bob: User) -> None:
    post_status(author=alice, text="of alice")
    post_status(author=bob, text="of bob")
    suspend(user=alice)
    silence(user=bob)
    index_all()
    assert indexed() == ["of alice", "of bob"]


def test_edits_replace_and_deletions_remove(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    said = post_status(author=alice, text="one")
    gone = post_status(author=alice, text="two")
    settle(monkeypatch)
    edit_status(status=said, by=alice, text="three")
    delete_status(status=gone, by=alice)
    drain()
    entry = Entry.objects.get()
    assert entry.pk == said.pk
    assert "three" in entry.terms
    assert "one" not in entry.terms
    assert check()[0] == 0


def test_with_an_account_its_entries_go(alice: User, bob: User) -> None:
    post_status(author=alice, text="of alice")
    post_status(author=bob, text="of bob")
    index_all()
    delete_account(user=alice)
    drain()
    assert indexed() == ["of bob"]
    assert Entry.objects.count() == 1


def test_posts_share_a_transaction(alice: User) -> None:
    index_new.call()
    for number in range(60):
        Status.objects.create(id=first_id_at(timezone.now()) + number, author=alice, text="tea")
    with CaptureQueriesContext(connection) as queries:
        index_new.call()
    assert Entry.objects.count() == 60
    begun = [it for it in statements(queries) if it == "BEGIN" or it.startswith("SAVEPOINT")]
    assert len(begun) <= 4, "fifty at a time, the rest, and what was inserted"


def test_a_post_that_is_committed_late_is_found(alice: User) -> None:
    """It has its id before others that are committed first."""
    early = first_id_at(timezone.now())
    index_new.call()
    post_status(author=alice, text="late id, early commit")
    index_all()
    Status.objects.create(id=early, author=alice, text="early id, late commit")
    index_new.call()
    assert len(indexed()) == 2


def test_nothing_is_looked_at_for_ever(alice: User) -> None:
    """Only the last minute is looked at again."""
    old = first_id_at(timezone.now() - timedelta(hours=1))
    Status.objects.create(id=old, author=alice, text="tea")
    post_status(author=alice, text="cake")
    index_all()
    assert Progress.objects.get().settled > old


def test_an_upgraded_site_fills_its_index_by_itself(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "AT_ONCE", 2)
    monkeypatch.setattr("search.tasks.STEPS", 1)
    month_ago = first_id_at(timezone.now() - timedelta(days=30))
    for number in range(7):
        Status.objects.create(id=month_ago + number, author=alice, text=f"number {number}")
    index_all()
    assert len(indexed()) == 7
    assert Progress.objects.get().rest == 0


def test_a_walk_through_old_posts_goes_on_where_it_was_stopped(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "AT_ONCE", 2)
    for number in range(5):
        post_status(author=alice, text=f"number {number}")
    drain()
    assert feeding.index_old(steps=1) == 2
    assert indexed() == ["number 3", "number 4"], "the newest first"
    assert feeding.left() == 3
    index_old.call()
    drain()
    assert len(indexed()) == 5


def test_rebuild_search_puts_everything_right(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "AT_ONCE", 2)
    said = [post_status(author=alice, text=f"number {number}") for number in range(5)]
    index_all()
    damage(said)
    out = io.StringIO()
    call_command("rebuild_search", stdout=out)
    assert "5 posts: searches find what SQL has" in out.getvalue()
    assert len(indexed()) == Entry.objects.count() == 5
    assert not writing.wrong_among(list(Status.objects.with_names()))


def damage(said: list[Status]) -> None:
    """One is missing, one is wrong, one belongs to nothing."""
    Entry.objects.filter(pk__in=[said[0].pk, said[1].pk]).delete()
    wrong = engine().written([("mallory",)])
    Entry.objects.create(pk=said[1].pk, terms=wrong)
    Entry.objects.create(pk=said[2].pk - 1, terms=wrong)


def test_the_check_finds_what_is_missing_wrong_or_left_over(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [post_status(author=alice, text=f"number {number}") for number in range(5)]
    settle(monkeypatch)
    assert check()[0] == 0
    damage(said)
    code, output = check()
    assert code == 1
    assert len(output.splitlines()) == 3, output
    assert check("--repair")[0] == 0
    assert check()[0] == 0
    assert len(indexed()) == Entry.objects.count() == 5


def test_what_is_still_to_be_looked_at_is_no_difference(alice: User) -> None:
    post_status(author=alice, text="tea")
    drain()
    assert check()[0] == 0
    index_all()
    post_status(author=alice, text="cake")
    drain()
    assert check()[0] == 0


@pytest.mark.parametrize(
    "text",
    ["it's a \\ 'test' \"of\" quotes", "咖啡 " * 40, "哈" * 400, "a b " * 120, "https://x.example/a'b?c=\\d&e=\"f\""],
)  # fmt: skip
def test_entries_are_read_as_they_were_written(alice: User, text: str) -> None:
    """Else the check would find a difference that no repair ends."""
    status = post_status(author=make_user("o_o"), text=text)
    index_all()
    (stored,) = find_statuses([status.pk]).values()
    assert Entry.objects.get().terms == engine().written(document(stored))
    assert not writing.wrong_among(list(Status.objects.with_names()))
