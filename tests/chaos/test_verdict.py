"""The chaos test notices what is lost: otherwise it would prove nothing."""

from tests.chaos.ledger import Answer, Fact, Ledger
from tests.chaos.record import Record
from tests.chaos.regular import Post, posts_on
from tests.chaos.verdict import wrong_in_sql

POST: Fact = ("post", "chaos alice 1")
LIKE: Fact = ("like", "bob", "chaos alice 1")
FOLLOW: Fact = ("follow", "bob", "alice")
NOTHING = Record({}, set())
ALL = Record({1: "chaos alice 1"}, {POST, LIKE, FOLLOW})


def ledger_of(*told: tuple[Fact, bool, Answer]) -> Ledger:
    ledger = Ledger()
    for fact, wanted, answer in told:
        ledger.change({fact: wanted}, iter([answer]).__next__)
    return ledger


def test_what_was_answered_must_be_there() -> None:
    ledger = ledger_of((POST, True, "done"), (LIKE, True, "done"), (FOLLOW, True, "done"))
    assert wrong_in_sql(ledger, ALL) == []
    assert [it.split()[0] for it in wrong_in_sql(ledger, NOTHING)] == ["lost:"] * 3


def test_what_was_undone_must_not_come_back() -> None:
    ledger = ledger_of((POST, True, "done"), (POST, False, "done"), (FOLLOW, False, "done"))
    assert wrong_in_sql(ledger, NOTHING) == []
    assert wrong_in_sql(ledger, ALL) == ["back: post chaos alice 1", "back: follow bob alice"]


def test_of_what_was_not_answered_nobody_knows() -> None:
    ledger = ledger_of((POST, True, "broken"), (FOLLOW, True, "done"), (FOLLOW, False, "late"))
    assert wrong_in_sql(ledger, ALL) == wrong_in_sql(ledger, NOTHING) == []
    assert ledger.is_true(POST) is None
    ledger.change({POST: False, FOLLOW: True}, lambda: "done")
    assert ledger.is_true(POST) is False, "now somebody was told"
    assert ledger.is_true(FOLLOW) is None, "the late request may still be done"


def test_a_refusal_changes_nothing() -> None:
    ledger = ledger_of((FOLLOW, True, "done"), (FOLLOW, False, "refused"))
    assert ledger.is_true(FOLLOW) is True
    assert wrong_in_sql(ledger, NOTHING) == ["lost: follow bob alice"]


def test_likes_go_with_their_post() -> None:
    ledger = ledger_of((POST, True, "done"), (LIKE, True, "done"), (POST, False, "done"))
    assert wrong_in_sql(ledger, NOTHING) == []


def test_a_form_that_was_sent_twice_posts_once() -> None:
    twice = Record({1: "chaos alice 1", 2: "chaos alice 1"}, {POST})
    assert wrong_in_sql(ledger_of((POST, True, "done")), twice) == ["twice: chaos alice 1"]


def test_the_longest_gap_is_between_two_successes() -> None:
    ledger = Ledger()
    ledger.done_at = [0.0, 1.0, 5.0, 6.0]
    assert ledger.longest_gap() == 4.0


def test_posts_are_found_on_pages() -> None:
    page = '<article id="status-7"><p>other</p></article><article id="status-8"><a>chaos al 12 #x'
    assert posts_on(page) == [Post(8, "chaos al 12")]
    assert posts_on(page)[0].author == "al"
