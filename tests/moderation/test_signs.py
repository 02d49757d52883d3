"""New accounts that look like spam."""

from datetime import timedelta

from django.utils import timezone

from moderation.signs import Suspect, suspects
from relations.services import follow
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.moderation.conftest import complain
from users.models import User


def seen(mod: User) -> list[Suspect]:
    return suspects(now=timezone.now(), viewer=mod)


def test_whoever_says_the_same_to_many_strangers_stands_out(mod: User, dave: User) -> None:
    for number in range(6):
        make_user(f"stranger{number}")
        post_status(author=dave, text=f"@stranger{number} Buy pills!")
    drain()
    assert seen(mod) == [Suspect(dave, repeats=6, strangers=6, reporters=0)]


def test_an_answer_to_those_who_follow_is_no_sign(mod: User, dave: User) -> None:
    for number in range(6):
        friend = make_user(f"friend{number}")
        follow(follower=friend, followee=dave)
        post_status(author=dave, text=f"@friend{number} thank you for number {number}")
    drain()
    assert seen(mod) == []


def test_reports_by_several_people_are_a_sign(
    mod: User, dave: User, alice: User, carol: User
) -> None:
    complain(alice, dave)
    assert seen(mod) == []
    complain(carol, dave)
    assert [it.reporters for it in seen(mod)] == [2]


def test_accounts_that_have_been_here_for_long_are_not_judged(mod: User) -> None:
    old = make_user("old", date_joined=timezone.now() - timedelta(days=8))
    for _ in range(5):
        post_status(author=old, text="Good morning")
    assert seen(mod) == []


def test_the_page_shows_the_worst_first(mod: User, dave: User, carol: User) -> None:
    for _ in range(3):
        post_status(author=carol, text="Hello")
    for _ in range(9):
        post_status(author=dave, text="Buy pills")
    page = browser_of(mod).get("/moderation/newcomers/").content.decode()
    assert page.index("@dave") < page.index("@carol")
    assert "Same text 9 times" in page


def test_nobody_sees_themselves_there(mod: User) -> None:
    for _ in range(9):
        post_status(author=mod, text="Hello")
    assert seen(mod) == []
