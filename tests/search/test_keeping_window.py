"""The window beside SQL: it is opened, filled, replaced and freed, and never hides a post."""

import io
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import Settings

from redistools import keys
from redistools.client import get_binary_client, get_client
from search.index import writing
from search.index.newest import newest
from search.index.wanted import Bounds, Wanted
from search.index.window import feeding, filling, reading, segments, server
from search.models import Entry
from search.query.meaning import meaning_of
from search.query.parsing import parse
from search.tasks import index_new
from statuses.services import delete_status, edit_status, post_status
from taskqueue.drain import drain
from tests.races import in_threads
from tests.redis_keys import keys_of_the_test
from tests.search.finding import found, index_all
from tests.search.windows import keep_all, numbers, small_segments, state, too_small_sets, window
from upkeep import checking
from users.models import User
from users.services import change_privacy

__all__ = ["small_segments", "window"]

pytestmark = pytest.mark.usefixtures("small_segments")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


@pytest.fixture
def texts(alice: User) -> list[str]:
    """Ten posts in several segments, newest first; a word of three, and one in all of them."""
    said = [f"tea {number} {'milk' * (number % 4 == 0)}" for number in range(10)]
    for text in said:
        post_status(author=alice, text=text)
    index_all()
    keep_all()
    return [text.strip() for text in reversed(said)]


def sql_goes_on_below(query: str = "tea") -> int:
    meaning = meaning_of(parse(query), viewer=None)
    return reading.newest(meaning.wanted, meaning.bounds, 100).below


def is_whole() -> bool:
    """Does it answer without SQL?"""
    return sql_goes_on_below() == 0


def keys_with(part: str) -> list[str]:
    return sorted(it for it in keys_of_the_test("search:*") if part in it)


