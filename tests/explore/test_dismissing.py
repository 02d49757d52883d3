"""Not being interested in somebody who is suggested."""

import pytest
from django.test import Client

from explore.models import Dismissal
from explore.people import services, store
from explore.people.services import dismiss, undo_dismissal
from explore.people.working_out import work_out, work_out_again
from relations.blocks_and_mutes.services import block
from relations.services import follow
from search.selectors import find_people
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.explore.suggesting import names
from users.models import AccountGone, User
from users.services import delete_account
from web.refusals import Refusal


def test_who_was_dismissed_is_suggested_no_more(alice: User, carol: User, dave: User) -> None:
    assert set(names(alice)) == {"carol", "dave"}
    assert dismiss(user=alice, person=dave)
    assert names(alice) == ["carol"]
    work_out_again(alice.pk)
    assert names(alice) == ["carol"]
    assert "alice" in names(dave), "who does not learn of it"


def test_a_friend_of_friends_is_not_offered_for_another_reason(
    alice: User, bob: User, dave: User
) -> None:
    follow(follower=alice, followee=dave)
    dismiss(user=bob, person=dave)
    assert names(bob) == []


def test_dismissing_twice_changes_nothing(alice: User, carol: User) -> None:
    assert dismiss(user=alice, person=carol)
    assert not dismiss(user=alice, person=carol)
    assert Dismissal.objects.count() == 1
    assert undo_dismissal(user=alice, person=carol)
    assert not undo_dismissal(user=alice, person=carol)


def test_a_dismissal_can_be_undone(alice: User, carol: User) -> None:
    dismiss(user=alice, person=carol)
    assert names(alice) == []
    undo_dismissal(user=alice, person=carol)
    assert names(alice) == ["carol"]


def test_who_was_dismissed_can_still_be_found_and_followed(alice: User, carol: User) -> None:
    dismiss(user=alice, person=carol)
    found = find_people("@carol", viewer=alice).people.shown
    assert [it.username for it in found] == ["carol"]
    assert follow(follower=alice, followee=carol)


def test_one_who_is_dismissed_while_suggestions_are_worked_out_stays_away(
    alice: User, carol: User, dave: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = store.keep

    def keep_late(user_id: int, kept: store.Kept) -> None:
        dismiss(user=alice, person=dave)
        keep(user_id, kept)

    monkeypatch.setattr(store, "keep", keep_late)
    work_out(alice, [])
    assert names(alice) == ["carol"]


def test_the_newest_dismissals_are_remembered(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST", 2)
    people = [make_user(f"person{number}") for number in range(4)]
    for person in people:
        dismiss(user=alice, person=person)
    left = Dismissal.objects.filter(user=alice).order_by("pk")
    assert [it.person for it in left] == people[2:]


def test_dismissals_leave_with_either_account(alice: User, bob: User, carol: User) -> None:
    dismiss(user=alice, person=carol)
    dismiss(user=carol, person=alice)
    dismiss(user=bob, person=alice)
    delete_account(user=carol)
    assert [str(it) for it in Dismissal.objects.all()] == ["@bob is not interested in @alice"]
    delete_account(user=bob)
    drain()
    assert not Dismissal.objects.exists()


def test_who_is_gone_or_oneself_is_refused(alice: User, carol: User) -> None:
    with pytest.raises(Refusal, match="to yourself"):
        dismiss(user=alice, person=alice)
    User.objects.filter(pk=carol.pk).delete()
    with pytest.raises(Refusal, match="no longer exists"):
        dismiss(user=alice, person=carol)
    with pytest.raises(AccountGone):
        dismiss(user=carol, person=alice)
    assert not Dismissal.objects.exists()


def test_a_button_leads_back_and_says_what_happened(alice: User, carol: User) -> None:
    browser = browser_of(alice)
    page = browser.get("/explore/people/").content.decode()
    assert 'action="/@carol/dismiss/"' in page
    assert 'data-undo="/@carol/undismiss/"' in page
    answer = browser.post("/@carol/dismiss/", {"next": "/explore/people/#people"})
    assert answer["Location"] == "/explore/people/#people"
    page = browser.get("/explore/people/").content.decode()
    assert "@carol will not be suggested to you any more." in page
    assert 'action="/@carol/dismiss/"' not in page
    assert "No suggestions right now" in page


def test_a_script_gets_a_short_answer(alice: User, carol: User) -> None:
    browser, script = browser_of(alice), {"HX-Request": "true"}
    answer = browser.post("/@carol/dismiss/", headers=script)
    assert (answer.status_code, answer.content) == (200, b"")
    answer = browser.post("/@carol/undismiss/", headers=script)
    assert (answer.status_code, answer.content) == (200, b"")
    assert names(alice) == ["carol"]


def test_who_blocks_the_reader_seems_not_to_exist(alice: User, carol: User) -> None:
    block(blocker=carol, blocked=alice)
    assert browser_of(alice).post("/@carol/dismiss/").status_code == 404
    assert not Dismissal.objects.exists()


def test_visitors_log_in_first(alice: User, client: Client) -> None:
    assert client.get("/@alice/dismiss/").status_code == 405
    for action in ("dismiss", "undismiss"):
        answer = client.post(f"/@alice/{action}/", {"next": "/explore/people/"})
        assert answer["Location"] == "/login/?next=/explore/people/"
