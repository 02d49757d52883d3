"""What rules refuse, and what they report."""

import pytest

from moderation.models import Kind, Report
from moderation.rules.services import remove_rule, switch_rule
from moderation.services import take
from statuses.models import Status
from statuses.services import edit_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.moderation.conftest import complain
from tests.moderation.rules.conftest import AddRule
from users.models import User
from users.safety.addresses import ask_for_change
from users.services import change_profile, sign_up
from web.refusals import Refusal

SPAM = "Win at the Casino tonight"


def join(username: str, *, email: str = "eve@example.com", address: str = "") -> User:
    return sign_up(
        username=username, email=email, password="correct horse battery", address=address
    )


def test_a_post_with_a_refused_word_is_not_written(rule: AddRule, alice: User) -> None:
    rule("words", "casino")
    with pytest.raises(Refusal, match="“casino” is not allowed on this site"):
        post_status(author=alice, text=SPAM)
    assert not Status.objects.exists()


def test_the_form_says_what_is_wrong_and_keeps_what_was_written(rule: AddRule, alice: User) -> None:
    rule("words", "casino")
    answer = browser_of(alice).post("/statuses/", {"text": SPAM})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "“casino” is not allowed on this site." in page
    assert SPAM in page


def test_a_content_warning_counts_as_words(rule: AddRule, alice: User) -> None:
    rule("words", "casino")
    with pytest.raises(Refusal):
        post_status(author=alice, text="Hello", warning="casino")


def test_an_edit_can_not_bring_in_what_a_post_may_not_say(rule: AddRule, alice: User) -> None:
    status = post_status(author=alice, text="Hello")
    rule("words", "casino")
    with pytest.raises(Refusal):
        edit_status(status=status, by=alice, text=SPAM)
    status.refresh_from_db()
    assert status.text == "Hello"


def test_links_to_a_refused_domain_are_refused(rule: AddRule, alice: User) -> None:
    rule("link", "casino.example")
    with pytest.raises(Refusal):
        post_status(author=alice, text="Look: https://www.casino.example/win")
    post_status(author=alice, text="Look: https://good.example/casino")


def test_names_and_bios_follow_the_rules_too(rule: AddRule, alice: User) -> None:
    rule("words", "casino")
    with pytest.raises(Refusal):
        change_profile(user=alice, name="Casino", bio="")
    with pytest.raises(Refusal):
        change_profile(user=alice, name="Alice", bio="Best casino in town")
    with pytest.raises(Refusal):
        join("casino")
    alice.refresh_from_db()
    assert alice.bio == ""


def test_nobody_signs_up_with_an_address_at_a_refused_domain(rule: AddRule) -> None:
    rule("mail", "trash.example")
    with pytest.raises(Refusal, match=r"Addresses at trash\.example can't be used"):
        join("eve", email="eve@mail.trash.example")
    assert not User.objects.filter(username="eve").exists()


def test_one_address_is_refused_and_not_its_whole_domain(rule: AddRule) -> None:
    rule("mail", "eve@mail.example")
    with pytest.raises(Refusal, match="This address can't be used"):
        join("eve", email="EVE+2@mail.example")
    join("adam", email="adam@mail.example")
    assert not User.objects.filter(username="eve").exists()


def test_nobody_changes_to_such_an_address(rule: AddRule, alice: User) -> None:
    rule("mail", "trash.example")
    with pytest.raises(Refusal):
        ask_for_change(user=alice, email="alice@trash.example")


def test_nobody_signs_up_from_a_refused_network(rule: AddRule) -> None:
    rule("address", "192.0.2.0/24")
    with pytest.raises(Refusal, match="from your network"):
        join("eve", address="192.0.2.7")
    assert not User.objects.filter(username="eve").exists()
    join("eve", address="198.51.100.7")


def test_a_rule_that_is_off_or_gone_holds_no_longer(rule: AddRule, alice: User, mod: User) -> None:
    made = rule("words", "casino")
    switch_rule(rule=made, by=mod, is_on=False)
    post_status(author=alice, text=SPAM)
    switch_rule(rule=made, by=mod, is_on=True)
    with pytest.raises(Refusal):
        post_status(author=alice, text=SPAM)
    remove_rule(rule=made, by=mod)
    post_status(author=alice, text=SPAM)


def test_a_post_that_is_reported_by_a_rule_is_there_and_waits_in_the_queue(
    rule: AddRule, alice: User
) -> None:
    made = rule("words", "casino", "report", category="abuse")
    status = post_status(author=alice, text=SPAM)
    drain()
    report = Report.objects.get()
    assert (report.status_id, report.account, report.rule) == (status.pk, alice, made)
    assert report.reporter is None
    assert report.category == "abuse"
    assert report.evidence["text"] == SPAM
    assert report.case is not None


def test_a_rule_reports_a_post_once_also_after_an_edit_and_a_decision(
    rule: AddRule, alice: User, mod: User
) -> None:
    rule("words", "casino", "report")
    status = post_status(author=alice, text=SPAM)
    drain()
    take(Kind.DISMISS, Report.objects.get(), by=mod)
    edit_status(status=status, by=alice, text=f"{SPAM}!")
    drain()
    assert Report.objects.count() == 1


def test_it_joins_what_members_report(rule: AddRule, alice: User, carol: User) -> None:
    rule("words", "casino", "report")
    status = post_status(author=alice, text=SPAM)
    mine = complain(carol, status)
    drain()
    assert Report.objects.get(reporter=None).case_id == mine.case_id


def test_a_newcomer_can_be_reported_for_their_network(rule: AddRule) -> None:
    rule("address", "192.0.2.0/24", "report")
    eve = join("eve", address="192.0.2.7")
    report = Report.objects.get()
    assert (report.account, report.status_id) == (eve, None)
    assert "192.0.2" not in str(report.evidence)


def test_names_and_bios_are_reported_once(rule: AddRule, alice: User, mod: User) -> None:
    made = rule("words", "casino", "report")
    change_profile(user=alice, name="Alice", bio="I own a casino")
    report = Report.objects.get()
    assert (report.account, report.status_id, report.rule) == (alice, None, made)
    assert report.evidence["bio"] == "I own a casino"
    take(Kind.DISMISS, report, by=mod)
    change_profile(user=alice, name="Alice", bio="I own two casinos, and a casino boat")
    assert Report.objects.count() == 1
    eve = join("casino")
    assert Report.objects.latest("pk").account == eve


def test_removing_a_rule_keeps_what_it_reported(rule: AddRule, alice: User, mod: User) -> None:
    made = rule("words", "casino", "report")
    post_status(author=alice, text=SPAM)
    drain()
    remove_rule(rule=made, by=mod)
    assert Report.objects.get().rule is None
