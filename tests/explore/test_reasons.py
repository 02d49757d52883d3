"""What a page says of people whom it suggests."""

import re

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from explore.people.reasons import Candidate, Reason, Suggestion
from relations.services import follow
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from users.models import User
from users.services import change_profile
from users.store import Person

MAY = 1778000000_000
DAVE, ROSA = (
    Person(number, name.lower(), name, "", MAY, 0, 0, 0)
    for number, name in enumerate(("Dave", "R<osa>"))
)
WORDS = {
    Suggestion(DAVE, Reason("friends", "1"), 8, ROSA): (
        "Followed by R<osa> and 7 others you follow",
        "你关注的 R<osa> 和其他 7 人也关注了",
    ),
    Suggestion(DAVE, Reason("friends", "1"), 2, ROSA): (
        "Followed by R<osa> and 1 other you follow",
        "你关注的 R<osa> 和其他 1 人也关注了",
    ),
    Suggestion(DAVE, Reason("friends", "1"), 1, ROSA): (
        "Followed by R<osa>, whom you follow",
        "你关注的 R<osa> 也关注了",
    ),
    Suggestion(DAVE, Reason("friends", "1"), 8): (
        "8 people you follow follow them",
        "你关注的 8 人也关注了",
    ),
    Suggestion(DAVE, Reason("tag", "Tea")): ("Posts about #Tea", "常发 #Tea 的帖子"),
    Suggestion(DAVE, Reason("language", "zh")): ("Posts in 中文", "用 中文 发帖"),
    Suggestion(DAVE, Reason("popular")): ("Popular here", "在这里很受关注"),
    Suggestion(DAVE, Reason("member")): ("Here since May 2026", "2026年5月加入"),
}


@pytest.mark.parametrize("suggestion", WORDS, ids=[english for english, _ in WORDS.values()])
def test_a_reason_is_said_in_the_readers_language(suggestion: Suggestion) -> None:
    for language, words in zip(("en", "zh-hans"), WORDS[suggestion], strict=True):
        with translation.override(language):
            html = render_to_string("explore/_why.html", {"suggestion": suggestion})
        text = re.sub(r"</?(bdi|p)[^>]*>", "", html).strip()
        assert text == words.replace("<", "&lt;").replace(">", "&gt;")


@pytest.mark.parametrize(
    "reason", [Reason("friends", "7"), Reason("tag", "a:b c"), Reason("popular")]
)
def test_what_is_kept_is_read_as_it_was(reason: Reason) -> None:
    candidate = Candidate(3, reason)
    assert Candidate.unpacked("3", candidate.packed()) == candidate


def test_pages_say_why(alice: User, bob: User, carol: User) -> None:
    change_profile(user=alice, name="Alice Liddell", bio="")
    follow(follower=alice, followee=carol)
    post_status(author=make_user("dave"), text="hello", language="en")
    drain()
    for address in ("/explore/", "/explore/people/", "/welcome/people/", "/aside/"):
        page = browser_of(bob).get(address, headers={"Accept-Language": "en"}).content.decode()
        assert "Followed by <bdi>Alice Liddell</bdi>, whom you follow" in page, address
        assert "Posts in <bdi>English</bdi>" in page, address
