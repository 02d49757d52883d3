"""What a rule would have caught in the last week."""

from datetime import timedelta

from django.test import Client
from django.utils import timezone

from moderation.models import Rule
from moderation.rules.trying import what_it_would_have_caught
from redistools.ids import first_id_at
from statuses.models import Status
from statuses.services import post_status
from tests.cast import browser_of, make_user
from tests.moderation.rules.conftest import AddRule
from users.login.models import Session
from users.models import User

SPAM = "Win at the Casino tonight"


def caught_by(kind: str, pattern: str) -> list[object]:
    rule = Rule(kind=kind, pattern=pattern, action="refuse", category="spam")
    return what_it_would_have_caught(rule, now=timezone.now()).examples


def test_posts_of_the_last_week_are_caught_newest_first(alice: User) -> None:
    first = post_status(author=alice, text=SPAM)
    post_status(author=alice, text="Hello")
    second = post_status(author=alice, text="casino")
    old = first_id_at(timezone.now() - timedelta(days=8))
    Status.objects.create(id=old, author=alice, text=SPAM, created_at=timezone.now())
    assert caught_by("words", "casino") == [second, first]


def test_newcomers_are_caught_by_their_names_and_bios(transactional_db: None) -> None:
    make_user("old", bio="My casino", date_joined=timezone.now() - timedelta(days=8))
    ann, ben = make_user("ann", name="Casino Ann"), make_user("ben", bio="My casino")
    post = post_status(author=ben, text=SPAM)
    assert caught_by("words", "casino") == [post, ben, ann]


def test_newcomers_are_caught_by_their_mail_domain(transactional_db: None) -> None:
    make_user("old", date_joined=timezone.now() - timedelta(days=8))
    alice, bob = make_user("alice"), make_user("bob")
    assert caught_by("mail", "example.com") == [bob, alice]


def test_newcomers_are_caught_by_where_they_came_from(alice: User, carol: User) -> None:
    expires = timezone.now() + timedelta(days=1)
    for user, address in ((alice, "192.0.2.7"), (carol, "198.51.100.7")):
        Session.objects.create(
            user=user, digest=user.username, address=address, data="", expires_at=expires
        )
    assert caught_by("address", "192.0.2.0/24") == [alice]


def fields(kind: str, pattern: str) -> dict[str, str]:
    return {"kind": kind, "pattern": pattern, "action": "refuse", "category": "spam"}


def trial(user: User, kind: str, pattern: str) -> str:
    answer = browser_of(user).post("/moderation/rules/", fields(kind, pattern) | {"try": "1"})
    assert answer.status_code == 200
    return answer.content.decode()


def test_trying_shows_what_it_would_have_caught_and_writes_nothing(mod: User, alice: User) -> None:
    post_status(author=alice, text=SPAM)
    page = trial(mod, "words", "Casino")
    assert "It would have caught 1 in the last week." in page
    assert SPAM in page
    assert not Rule.objects.exists()


def test_posts_that_the_moderator_may_not_read_are_not_shown(mod: User, alice: User) -> None:
    post_status(author=alice, text=SPAM, visibility=2)
    page = trial(mod, "words", "Casino")
    assert "It would have caught 0" in page
    assert SPAM not in page


def test_moderators_learn_of_nobody_where_they_came_from(mod: User, alice: User) -> None:
    for asked in ("example.com", alice.email, "nobody@example.com"):
        page = trial(mod, "mail", asked)
        assert "It would have caught fewer than ten." in page
        assert "It would have caught 0" not in page
        assert "@alice" not in page


def test_administrators_see_whom(boss: User, alice: User) -> None:
    assert "@alice" in trial(boss, "mail", "example.com")


def test_a_moderator_adds_turns_off_and_removes_a_rule(mod: User) -> None:
    browser = browser_of(mod)
    assert browser.post("/moderation/rules/", fields("words", " CASINO ")).status_code == 302
    rule = Rule.objects.get()
    assert (rule.pattern, rule.by) == ("casino", mod)
    assert "casino" in browser.get("/moderation/rules/").content.decode()
    browser.post(f"/moderation/rules/{rule.pk}/switch/", {"off": "1"})
    assert not Rule.objects.get().is_on
    browser.post(f"/moderation/rules/{rule.pk}/remove/")
    assert not Rule.objects.exists()


def test_a_wrong_pattern_is_refused_in_place(mod: User) -> None:
    answer = browser_of(mod).post("/moderation/rules/", fields("link", "no domain"))
    assert answer.status_code == 400
    assert "Write a domain such as shop.example" in answer.content.decode()
    assert not Rule.objects.exists()


def test_a_rule_that_is_kept_can_be_tried_again(rule: AddRule, mod: User, alice: User) -> None:
    post_status(author=alice, text=SPAM)
    made = rule("words", "casino")
    page = browser_of(mod).get(f"/moderation/rules/?try={made.pk}").content.decode()
    assert "It would have caught 1 in the last week." in page


def test_others_find_no_rules(rule: AddRule, alice: User) -> None:
    made = rule("words", "casino")
    for browser, expected in ((browser_of(alice), 404), (Client(), 302)):
        assert browser.get("/moderation/rules/").status_code == expected
        assert browser.get("/moderation/newcomers/").status_code == expected
        assert browser.post(f"/moderation/rules/{made.pk}/remove/").status_code == expected
    assert Rule.objects.exists()
