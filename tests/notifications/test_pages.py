"""The page of notifications, the number in the navigation, and the settings."""

import re
from collections.abc import Callable
from typing import get_args

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from notifications import selectors, store
from notifications.grouping.kinds import Kind, position_of
from notifications.models import Notification
from notifications.rendering import ICONS
from notifications.selectors import PAGE_SIZE, NotificationPage
from redistools.client import get_client
from redistools.loaded_set import most
from relations.services import follow
from statuses.models import Like, Status, like_ids, status_ids
from statuses.reactions.services import boost, like, unlike
from statuses.services import edit_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.notifications.reading import Told, say, told, unread
from tests.round_trips import counting_round_trips
from users import throttling
from users.models import User
from users.services import suspend
from web.templatetags.icons import icon

ADDRESS = "/notifications/"


def text_of(browser: Client, address: str = ADDRESS) -> str:
    """What people read, without the HTML."""
    page = browser.get(address).content.decode()
    main = page[page.index("<main") : page.index("</main>")]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def badge(browser: Client, address: str = "/explore/") -> str:
    page = browser.get(address).content.decode()
    found = re.search(r'data-unread="\d+">(.*?)</a>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", "", found[1]).strip(", \n").split()) if found else ""


def write_many(alice: User, carol: User, count: int) -> list[int]:
    """Every third is a mention, the others are likes. Their positions, the newest first."""
    rows = []
    for number in range(count):
        kind: Kind = "like" if number % 3 else "mention"
        status_id, like_id = (it.next(get_client()) for it in (status_ids, like_ids))
        author, text = (alice, "Hello.") if kind == "like" else (carol, "@alice")
        Status.objects.create(pk=status_id, author=author, text=text)
        if kind == "like":
            Like.objects.create(pk=like_id, user=carol, status_id=status_id)
        rows.append(
            Notification(
                recipient=alice,
                kind=kind,
                subject=status_id,
                position=position_of(kind, like_id if kind == "like" else status_id),
                count=1,
                actors=str(carol.pk),
                arrived=status_id,
            )
        )
    Notification.objects.bulk_create(rows)
    return sorted((row.position for row in rows), reverse=True)


def test_every_kind_reads_well(alice: User, bob: User, carol: User) -> None:
    status = say(alice, "Tea at five")
    for user in (carol, bob, make_user("dave")):
        like(user=user, status=status)
    boost(user=carol, status=status)
    boost(user=bob, status=status)
    say(carol, "when?", reply_to=status.id)
    say(bob, "ask @alice")
    other = say(carol, "teh hatter")
    boost(user=alice, status=other)
    edit_status(status=Status.objects.get(pk=other.id), by=carol, text="the hatter")
    drain()
    page = text_of(browser_of(alice))
    for sentence in (
        "now Unread: carol edited a post you boosted the hatter",
        "now Unread: bob mentioned you in a post ask @alice",
        "now Unread: carol replied to your post when?",
        "now Unread: bob and carol boosted your post Tea at five",
        "now Unread: dave , bob and 1 other liked your post Tea at five",
        "now Unread: bob followed you",
    ):
        assert sentence in page


def test_the_newest_five_are_shown_by_their_faces(alice: User) -> None:
    status = say(alice)
    for number in range(7):
        like(user=make_user(f"fan{number}"), status=status)
    drain()
    article = browser_of(alice).get(ADDRESS).content.decode().partition("<article")[2]
    faces = article.partition("<time")[0]
    assert re.findall(r'href="/@(\w+)/"', faces) == ["fan6", "fan5", "fan4", "fan3", "fan2"]
    assert "5 others" in article


def test_a_request_of_one_is_answered_in_place(alice: User, bob: User, carol: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_private=True)
    alice.refresh_from_db()
    follow(follower=carol, followee=alice)
    drain()
    page = browser_of(alice).get(ADDRESS).content.decode()
    assert '<form id="act" method="post"' in page
    assert 'form="act" formaction="/@carol/accept/"' in page
    assert 'form="act" formaction="/@carol/refuse/"' in page
    answer = browser_of(alice).post("/@carol/accept/", {"next": ADDRESS})
    assert answer["Location"] == ADDRESS
    drain()
    assert "/@carol/accept/" not in browser_of(alice).get(ADDRESS).content.decode()


def test_requests_of_several_are_answered_on_their_page(alice: User, carol: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_private=True)
    alice.refresh_from_db()
    for user in (carol, make_user("dave")):
        follow(follower=user, followee=alice)
    drain()
    page = browser_of(alice).get(ADDRESS).content.decode()
    assert "/accept/" not in page
    assert 'href="/follow_requests/"' in page


def test_links_lead_to_people_and_statuses(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=carol, status=status)
    drain()
    page = browser_of(alice).get(ADDRESS).content.decode()
    assert 'href="/@carol/"' in page
    assert f'href="/@alice/{status.id}/"' in page
    assert f'id="notification-{Notification.objects.get(recipient=alice).pk}"' in page


def test_what_people_write_is_escaped(alice: User, carol: User) -> None:
    User.objects.filter(pk=carol.pk).update(name="<b>Carol</b>")
    say(carol, "@alice <script>alert(1)</script>")
    drain()
    page = browser_of(alice).get(ADDRESS).content.decode()
    assert "&lt;b&gt;Carol" in page
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_a_warning_hides_the_text_here_too(alice: User, carol: User) -> None:
    say(carol, "@alice the butler did it", warning="The end of the book")
    drain()
    page = browser_of(alice).get(ADDRESS).content.decode()
    assert "The end of the book" in page
    assert "butler" not in page


def test_to_look_at_them_is_to_read_them(alice: User, carol: User) -> None:
    browser, status = browser_of(alice), say(alice)
    assert badge(browser) == ""
    like(user=carol, status=status)
    say(carol, "@alice")
    drain()
    assert badge(browser) == "2 unread"
    assert browser.head(ADDRESS).status_code == 200
    assert badge(browser) == "2 unread", "a robot that asks for the head has not read"
    first = browser.get(ADDRESS).content.decode()
    assert first.count('class="notification unread"') == 2
    assert "data-unread" not in first
    assert badge(browser) == ""
    assert 'class="notification unread"' not in browser.get(ADDRESS).content.decode()
    unlike(user=carol, status_id=status.id)
    like(user=make_user("dave"), status=status)
    drain()
    assert browser.get(ADDRESS).content.decode().count('class="notification unread"') == 1


def test_hidden_news_do_not_stay_unread_for_ever(alice: User, carol: User) -> None:
    say(carol, "@alice buy")
    assert unread(alice) == 1
    suspend(user=carol)
    assert unread(alice) == 1
    browser = browser_of(alice)
    assert "No notifications yet" in text_of(browser)
    assert unread(alice) == 0


def test_the_number_ends_at_99(alice: User) -> None:
    browser = browser_of(alice)
    for count, shown in ((1, "1 unread"), (99, "99 unread"), (100, "99+ unread")):
        User.objects.filter(pk=alice.pk).update(unread_notifications=count)
        assert badge(browser) == shown


def test_all_can_be_marked_as_read_with_a_button(alice: User, carol: User) -> None:
    say(carol, "@alice")
    assert unread(alice) == 1
    browser = browser_of(alice)
    mentions = browser.get("/notifications/mentions/").content.decode()
    assert "Mark all as read" in mentions
    assert unread(alice) == 1, "the mentions are not all there is"
    answer = browser.post("/notifications/read/", {"next": "/notifications/mentions/"})
    assert (answer.status_code, answer["Location"]) == (302, "/notifications/mentions/")
    assert unread(alice) == 0
    assert "Mark all as read" not in browser.get("/notifications/mentions/").content.decode()
    assert browser.post("/notifications/read/")["Location"] == ADDRESS


@pytest.mark.parametrize(
    "address", [ADDRESS, "/notifications/mentions/", "/settings/notifications/"]
)
def test_visitors_log_in_first(client: Client, db: None, address: str) -> None:
    assert client.get(address)["Location"] == f"/login/?next={address}"


def test_marking_needs_a_post_and_a_member(client: Client, alice: User) -> None:
    assert client.get("/notifications/read/").status_code == 405
    assert client.post("/notifications/read/")["Location"].startswith("/login/")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post("/notifications/read/").status_code == 403


@pytest.mark.parametrize("cursor", ["x", "-1", "9" * 20])
def test_a_cursor_that_is_no_number_is_refused(alice: User, cursor: str) -> None:
    for address in (ADDRESS, "/notifications/mentions/"):
        assert browser_of(alice).get(address, {"max_id": cursor}).status_code == 400


def test_nobody_sees_the_notifications_of_others(alice: User, carol: User) -> None:
    say(carol, "@alice hello")
    drain()
    assert "No notifications yet" in text_of(browser_of(carol))
    assert "Nobody has mentioned you yet" in text_of(browser_of(carol), "/notifications/mentions/")


def test_the_mentions_leave_out_the_rest(alice: User, bob: User, carol: User) -> None:
    status = say(alice)
    like(user=bob, status=status)
    say(carol, "@alice one")
    say(carol, "two", reply_to=status.id)
    drain()
    alice.refresh_from_db()
    assert [it.stored.kind for it in selectors.mentions(alice).notifications] == [
        "reply", "mention",
    ]  # fmt: skip


@pytest.mark.parametrize("size", [400, 44])
def test_pages_lead_from_redis_down_into_sql(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(store, "SIZE", size)
    positions = write_many(alice, carol, size + 75)
    assert all_pages(alice, selectors.everything) == positions
    mentions = Notification.objects.filter(kind="mention").order_by("-position")
    wanted = list(mentions.values_list("position", flat=True))
    assert all_pages(alice, selectors.mentions) == wanted


def all_pages(user: User, read: Callable[..., NotificationPage]) -> list[int]:
    page = read(user)
    found = [page]
    while page.older is not None:
        assert len(page.notifications) == PAGE_SIZE
        page = read(user, max_id=page.older)
        found.append(page)
    return [it.stored.position for page in found for it in page.notifications]


def test_pages_are_full_though_much_is_hidden(alice: User, carol: User) -> None:
    spammer = make_user("spammer")
    write_many(alice, carol, 40)
    write_many(alice, spammer, 90)
    suspend(user=spammer)
    first = selectors.everything(alice)
    assert [len(first.notifications), len(all_pages(alice, selectors.everything))] == [30, 40]


def test_a_page_costs_one_query_and_six_round_trips(
    alice: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(35):
        like(user=carol, status=say(alice, f"number {number}"))
    browser = browser_of(alice)
    drain()
    browser.get(ADDRESS)
    with counting_round_trips() as trips, django_assert_num_queries(1):
        page = browser.get(ADDRESS).content.decode()
    assert page.count('class="notification"') == PAGE_SIZE
    assert len(trips) <= 6, trips.sent
    with counting_round_trips() as trips, django_assert_num_queries(2):
        browser.get("/notifications/mentions/")
    assert len(trips) <= 5, trips.sent


@pytest.mark.parametrize("address", [ADDRESS, "/notifications/mentions/"])
@pytest.mark.parametrize("cursor", [0, 5])
def test_a_page_past_the_end_leads_back(
    alice: User, carol: User, address: str, cursor: int
) -> None:
    say(carol, "@alice")
    drain()
    assert "To the newest notifications" in text_of(browser_of(alice), f"{address}?max_id={cursor}")


def test_the_navigation_marks_the_page(alice: User) -> None:
    page = browser_of(alice).get(ADDRESS).content.decode()
    assert f'<a class="place" href="{ADDRESS}" aria-current="page">' in page


def test_kinds_are_chosen_on_the_settings_page(alice: User, carol: User) -> None:
    browser, status = browser_of(alice), say(alice)
    assert 'href="/settings/notifications/"' in browser.get("/settings/").content.decode()
    page = browser.get("/settings/notifications/").content.decode()
    assert page.count("checked") == 9
    answer = browser.post("/settings/notifications/", {"kinds": ["mention", "follow"]})
    assert answer.status_code == 302
    assert browser.get("/settings/notifications/").content.decode().count("checked") == 2
    like(user=carol, status=status)
    boost(user=carol, status=status)
    say(carol, "no", reply_to=status.id)
    assert told(alice) == []
    follow(follower=carol, followee=alice)
    say(carol, "@alice")
    assert [it.kind for it in told(alice)] == ["mention", "follow"]


def test_a_kind_that_is_no_kind_is_refused(alice: User) -> None:
    answer = browser_of(alice).post("/settings/notifications/", {"kinds": ["mention", "spam"]})
    assert answer.status_code == 400
    assert "spam is not one of the available choices" in answer.content.decode()
    alice.refresh_from_db()
    assert alice.notifications_off == ""


def test_what_was_told_before_a_kind_is_switched_off_may_only_shrink(
    alice: User, carol: User
) -> None:
    status, dave = say(alice), make_user("dave")
    like(user=dave, status=status)
    like(user=carol, status=status)
    assert told(alice) == [Told("like", ["carol", "dave"])]
    browser_of(alice).post("/settings/notifications/", {"kinds": ["mention"]})
    like(user=make_user("erin"), status=status)
    assert told(alice) == [Told("like", ["carol", "dave"])]
    unlike(user=carol, status_id=status.id)
    assert told(alice) == [Told("like", ["dave"])]
    browser_of(alice).post("/settings/notifications/", {"kinds": ["mention", "like"]})
    unlike(user=dave, status_id=status.id)
    assert told(alice) == [Told("like", ["erin"])]


def test_too_many_settings_have_to_wait(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    once = dict.fromkeys(throttling.PACES, throttling.Pace(1))
    monkeypatch.setattr(throttling, "PACES", once)
    browser = browser_of(alice)
    assert browser.post("/notifications/read/").status_code == 302
    for address in ("/notifications/read/", "/settings/notifications/"):
        answer = browser.post(address)
        assert answer.status_code == 429
        assert int(answer["Retry-After"]) > 0


def test_the_set_of_the_newest_is_trimmed(alice: User, carol: User) -> None:
    """And says so: nothing is missing on the way down."""
    write_many(alice, carol, 440)
    places, floor = store.newest(alice.pk, below=None, limit=1_000)
    assert len(places) <= most(store.SIZE)
    assert floor == places[-1].position


def test_every_kind_has_an_icon_that_exists() -> None:
    assert set(ICONS) == set(get_args(Kind))
    assert all("#" in icon(name) for name in ICONS.values())
