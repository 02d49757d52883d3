"""What an open page asks for: what is pressed, counted, gone; for what its reader may see."""

from typing import Any

import pytest
from django.test import Client

from relations.blocks_and_mutes import services as blocks_and_mutes
from relations.services import follow, unfollow
from statuses.models import Status
from statuses.reactions import services as reactions
from statuses.reading.now import MOST
from statuses.selectors import show
from statuses.services import delete_status, edit_status, post_status
from tests.cast import browser_of
from tests.round_trips import counting_round_trips
from users import throttling
from users.audience import Visibility
from users.models import User

NONE = {"reply": "", "boost": "", "like": ""}
NOTHING = {"counts": NONE, "pressed": [], "edited": 0}


@pytest.fixture
def status(alice: User) -> Status:
    return post_status(author=alice, text="Hello")


def ask(browser: Client, *statuses: Status, people: str = "") -> dict[str, Any]:
    ids = ",".join(str(it.pk) for it in statuses)
    answer = browser.get("/now/", {"statuses": ids, "people": people})
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    found: dict[str, Any] = answer.json()
    return found


def test_a_reader_gets_what_they_pressed_and_the_counts(
    alice: User, bob: User, carol: User, status: Status
) -> None:
    (stored,) = show([status.pk], viewer=bob).statuses
    reactions.like(user=bob, status=stored.status)
    reactions.like(user=carol, status=stored.status)
    reactions.bookmark(user=bob, status=stored.status)
    post_status(author=carol, text="Hi", reply_to=stored.status.id)
    mine = ask(browser_of(bob), status)["statuses"][str(status.pk)]
    counts = {"reply": "1", "boost": "", "like": "2"}
    assert mine == NOTHING | {"counts": counts, "pressed": ["like", "bookmark"]}
    visitors = ask(Client(), status)
    assert visitors == {"statuses": {str(status.pk): NOTHING | {"counts": counts}}}


def test_an_entry_that_boosts_answers_for_its_original(
    bob: User, carol: User, status: Status
) -> None:
    (stored,) = show([status.pk], viewer=bob).statuses
    reactions.boost(user=bob, status=stored.status)
    boost = Status.objects.get(boost_of=status)
    state = ask(browser_of(carol), boost)["statuses"][str(boost.pk)]
    assert state == NOTHING | {"counts": NONE | {"boost": "1"}}
    reactions.unboost(user=bob, status_id=status.pk)
    assert ask(browser_of(carol), boost)["statuses"] == {}


def test_hidden_and_deleted_posts_are_missing_alike(
    alice: User, bob: User, carol: User, status: Status
) -> None:
    private = post_status(author=alice, text="Friends", visibility=Visibility.FOLLOWERS)
    gone = post_status(author=alice, text="Gone")
    delete_status(status=gone, by=alice)
    asked = (status, private, gone)
    for browser, seen in ((browser_of(bob), 2), (browser_of(carol), 1), (Client(), 1)):
        assert len(ask(browser, *asked)["statuses"]) == seen
    blocks_and_mutes.block(blocker=alice, blocked=bob)
    assert ask(browser_of(bob), *asked)["statuses"] == {}


def test_an_edit_is_told_by_its_moment(alice: User, bob: User, status: Status) -> None:
    edit_status(status=status, by=alice, text="Hello again", warning="")
    moment = ask(browser_of(bob), status)["statuses"][str(status.pk)]["edited"]
    assert moment
    page = browser_of(bob).get(f"/@alice/{status.pk}/").content.decode()
    assert f'data-edited="{moment}"' in page


def test_follow_buttons_come_as_they_are_now(alice: User, bob: User, carol: User) -> None:
    browser = browser_of(carol)
    follow(follower=carol, followee=alice)
    found = ask(browser, people="alice,bob,carol,nobody")["people"]
    assert {*found} == {"alice", "bob"}
    assert 'action="/@alice/unfollow/"' in found["alice"]
    assert 'action="/@bob/follow/"' in found["bob"]
    unfollow(follower=carol, followee=alice)
    assert 'action="/@alice/follow/"' in ask(browser, people="alice")["people"]["alice"]


def test_who_blocks_a_reader_is_not_there(alice: User, carol: User) -> None:
    blocks_and_mutes.block(blocker=alice, blocked=carol)
    assert ask(browser_of(carol), people="alice")["people"] == {}


def test_the_unread_come_along(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(unread_notifications=3)
    assert ask(browser_of(alice))["unread"] == 3


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    [
        {"statuses": "1;2"},
        {"statuses": "9999999999999999"},
        {"statuses": ",".join(map(str, range(MOST + 1)))},
        {"people": "al ice"},
        {"people": "ali/ce"},
    ],
)
def test_a_question_that_makes_no_sense_is_refused(client: Client, query: dict[str, str]) -> None:
    assert client.get("/now/", query).status_code == 400


def test_looks_are_counted(client: Client, status: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttling, "LOOKS", 1)
    ask(client, status)
    answer = client.get("/now/", {"statuses": str(status.pk)})
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0


def test_a_page_of_posts_costs_few_round_trips(alice: User, bob: User) -> None:
    statuses = [post_status(author=alice, text=f"Number {number}") for number in range(30)]
    browser = browser_of(bob)
    ask(browser, *statuses, people="alice")
    with counting_round_trips() as trips:
        ask(browser, *statuses, people="alice")
    assert len(trips) <= 5, str(trips)