def check(*options: str) -> str:
    out = io.StringIO()
    with suppress(SystemExit):
        call_command("check_timelines", *options, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_it_is_filled_from_what_sql_has(texts: list[str]) -> None:
    assert is_whole()
    assert len(numbers()) == 4
    assert found("tea") == texts
    assert found("milk -8") == ["tea 4 milk", "tea 0 milk"]


def test_what_is_posted_edited_and_deleted_later_is_in_it(texts: list[str], alice: User) -> None:
    for number in range(9):
        said = post_status(author=alice, text=f"coffee {number}")
    index_all()
    edit_status(status=said, by=alice, text="late cake")
    gone = alice.statuses.get(text="tea 5")
    delete_status(status=gone, by=alice)
    drain()
    assert is_whole()
    assert len(found("coffee")) == 8
    assert found("cake -coffee") == ["late cake"]
    assert found("tea") == [it for it in texts if it != "tea 5"]
    assert Entry.objects.count() == 18


def test_without_a_window_writers_and_searches_do_without(alice: User) -> None:
    post_status(author=alice, text="tea")
    index_all()
    assert found("tea") == ["tea"]
    assert not keys_of_the_test("search:*")


def test_below_its_floor_sql_goes_on(texts: list[str], settings: Settings, alice: User) -> None:
    settings.SEARCH_WINDOW = 5
    keep_all()
    assert len(numbers()) == 3
    assert sql_goes_on_below() == int(state(numbers()[-1])["first"])
    assert found("tea") == texts
    for number in range(8):
        post_status(author=alice, text=f"tea for {number}")
    index_all()
    keep_all()
    assert len(numbers()) <= 3
    assert len(found("tea")) == 18
    assert not segments.read().dropped


def test_it_is_freed_when_it_is_turned_off(texts: list[str], settings: Settings) -> None:
    settings.SEARCH_WINDOW = 0
    keep_all()
    assert not keys_of_the_test("search:*")
    assert found("tea") == texts
    settings.SEARCH_WINDOW = 100
    keep_all()
    assert is_whole()
    assert found("tea") == texts


def test_nothing_is_filled_before_all_who_did_not_know_of_it_are_done(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "UNSETTLED", timedelta(minutes=1))
    post_status(author=alice, text="tea")
    index_all()
    keep_all()
    assert numbers()
    assert {state(it)["state"] for it in numbers()} == {"filling"}
    post_status(author=alice, text="more tea")
    index_all()
    assert not is_whole()
    assert found("tea") == ["more tea", "tea"]
    monkeypatch.setattr(filling, "UNSETTLED", timedelta(0))
    keep_all()
    assert is_whole()
    assert found("tea") == ["more tea", "tea"]


LOST = ["state", "ids", "late", "terms", "in", "edited", "gone", "buckets", "segments", "blocks"]

# No post was late, and no set so large that it is read by blocks.
UNUSED = {"late", "blocks"}


@pytest.mark.parametrize("part", LOST)
def test_what_is_lost_hides_no_post_and_is_made_again(
    part: str, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding, "ROOM", 40)
    right = make_every_kind(alice)
    assert is_whole()
    names = keys_with(f":{part}")
    assert names or part in UNUSED
    for name in names[:6]:
        get_client().delete(name)
        assert [found(it) for it in right] == list(right.values()), name
        keep_all()
        assert is_whole(), name


def make_every_kind(alice: User) -> dict[str, list[str]]:
    said = [post_status(author=alice, text=f"tea {number % 2}") for number in range(36)]
    index_all()
    keep_all()
    change_privacy(user=alice, is_private=True, default_visibility=0)
    change_privacy(user=alice, is_private=False, default_visibility=0)
    edit_status(status=said[3], by=alice, text="tea and cake")
    delete_status(status=said[4], by=alice)
    drain()
    queries = ("tea", "tea -1", "tea -0", "cake", "0 OR cake", '"tea 1"')
    return {query: found(query) for query in queries}


def die(names: list[str]) -> None:
    """The server of these keys died, or was replaced."""
    for name in names:
        get_client().hset(name, "life", "0" * 40)


@pytest.mark.parametrize("part", [":state", "{search}:segments"])
def test_nobody_trusts_a_server_that_died_since(part: str, texts: list[str], alice: User) -> None:
    for name in keys_with(part):
        before = numbers()
        die([name])
        assert not is_whole()
        assert "belongs to nothing" not in check(), "all will be freed"
        assert found("tea") == texts
        keep_all()
        assert is_whole()
        assert found("tea") == texts
        assert numbers() != before
    assert len(keys_with(":state")) == len(numbers()), "the former are freed"


@pytest.fixture
def one_run(small_segments: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """One script reads all segments."""
    monkeypatch.setattr(keys, "SEGMENTS_OF_A_RUN", 2**40)


@pytest.mark.parametrize(("field", "value"), [("life", "0" * 40), ("below", "1"), ("ids", "3")])
def test_a_script_stops_before_a_segment_that_is_wrong(
    field: str, value: str, one_run: None, texts: list[str]
) -> None:
    newest_one, second, *_ = numbers()
    get_client().hset(keys.search_segment(second), field, value)
    assert sql_goes_on_below() == int(state(newest_one)["first"])
    assert found("tea") == texts
    keep_all()
    assert is_whole()


def test_an_older_snapshot_of_some_keys_hides_no_post(texts: list[str], alice: User) -> None:
    """The list of segments is as it was before the last ones began."""
    client, name = get_binary_client(), keys_with("segments")[0]
    older: Any = client.dump(name)
    for number in range(6):
        post_status(author=alice, text=f"late tea {number}")
    index_all()
    client.delete(name)
    client.restore(name, 0, older)
    assert len(found("tea")) == 16
    assert not is_whole()
    post_status(author=alice, text="the latest tea")
    index_all()
    assert len(found("tea")) == 17
    keep_all()
    assert is_whole()
    assert len(found("tea")) == 17


class Died(Exception):  # noqa: N818 - reads as what happened
    pass


def raise_died(*_: object, **__: object) -> None:
    raise Died


def test_a_process_that_dies_before_sql_has_an_entry_repeats_it(
    texts: list[str], alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    post_status(author=alice, text="late tea")
    drain()
    with monkeypatch.context() as patched:
        patched.setattr(Entry.objects, "bulk_create", raise_died)
        with pytest.raises(Died):
            index_new.call()
    index_all()
    assert found("tea") == ["late tea", *texts]
    assert is_whole()


DEATHS: list[tuple[object, str]] = [
    (segments, "change"),
    (feeding, "_close"),
    (feeding, "open_segment"),
]


@pytest.mark.parametrize(("where", "what"), DEATHS)
@pytest.mark.parametrize("is_repaired", [True, False])
def test_a_process_that_dies_while_it_closes_a_segment_stops_nobody(
    where: object,
    what: str,
    is_repaired: bool,
    texts: list[str],
    alice: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = [f"late tea {number}" for number in range(5)]
    for text in said:
        post_status(author=alice, text=text)
    drain()
    with monkeypatch.context() as patched:
        patched.setattr(where, what, raise_died)
        with pytest.raises(Died):
            index_new.call()
    assert set(found("tea")) >= set(texts), "and perhaps what SQL will have"
    if is_repaired:
        keep_all()
    index_all()
    assert found("tea") == said[::-1] + texts
    keep_all()
    assert is_whole()
    assert found("tea") == said[::-1] + texts


def test_a_fill_that_was_stopped_goes_on(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "ROOM", 40)
    monkeypatch.setattr(filling, "POSTS_AT_ONCE", 3)
    said = [f"tea {number}" for number in range(10)]
    for text in said:
        post_status(author=alice, text=text)
    index_all()
    while not any(state(it)["ids"] == "3" for it in numbers()):
        assert filling.keep()
    edit_status(status=alice.statuses.get(text="tea 9"), by=alice, text="cake")
    delete_status(status=alice.statuses.get(text="tea 8"), by=alice)
    drain()
    keep_all()
    assert is_whole()
    assert found("tea") == said[7::-1]
    assert found("cake -tea") == ["cake"]


def test_it_waits_until_sql_has_looked_at_everything(texts: list[str]) -> None:
    call_command("rebuild_search", stdout=io.StringIO())
    assert not is_whole()
    assert found("tea") == texts
    keep_all()
    assert is_whole()
    assert found("tea") == texts


def test_a_server_with_too_small_sets_has_none(
    texts: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with too_small_sets():
        assert not server.is_on()
        assert "set-max-intset-entries 65536" in caplog.text
        assert found("tea") == texts
        keep_all()
        assert not keys_of_the_test("search:*")
    assert server.is_on()


def test_the_check_finds_terms_that_are_missing(texts: list[str]) -> None:
    assert "agrees with SQL" in check()
    client = get_binary_client()
    name = keys_with(":terms:")[0]
    client.set(name, b"\0\0\0")
    assert "the window of searches lacks status" in check()
    check("--repair")
    assert "agrees with SQL" in check()
    assert found("tea") == texts


def test_what_belongs_to_no_segment_goes(texts: list[str]) -> None:
    name = keys_with(":ids")[0]
    number = name.split(":")[-2]
    stray = name.replace(f":{number}:", ":4711:")
    get_client().copy(name, stray)
    assert f"{stray} belongs to nothing" in check()
    check("--repair")
    assert "agrees with SQL" in check()
    assert is_whole()


def test_keepers_and_writers_at_once_hide_no_post(texts: list[str], alice: User) -> None:
    for number in range(30):
        post_status(author=alice, text=f"tea at {number}")
    drain()
    ids = list(alice.statuses.values_list("pk", flat=True))

    def work() -> None:
        for some in (ids[::3], ids[1::3], ids[2::3]):
            writing.write(some)
            filling.keep()
            assert len(newest(*tea(), 100)) >= 10

    in_threads(3, work)
    keep_all()
    assert len(found("tea")) == 40
    assert is_whole()


def tea() -> tuple[Wanted, Bounds]:
    meaning = meaning_of(parse("tea"), viewer=None)
    return meaning.wanted, meaning.bounds
