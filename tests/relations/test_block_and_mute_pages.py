"""Blocking and muting people, conversations and words, through the pages."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from explore.people.selectors import suggestions
from lists.models import ListMember
from lists.services import add_to_list, create_list
from relations.blocks_and_mutes import services as blocks_and_mutes
from relations.blocks_and_mutes.services import block, mute, mute_word, unblock
from relations.models import Block, Follow, FollowRequest, Mute, MutedWord, ThreadMute
from relations.services import follow
from statuses.models import Status
from statuses.reactions.services import boost, like
from statuses.services import post_status
from statuses.store import find_statuses
from taskqueue.drain import drain
from tests.cast import browser_of, clicks, make_user
from tests.races import in_threads
from tests.soundness import wrong_with_users
from users import throttling
from users.models import User
from users.services import suspend


def text_of(reader: User, address: str) -> str:
    page = browser_of(reader).get(address).content.decode()
    main = page[page.index("<main") : page.index("</main>")]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def names(reader: User, address: str) -> list[str]:
    page = browser_of(reader).get(address).content.decode()
    main = page[page.index("<main") :]
    return re.findall(r'<span class="person-login">@(\w+)</span>', main)


def test_blocking_ends_follows_both_ways(alice: User, bob: User) -> None:
    follow(follower=alice, followee=bob)
    browser = browser_of(alice)
    for _ in range(2):
        assert browser.post("/@bob/block/")["Location"] == "/@bob/"
    assert Block.objects.count() == 1
    assert not Follow.objects.exists()
    assert wrong_with_users([alice, bob]) == []


def test_the_blocker_reads_that_they_blocked(alice: User, bob: User) -> None:
    post_status(author=bob, text="hello world")
    browser = browser_of(alice)
    assert 'action="/@bob/block/"' in browser.get("/@bob/").content.decode()
    block(blocker=alice, blocked=bob)
    page = browser.get("/@bob/").content.decode()
    assert "You blocked @bob" in page
    assert "hello world" not in page
    assert 'action="/@bob/unblock/"' in page
    assert 'action="/@bob/follow/"' not in page
    browser.post("/@bob/unblock/")
    assert "hello world" in browser.get("/@bob/").content.decode()
    assert browser.post("/@bob/unblock/").status_code == 302


def test_to_those_who_are_blocked_the_account_does_not_exist(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="hello")
    mine = create_list(owner=alice, name="Tea")
    addresses = [
        "/@alice/", "/@ALICE/", "/@alice/with_replies/", "/@alice/likes/", "/@alice/followers/",
        "/@alice/following/", f"/@alice/{status.pk}/", f"/@alice/{status.pk}/likes/",
        f"/@alice/{status.pk}/boosts/", f"/@alice/{status.pk}/history/", f"/lists/{mine.pk}/",
        f"/lists/{mine.pk}/members/",
    ]  # fmt: skip
    browser = browser_of(bob)
    assert {browser.get(it).status_code for it in addresses} <= {200, 301}
    block(blocker=alice, blocked=bob)
    assert {browser.get(it).status_code for it in addresses} == {404}
    for action in ("follow", "block", "mute", "hide_boosts"):
        assert browser.post(f"/@alice/{action}/").status_code == 404
    for action in ("like", "boost", "bookmark", "mute_thread"):
        assert browser.post(f"/statuses/{status.pk}/{action}/").status_code == 404
    assert Client().get("/@alice/").status_code == 200
    unblock(blocker=alice, blocked=bob)
    assert {browser.get(it).status_code for it in addresses} <= {200, 301}


def test_nobody_blocks_or_mutes_themselves(alice: User) -> None:
    browser = browser_of(alice)
    for action in ("block", "mute"):
        assert browser.post(f"/@alice/{action}/").status_code == 400
    assert "/@alice/block/" not in browser.get("/@alice/").content.decode()
    assert not Block.objects.exists()
    assert not Mute.objects.exists()


def test_a_block_takes_requests_back(alice: User, carol: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_private=True)
    follow(follower=carol, followee=alice)
    block(blocker=alice, blocked=carol)
    assert not FollowRequest.objects.exists()


def test_two_who_block_each_other_at_once_both_do(alice: User, bob: User) -> None:
    waiting = [(alice, "/@bob/block/"), (bob, "/@alice/block/")] * 3
    browsers = [(browser_of(user), address) for user, address in waiting]

    def click() -> int:
        browser, address = browsers.pop()
        [code] = clicks([browser], address)
        return code

    assert set(in_threads(6, click)) <= {302, 404}
    assert Block.objects.count() in (1, 2)
    assert not Follow.objects.exists()
    assert wrong_with_users([alice, bob]) == []


def test_a_block_ends_places_in_each_others_lists(alice: User, bob: User, carol: User) -> None:
    mine, theirs = create_list(owner=alice, name="Tea"), create_list(owner=bob, name="Work")
    for list_, user in ((mine, bob), (mine, carol), (theirs, alice)):
        add_to_list(list_=list_, user=user)
    block(blocker=alice, blocked=bob)
    drain()
    assert [it.user for it in ListMember.objects.all()] == [carol]
    assert set(User.objects.values_list("username", "listed_count")) == {
        ("alice", 0), ("bob", 0), ("carol", 1),
    }  # fmt: skip
    assert wrong_with_users(list(User.objects.all())) == []


def test_who_is_blocked_is_added_to_no_list(alice: User, bob: User) -> None:
    mine, theirs = create_list(owner=alice, name="Tea"), create_list(owner=bob, name="Work")
    block(blocker=alice, blocked=bob)
    answer = browser_of(alice).post(f"/lists/{mine.pk}/members/add/", {"username": "bob"})
    assert answer.status_code == 400
    assert "You blocked @bob" in answer.content.decode()
    answer = browser_of(bob).post(f"/lists/{theirs.pk}/members/add/", {"username": "alice"})
    assert answer.status_code == 400
    assert "No account named @alice" in answer.content.decode()
    assert not ListMember.objects.exists()


def test_pages_of_people_leave_out_who_is_blocked(alice: User, bob: User, carol: User) -> None:
    dave = make_user("dave")
    status = post_status(author=dave, text="hello")
    stored = find_statuses([status.pk])[status.pk]
    list_ = create_list(owner=dave, name="All")
    for user in (alice, bob, carol):
        follow(follower=user, followee=dave)
        follow(follower=dave, followee=user)
        like(user=user, status=stored)
        boost(user=user, status=stored)
        add_to_list(list_=list_, user=user)
    block(blocker=alice, blocked=bob)
    addresses = [
        "/@dave/followers/", "/@dave/following/", f"/@dave/{status.pk}/likes/",
        f"/@dave/{status.pk}/boosts/", f"/lists/{list_.pk}/members/",
    ]  # fmt: skip
    for address in addresses:
        assert names(alice, address) == ["carol", "alice"]
        assert names(bob, address) == ["carol", "bob"]
        assert names(carol, address) == ["carol", "bob", "alice"]


def test_nobody_is_suggested_who_is_blocked_or_muted(alice: User, carol: User) -> None:
    dave, erin = make_user("dave"), make_user("erin")
    block(blocker=dave, blocked=alice)
    mute(user=alice, muted=erin)
    assert [it.person.username for it in suggestions(alice, limit=9)] == ["carol"]
    block(blocker=alice, blocked=carol)
    assert suggestions(alice, limit=9) == []


def test_blocked_accounts_are_listed_with_a_way_back(alice: User, bob: User, carol: User) -> None:
    address = "/settings/blocked/"
    assert "You block nobody" in text_of(alice, address)
    for user in (bob, carol):
        block(blocker=alice, blocked=user)
    assert names(alice, address) == ["carol", "bob"]
    assert "You block nobody" in text_of(bob, address)
    answer = browser_of(alice).post("/@bob/unblock/", {"next": address})
    assert answer["Location"] == address
    assert names(alice, address) == ["carol"]
    suspend(user=carol)
    assert names(alice, address) == []


@pytest.mark.parametrize(
    ("chosen", "length"),
    [("", None), ("ever", None), ("hour", 1), ("day", 24), ("week", 24 * 7)],
)
def test_a_mute_has_an_end(alice: User, bob: User, chosen: str, length: int | None) -> None:
    before = timezone.now()
    fields = {"until": chosen} if chosen else {}
    assert browser_of(alice).post("/@bob/mute/", fields)["Location"] == "/@bob/"
    until = Mute.objects.get().until
    if length is None:
        assert until is None
    else:
        assert until is not None
        assert before <= until - timedelta(hours=length) <= timezone.now()


def test_a_mute_of_another_length_is_refused(alice: User, bob: User) -> None:
    answer = browser_of(alice).post("/@bob/mute/", {"until": "year"})
    assert answer.status_code == 400
    assert not Mute.objects.exists()


def test_muting_again_changes_the_end(alice: User, bob: User) -> None:
    browser = browser_of(alice)
    browser.post("/@bob/mute/", {"until": "hour"})
    browser.post("/@bob/mute/")
    assert Mute.objects.get().until is None


def test_muted_people_say_nothing_at_home_but_on_their_profiles(alice: User, bob: User) -> None:
    post_status(author=alice, text="hello world")
    browser = browser_of(bob)
    assert "hello world" in browser.get("/").content.decode()
    browser.post("/@alice/mute/")
    assert "hello world" not in browser.get("/").content.decode()
    page = browser.get("/@alice/").content.decode()
    assert "hello world" in page
    assert 'action="/@alice/unmute/"' in page
    browser.post("/@alice/unmute/")
    assert "hello world" in browser.get("/").content.decode()


def test_muted_accounts_are_listed_with_their_ends(alice: User, bob: User, carol: User) -> None:
    address = "/settings/muted/"
    assert "You mute nobody" in text_of(alice, address)
    until = timezone.now() + timedelta(hours=1)
    mute(user=alice, muted=bob)
    mute(user=alice, muted=carol, until=until)
    mute(user=alice, muted=make_user("dave"), until=timezone.now() - timedelta(seconds=1))
    assert names(alice, address) == ["carol", "bob"]
    page = text_of(alice, address)
    assert f"Until {until:%-d %B %Y}" in page
    assert page.count("For ever") == 1
    browser_of(alice).post("/@bob/unmute/")
    assert names(alice, address) == ["carol"]


def test_a_conversation_is_muted_on_the_page_of_any_of_its_posts(alice: User, bob: User) -> None:
    root = post_status(author=alice, text="tea?")
    reply = post_status(author=bob, text="yes", reply_to=find_statuses([root.pk])[root.pk].id)
    browser, page = browser_of(bob), f"/@bob/{reply.pk}/"
    assert "Mute this conversation" in text_of(bob, f"{page}menu/")
    answer = browser.post(f"/statuses/{reply.pk}/mute_thread/", {"next": page})
    assert answer["Location"] == f"{page}#status-{reply.pk}"
    assert ThreadMute.objects.get().thread == root.pk
    assert "tea?" not in text_of(bob, "/")
    assert "Unmute this conversation" in text_of(bob, f"{page}menu/")
    assert "tea?" in text_of(bob, page), "who opens it wants to read it"
    browser.post(f"/statuses/{root.pk}/unmute_thread/", {"next": page})
    assert not ThreadMute.objects.exists()
    assert "tea?" in text_of(bob, "/")


WORDS = "/settings/words/"


def add_word(user: User, phrase: str, **fields: str) -> Client:
    browser = browser_of(user)
    answer = browser.post(WORDS, {"phrase": phrase, "action": "hide", **fields})
    assert (answer.status_code, answer["Location"]) == (302, WORDS)
    return browser


def test_words_are_muted_and_unmuted(alice: User, bob: User) -> None:
    post_status(author=alice, text="so many #Spoilers here")
    assert "You mute no words" in text_of(bob, WORDS)
    browser = add_word(bob, "  #spoilers ")
    assert "You muted “#spoilers”." in text_of_browser(browser, WORDS)
    assert "Spoilers here" not in text_of(bob, "/")
    word = MutedWord.objects.get()
    assert (word.phrase, word.action, word.until) == ("#spoilers", "hide", None)
    add_word(bob, "#spoilers", action="fold", until="day")
    word.refresh_from_db()
    assert (word.action, MutedWord.objects.count()) == ("fold", 1)
    assert word.until is not None
    assert browser_of(alice).post(f"{WORDS}{word.pk}/remove/").status_code == 404
    assert browser.post(f"{WORDS}{word.pk}/remove/")["Location"] == WORDS
    assert not MutedWord.objects.exists()
    assert browser.post(f"{WORDS}{word.pk}/remove/").status_code == 404


def text_of_browser(browser: Client, address: str) -> str:
    page = browser.get(address).content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.mark.parametrize(
    "fields",
    [
        {"phrase": ""},
        {"phrase": "   "},
        {"phrase": "x" * 101},
        {"phrase": "nul\x00l"},
        {"phrase": "cat", "action": "burn"},
        {"phrase": "cat", "until": "year"},
    ],
)
def test_a_word_that_is_refused_is_not_muted(alice: User, fields: dict[str, str]) -> None:
    answer = browser_of(alice).post(WORDS, {"action": "hide", **fields})
    assert answer.status_code == 400
    assert "field-error" in answer.content.decode()
    assert not MutedWord.objects.exists()


def test_words_have_an_upper_limit(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(blocks_and_mutes.MOST, MutedWord, (2, blocks_and_mutes.MOST[MutedWord][1]))
    for phrase in ("one", "two"):
        mute_word(user=alice, phrase=phrase)
    answer = browser_of(alice).post(WORDS, {"phrase": "three", "action": "hide"})
    assert answer.status_code == 400
    assert "You mute 2 words, the maximum. Unmute one first." in answer.content.decode()
    mute_word(user=alice, phrase="two", action="fold")
    assert MutedWord.objects.count() == 2


def test_words_are_escaped(alice: User) -> None:
    add_word(alice, "<script>alert(1)</script>")
    page = browser_of(alice).get(WORDS).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("address", ["/settings/blocked/", "/settings/muted/", WORDS])
def test_visitors_log_in_first(client: Client, db: None, address: str) -> None:
    assert client.get(address)["Location"] == f"/login/?next={address}"


def test_who_blocks_and_mutes_too_often_has_to_wait(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = Status.objects.get(pk=post_status(author=alice, text="hello").pk)
    once = dict.fromkeys(throttling.PACES, throttling.Pace(1))
    monkeypatch.setattr(throttling, "PACES", once)
    browser = browser_of(alice)
    assert browser.post("/@bob/mute/").status_code == 302
    for address in ("/@bob/mute/", WORDS, f"/statuses/{status.pk}/mute_thread/"):
        assert browser.post(address, {"phrase": "x", "action": "hide"}).status_code == 429
    assert browser.post("/@bob/unmute/").status_code == 302
    assert browser.post("/@bob/block/").status_code == 302
    assert browser.post("/@bob/block/").status_code == 429
