"""An edit that mentions somebody does not show them what was said to others before."""

import pytest

from statuses.models import Status
from statuses.services import edit_status, post_status
from statuses.store import find_statuses
from taskqueue.drain import drain
from tests.cast import browser_of
from users.audience import Visibility
from users.models import User
from users.services import change_privacy

FIRST, SECOND, THIRD = "a surprise for her", "still a surprise", "the party is for you"


def edited_for(carol: User, status: Status) -> Status:
    """Says three things; the third one to carol too."""
    author = status.author
    edit_status(status=status, by=author, text=f"@bob {SECOND}")
    edit_status(status=status, by=author, text=f"@bob @{carol.username} {THIRD}")
    drain()
    return status


def versions_for(reader: User, status: Status) -> list[str]:
    address = f"/@{status.author.username}/{status.pk}/"
    now = browser_of(reader).get(address)
    if now.status_code == 404:
        return []
    assert THIRD in now.content.decode()
    page = browser_of(reader).get(f"{address}history/").content.decode()
    assert ("as it was posted" in page) is (FIRST in page)
    return [words for words in (FIRST, SECOND, THIRD) if words in page]


@pytest.mark.parametrize("visibility", [Visibility.FOLLOWERS, Visibility.MENTIONED])
def test_of_a_post_for_some_they_read_only_what_was_for_them(
    alice: User, bob: User, carol: User, visibility: Visibility
) -> None:
    status = edited_for(
        carol, post_status(author=alice, text=f"@bob {FIRST}", visibility=visibility)
    )
    assert versions_for(carol, status) == [THIRD]
    for reader in (alice, bob):
        assert versions_for(reader, status) == [FIRST, SECOND, THIRD]


def test_the_same_goes_for_posts_of_a_private_account(alice: User, bob: User, carol: User) -> None:
    status = edited_for(carol, post_status(author=alice, text=f"@bob {FIRST}"))
    assert versions_for(carol, status) == [FIRST, SECOND, THIRD], "everybody saw them"
    change_privacy(user=alice, is_private=True, default_visibility=Visibility.PUBLIC)
    drain()
    assert versions_for(carol, status) == [THIRD]
    assert versions_for(bob, status) == [FIRST, SECOND, THIRD]


def test_who_was_mentioned_now_and_then_reads_what_was_said_then(
    alice: User, bob: User, carol: User
) -> None:
    status = post_status(author=alice, text=f"@carol @bob {FIRST}", visibility=Visibility.MENTIONED)
    edited_for(carol, status)
    assert versions_for(carol, status) == [FIRST, THIRD]


def test_who_is_answered_reads_everything(alice: User, bob: User, carol: User) -> None:
    question = post_status(author=carol, text="when is it?")
    asked = find_statuses([question.pk])[question.pk]
    answer = post_status(
        author=alice, text=f"@bob {FIRST}", visibility=Visibility.MENTIONED, reply_to=asked.id
    )
    edit_status(status=answer, by=alice, text=f"@bob {THIRD}")
    drain()
    assert versions_for(carol, answer) == [FIRST, THIRD]


def test_their_notifications_and_homes_have_only_what_it_says_now(
    alice: User, bob: User, carol: User
) -> None:
    edited_for(
        carol, post_status(author=alice, text=f"@bob {FIRST}", visibility=Visibility.MENTIONED)
    )
    for address in ("/notifications/", "/notifications/mentions/", "/", "/@alice/"):
        page = browser_of(carol).get(address, follow=True).content.decode()
        assert FIRST not in page
        assert SECOND not in page
