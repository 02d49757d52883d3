"""The page of a status with its thread, and replying on it."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.template import RequestContext, Template
from django.test import Client, RequestFactory

from statuses.models import Status
from statuses.reactions.services import boost
from statuses.services import delete_status, post_status
from statuses.threads import reply_tree
from tests.cast import browser_of, clicks
from tests.statuses.trees import answer, chain, grow, shown
from users import throttling
from users.models import User
from users.services import suspend


@pytest.fixture
def root(alice: User) -> Status:
    return post_status(author=alice, text="the beginning")


def read(status: Status, browser: Client, query: str = "") -> str:
    return browser.get(f"/@{status.author.username}/{status.pk}/{query}").content.decode()


def order(page: str, *texts: str) -> list[str]:
    """As they come on the page; each must be there once."""
    assert [page.count(text) for text in texts] == [1] * len(texts)
    return sorted(texts, key=page.index)


def test_a_page_shows_what_is_above_and_below_a_status(
    client: Client, alice: User, bob: User, root: Status
) -> None:
    parent = answer(bob, root, "the parent")
    focus = answer(alice, parent, "the focus")
    reply = answer(bob, focus, "first reply")
    answer(alice, reply, "reply to the first")
    answer(bob, focus, "second reply")
    page = re.sub("<title>.*?</title>|<meta .*?>|<symbol .*?>", "", read(focus, client))
    texts = ["the beginning", "the parent", "the focus", 'id="reply"', "first reply"]
    texts += ["reply to the first", "second reply"]
    assert order(page, *texts) == texts
    assert page.count('<div class="thread-entry indent-0">') == 4
    assert page.count('<div class="thread-entry indent-1">') == 1


def test_what_is_known_of_a_post_stands_between_its_text_and_its_buttons(
    client: Client, bob: User, root: Status
) -> None:
    clicks([browser_of(bob)], f"/statuses/{root.pk}/like/")
    for browser in (client, browser_of(bob)):
        focus = read(root, browser).split('<div class="focus"')[1].split('id="reply"')[0]
        parts = ['class="status-text"', 'class="status-meta"', 'class="status-counts"']
        parts += ['class="status-actions"']
        assert order(focus, *parts) == parts


def test_an_authors_own_thread_is_labelled_once(client: Client, alice: User, root: Status) -> None:
    one = answer(alice, root, "one")
    two = answer(alice, one, "two")
    answer(alice, two, "three")
    page = read(root, client)
    assert page.count('<div class="thread-entry indent-0 is-joined">') == 1
    assert page.count('<div class="thread-entry indent-0 is-joined is-continued">') == 1
    assert page.count('<div class="thread-entry indent-0 is-continued">') == 1
    assert 'class="focus"' in page
    assert 'class="focus is-continued"' in read(two, client)


def test_gaps_and_hidden_posts_are_told_apart(
    client: Client, alice: User, bob: User, carol: User, root: Status
) -> None:
    gone, hidden = answer(bob, root, "gone"), answer(carol, root, "hidden")
    for parent in (gone, hidden):
        answer(alice, parent, f"to {parent.text}")
    delete_status(status=gone, by=bob)
    suspend(user=carol)
    page = read(root, client)
    texts = ["This post was deleted.", "to gone", "You can't see this post.", "to hidden"]
    assert order(page, *texts) == texts
    assert "carol" not in page


def test_members_reply_on_the_page(alice: User, bob: User, root: Status) -> None:
    browser = browser_of(bob)
    page = read(root, browser)
    assert f'<input type="hidden" name="reply_to" value="{root.pk}"' in page
    assert "No replies yet. Yours can be the first." in page
    fields = {"text": "a reply", "reply_to": str(root.pk), "next": f"/@alice/{root.pk}/"}
    answered = browser.post("/statuses/", fields)
    reply = Status.objects.get(text="a reply")
    assert answered.status_code == 302
    assert answered["Location"] == f"/@bob/{reply.pk}/#status-{reply.pk}"
    assert (reply.reply_to_id, reply.reply_to_author, reply.thread_id) == (root.pk, alice, root.pk)
    assert "the beginning" in read(reply, browser)
    assert "a reply" in read(root, browser)


def test_visitors_are_asked_to_log_in(client: Client, root: Status) -> None:
    page = read(root, client)
    assert (
        f'id="reply"><a class="button" href="/login/?next=/%40alice/{root.pk}/">Log in to reply'
        in page
    )
    assert 'name="reply_to"' not in page
    assert "No replies yet." in page


def test_a_double_click_replies_once(alice: User, bob: User, root: Status) -> None:
    fields = {"text": "a reply", "reply_to": str(root.pk), "idempotency_key": "once"}
    assert clicks([browser_of(bob) for _ in range(4)], "/statuses/", fields) == [302] * 4
    root.refresh_from_db()
    assert (Status.objects.count(), root.replies_count) == (2, 1)


@pytest.mark.parametrize(
    ("text", "complaint"), [("", "Write something first"), ("x" * 501, "at most 500 characters")]
)
def test_a_refused_reply_keeps_its_text_and_what_it_answers(
    alice: User, bob: User, root: Status, text: str, complaint: str
) -> None:
    back = f"/@alice/{root.pk}/"
    fields = {"text": text, "reply_to": str(root.pk), "next": back}
    answered = browser_of(bob).post("/statuses/", fields)
    page = answered.content.decode()
    assert answered.status_code == 400
    assert complaint in page
    assert "the beginning" in page
    assert f'name="reply_to" value="{root.pk}"' in page
    assert f'name="next" value="{back}"' in page
    assert f">{text}</textarea>" in page.replace("\n", "")
    assert Status.objects.count() == 1


def test_a_reply_to_what_was_just_deleted_is_refused_but_not_lost(
    alice: User, bob: User, root: Status
) -> None:
    delete_status(status=root, by=alice)
    answered = browser_of(bob).post("/statuses/", {"text": "too late", "reply_to": str(root.pk)})
    page = answered.content.decode()
    assert answered.status_code == 400
    assert "The post you reply to has been deleted." in page
    assert "too late</textarea>" in page
    assert not Status.objects.exists()


def test_nobody_answers_what_they_cannot_see(bob: User, carol: User) -> None:
    hidden = post_status(author=carol, text="hidden")
    suspend(user=carol)
    answered = browser_of(bob).post("/statuses/", {"text": "hey", "reply_to": str(hidden.pk)})
    assert answered.status_code == 400
    assert b"hidden</p>" not in answered.content
    assert Status.objects.count() == 1


@pytest.mark.parametrize("reply_to", ["0", "-1", "x", "1.5", str(2**53), "9" * 400, "1"])
def test_a_reply_to_nothing_is_refused(bob: User, reply_to: str) -> None:
    answered = browser_of(bob).post("/statuses/", {"text": "hey", "reply_to": reply_to})
    assert answered.status_code == 400
    assert b"hey</textarea>" in answered.content
    assert not Status.objects.exists()


def test_replies_count_as_posts(
    alice: User, bob: User, root: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(throttling.PACES, "post", throttling.Pace(1))
    browser = browser_of(bob)
    fields = {"reply_to": str(root.pk), "next": f"/@alice/{root.pk}/"}
    codes = [browser.post("/statuses/", fields | {"text": it}).status_code for it in ("a", "b")]
    assert codes == [302, 429]


def test_a_reply_to_a_boost_answers_the_original(
    alice: User, bob: User, carol: User, root: Status
) -> None:
    boost(user=bob, status=shown(root).status)
    boosted = Status.objects.get(boost_of=root)
    browser_of(carol).post("/statuses/", {"text": "a reply", "reply_to": str(boosted.pk)})
    assert Status.objects.get(text="a reply").reply_to_id == root.pk


def test_the_address_of_a_boost_leads_to_the_original(
    client: Client, alice: User, bob: User, root: Status
) -> None:
    boost(user=bob, status=shown(root).status)
    boosted = Status.objects.get(boost_of=root)
    answered = client.get(f"/@bob/{boosted.pk}/")
    assert (answered.status_code, answered["Location"]) == (302, f"/@alice/{root.pk}/")
    assert client.get(f"/@alice/{boosted.pk}/").status_code == 404


def test_long_and_deep_branches_lead_on(client: Client, bob: User, root: Status) -> None:
    long, deep = answer(bob, root, "long"), answer(bob, root, "deep")
    grow(bob, long, [None] * 20)
    last = chain(bob, deep, 20)[reply_tree.LEVELS - 2]
    page = read(root, client)
    assert f'<a href="/@bob/{long.pk}/#replies">Show more replies' in page
    assert f'<a href="/@bob/{last.pk}/#replies">Continue this thread' in page


def test_the_branch_of_a_deleted_post_is_continued_on_this_page(
    client: Client, alice: User, bob: User, root: Status
) -> None:
    gone = answer(bob, root)
    grow(bob, gone, [None] * 50)
    Status.objects.filter(pk=gone.pk).update(replies_count=50)
    delete_status(status=gone, by=bob)
    address = f"/@alice/{root.pk}/"
    assert f'<a href="?under={gone.pk}#replies">Show more replies' in read(root, client)
    page = read(root, client, f"?under={gone.pk}")
    assert "This post was deleted." in page
    assert page.count("reply 29.") == 1
    after = re.search(r"\?under=(\d+)&amp;after=(\d+)#replies", page)
    assert after
    rest = read(root, client, f"?under={after[1]}&after={after[2]}")
    assert rest.count("reply 30.") == rest.count("reply 49.") == 1
    assert f'<a href="{address}#replies">All replies from the beginning' in rest


def test_many_replies_come_in_pages(
    client: Client, bob: User, root: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_tree, "PAGE_SIZE", 2)
    replies = [answer(bob, root, f"reply {number}.") for number in range(3)]
    first = read(root, client)
    assert f'href="/@alice/{root.pk}/?after={replies[1].pk}#replies">Show more replies' in first
    second = read(root, client, f"?after={replies[1].pk}")
    assert "reply 2." in second
    assert "reply 1." not in second
    assert "Show more replies" not in second
    assert "There are no more replies." in read(root, client, f"?after={replies[2].pk}")


def test_many_ancestors_lead_to_earlier_ones(client: Client, bob: User, root: Status) -> None:
    replies = chain(bob, root, 45)
    page = read(replies[-1], client)
    assert f'<a href="/@bob/{replies[4].pk}/">Earlier in this conversation</a>' in page
    assert "Earlier in this conversation" not in read(replies[30], client)


@pytest.mark.parametrize("name", ["after", "under"])
@pytest.mark.parametrize("cursor", ["abc", "", "-1", "1.5", "9" * 17])
def test_a_cursor_that_is_no_number_is_refused(
    client: Client, root: Status, name: str, cursor: str
) -> None:
    answered = client.get(f"/@alice/{root.pk}/", {name: cursor})
    assert answered.status_code == 400
    assert "That link doesn&#x27;t work." in answered.content.decode()


@pytest.mark.parametrize("under", [0, 1, 2**53 - 1])
def test_a_branch_that_does_not_exist_is_a_404(client: Client, root: Status, under: int) -> None:
    assert client.get(f"/@alice/{root.pk}/", {"under": under}).status_code == 404


def test_authors_delete_their_own_posts_and_no_others(
    alice: User, bob: User, carol: User, root: Status
) -> None:
    reply = answer(bob, root)
    address = f"/@alice/{root.pk}/"

    def links(user: User) -> set[str]:
        browser, query = browser_of(user), {"next": address}
        menus = re.findall(r'href="(/@\w+/\d+/menu/)"', read(root, browser))
        assert len(menus) == 2
        pages = (browser.get(menu, query).content.decode() for menu in menus)
        return set(re.findall(r'href="(/statuses/\d+/delete/[^"]*)"', "".join(pages)))

    own = f"/statuses/{root.pk}/delete/"  # its page will be gone
    other = f"/statuses/{reply.pk}/delete/?next=%2F%40alice%2F{root.pk}%2F"
    assert links(alice) == {own}
    assert links(bob) == {other}
    assert links(carol) == set()
    carol.user_permissions.add(Permission.objects.get(codename="delete_status"))
    User.objects.filter(pk=carol.pk).update(is_staff=True)
    assert links(User.objects.get(pk=carol.pk)) == {own, other}
    assert browser_of(bob).post(other)["Location"] == address


def test_a_like_in_a_thread_goes_back_to_its_place(alice: User, bob: User, root: Status) -> None:
    reply = answer(bob, root)
    browser = browser_of(alice)
    back = f"/@alice/{root.pk}/?after=1"
    assert f'name="next" value="{back}"' in read(root, browser, "?after=1")
    answered = browser.post(f"/statuses/{reply.pk}/like/", {"next": back})
    assert answered["Location"] == f"{back}#status-{reply.pk}"


def test_nothing_in_an_address_becomes_markup_in_the_form(rf: RequestFactory) -> None:
    source = "{% load compose_form %}{% compose_form back=back reply_to=7 %}"
    request = rf.get("/")
    request.user = User()
    context = RequestContext(request, {"back": '/?"><script>alert(1)</script>&x'})
    form = Template(source).render(context)
    assert 'name="next" value="/?&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;x"' in form
    assert 'name="reply_to" value="7"' in form
