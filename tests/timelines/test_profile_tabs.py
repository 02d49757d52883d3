"""What somebody says: with their replies to others, and without."""

import pytest
from django.test import Client

from statuses.models import Status
from statuses.reactions.services import boost
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.statuses.trees import answer, grow, shown
from users.models import User
from users.services import delete_account, suspend

POSTS, REPLIES = "/@bob/", "/@bob/with_replies/"


@pytest.fixture
def root(alice: User) -> Status:
    return post_status(author=alice, text="by alice")


def texts(client: Client, address: str) -> list[str]:
    return [status.text for status in client.get(address).context["page"].entries]


def test_replies_to_others_have_a_tab_of_their_own(
    client: Client, alice: User, bob: User, root: Status
) -> None:
    first = post_status(author=bob, text="a thread")
    answer(bob, first, "goes on")
    answer(bob, root, "to alice")
    boost(user=bob, status=shown(root).status)
    assert texts(client, POSTS) == ["by alice", "goes on", "a thread"]
    assert texts(client, REPLIES) == ["by alice", "to alice", "goes on", "a thread"]


def test_each_tab_knows_that_it_is_open(client: Client, alice: User, bob: User) -> None:
    for address in (POSTS, REPLIES):
        page = client.get(address).content.decode()
        (tab,) = [line for line in page.splitlines() if 'aria-current="page"' in line]
        assert f'<a href="{address}"' in tab
        assert f'href="{POSTS}"' in page
        assert f'href="{REPLIES}"' in page


def test_a_deleted_reply_leaves_the_tab(
    client: Client, alice: User, bob: User, root: Status
) -> None:
    reply = answer(bob, root, "to alice")
    assert texts(client, REPLIES) == ["to alice"]
    delete_status(status=reply, by=bob)
    drain()
    assert texts(client, REPLIES) == []


def test_a_reply_stays_when_what_it_answers_is_deleted(
    client: Client, alice: User, bob: User, root: Status
) -> None:
    answer(bob, root, "to alice")
    delete_status(status=root, by=alice)
    assert texts(client, REPLIES) == ["to alice"]
    assert texts(client, POSTS) == []
    assert "Replying to" in client.get(REPLIES).content.decode()


def test_replies_come_in_pages(client: Client, alice: User, bob: User, root: Status) -> None:
    grow(bob, root, [None] * 70)
    Status.objects.exclude(pk=root.pk).update(reply_to_author=alice)
    pages = [client.get(REPLIES)]
    while older := pages[-1].context["page"].older:
        assert f'href="{REPLIES}?max_id={older}"' in pages[-1].content.decode()
        pages.append(client.get(f"{REPLIES}?max_id={older}"))
    seen = [status.text for page in pages for status in page.context["page"].entries]
    assert seen == [f"reply {number}." for number in reversed(range(70))]
    assert texts(client, POSTS) == []


def test_an_empty_tab_says_what_next(client: Client, alice: User, bob: User, root: Status) -> None:
    assert b"hasn't posted anything yet" in client.get(POSTS).content
    assert b"hasn't posted anything yet" in client.get(REPLIES).content
    assert b"Write your first" in browser_of(bob).get(REPLIES).content
    answer(bob, root)
    page = browser_of(alice).get(POSTS).content.decode()  # what visitors see may be older
    assert "So far @bob has only replied to others" in page
    assert f'href="{REPLIES}">Show replies' in page
    assert b"So far you have only replied to others" in browser_of(bob).get(POSTS).content


def test_the_tab_has_one_address_and_is_only_read(client: Client, alice: User, bob: User) -> None:
    answered = client.get("/@BOB/with_replies/?max_id=7")
    assert (answered.status_code, answered["Location"]) == (301, f"{REPLIES}?max_id=7")
    assert client.post(REPLIES).status_code == 405
    assert client.get(f"{REPLIES}?max_id=x").status_code == 400
    assert client.get("/@nobody_/with_replies/").status_code == 404
    suspend(user=bob)
    assert client.get(REPLIES).status_code == 404


@pytest.mark.parametrize("ending", ["suspended", "deleted"])
def test_a_reply_does_not_lead_to_an_account_that_is_not_there(
    client: Client, alice: User, bob: User, ending: str
) -> None:
    dave = make_user("dave")
    answer(bob, post_status(author=dave, text="by dave"), "to dave")
    assert (
        'Replying to <a href="/@dave/"><bdi>@dave</bdi></a>' in client.get(REPLIES).content.decode()
    )
    if ending == "suspended":
        suspend(user=dave)
    else:
        delete_account(user=dave)
    page = client.get(REPLIES).content.decode()
    assert "to dave" in page
    assert "Replying to an account that is not available" in page
    assert "/@dave/" not in page
