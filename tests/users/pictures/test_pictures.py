"""Avatars and headers: choosing, replacing and removing them, and where they are shown."""

import io
import json
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from moderation.models import Kind as MeasureKind
from moderation.models import Measure
from moderation.services import take
from pictures.kinds import PictureKind, kind_named, storage
from pictures.making import encode
from redistools import keys
from redistools.client import get_client
from relations.services import follow
from statuses.services import post_status
from statuses.store import find_statuses
from streaming.formats import twitter_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.pictures.drawing import (
    encoded,
    halves,
    many_passes,
    opened,
    photo,
    stored,
    upload,
)
from tests.races import in_threads
from users import throttling
from users.models import AccountGone, User
from users.pictures.kinds import AVATAR, HEADER, PICTURES
from users.selectors import people
from users.services import change_profile, delete_account, remove_picture, suspend
from web.refusals import Refusal

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/settings/profile/"
LATER = timedelta(hours=1)
PICTURE = encode(AVATAR, halves(400, 400))
WIDE_PICTURE = encode(HEADER, halves(1500, 500))


@pytest.fixture
def alice() -> User:
    return make_user("alice", name="Alice Liddell", bio="Down the rabbit hole.")


@pytest.fixture
def browser(alice: User) -> Client:
    return browser_of(alice)


def send(browser: Client, **fields: Any) -> Any:
    form = {"name": "Alice Liddell", "bio": "Down the rabbit hole.", "likes_are_public": "on"}
    return browser.post(PAGE, form | fields)


def give(user: User, **pictures: Any) -> User:
    """As the settings page does."""
    chosen = {kind_named(name): picture for name, picture in pictures.items()}
    change_profile(user=user, name=user.name, bio=user.bio, pictures=chosen)
    return user


def drain_everything() -> None:
    drain(now=timezone.now() + LATER)


def test_an_avatar_and_a_header_are_chosen_on_the_settings_page(
    browser: Client, alice: User
) -> None:
    answer = send(browser, new_avatar=upload(photo()), new_header=upload(encoded(halves())))
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    alice.refresh_from_db()
    assert stored(AVATAR, alice.avatar) == [True] * 3
    assert stored(HEADER, alice.header) == [True] * 2
    drain_everything()
    assert stored(AVATAR, alice.avatar) == [True] * 3
    page = browser.get(PAGE).content.decode()
    assert f'src="/media/avatars/{alice.avatar[:2]}/{alice.avatar}.webp"' in page
    assert f'srcset="/media/headers/{alice.header[:2]}/{alice.header}.webp"' in page
    assert "Remove the picture" in page
    assert "Remove the header" in page


def test_the_form_takes_files_and_offers_to_remove_only_what_is_there(browser: Client) -> None:
    page = browser.get(PAGE).content.decode()
    assert 'enctype="multipart/form-data"' in page
    assert (
        'type="file" name="new_avatar" accept="image/jpeg,image/png,image/webp,image/gif"' in page
    )
    assert "Remove the picture" not in page


def test_saving_the_rest_leaves_the_pictures(browser: Client, alice: User) -> None:
    give(alice, avatar=PICTURE, header=WIDE_PICTURE)
    before = (alice.avatar, alice.header)
    send(browser, bio="Up again.")
    alice.refresh_from_db()
    assert (alice.bio, alice.avatar, alice.header) == ("Up again.", *before)


def test_a_new_picture_has_a_new_name_and_the_old_file_goes(browser: Client, alice: User) -> None:
    give(alice, avatar=PICTURE)
    former = alice.avatar
    send(browser, new_avatar=upload(photo()))
    alice.refresh_from_db()
    assert alice.avatar != former
    drain()
    assert stored(AVATAR, former) == [True] * 3, "open pages still show it"
    drain_everything()
    assert stored(AVATAR, former) == [False] * 3
    assert stored(AVATAR, alice.avatar) == [True] * 3


@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_is_removed_and_its_files_at_once(
    browser: Client, alice: User, kind: PictureKind
) -> None:
    give(alice, avatar=PICTURE, header=WIDE_PICTURE)
    former = getattr(alice, kind.column)
    send(browser, **{f"remove_{kind.column}": "on"})
    alice.refresh_from_db()
    assert getattr(alice, kind.column) == ""
    assert [bool(alice.avatar), bool(alice.header)].count(True) == 1
    drain()
    assert not any(stored(kind, former))
    assert send(browser, **{f"remove_{kind.column}": "on"}).status_code == 302


def test_a_new_picture_wins_over_the_wish_to_remove_the_old_one(
    browser: Client, alice: User
) -> None:
    give(alice, avatar=PICTURE)
    former = alice.avatar
    send(browser, new_avatar=upload(photo()), remove_avatar="on")
    alice.refresh_from_db()
    assert alice.avatar not in ("", former)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"I am a text", "This file can&#x27;t be read as a picture."),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "This file can&#x27;t be read"),
        (photo()[:-2_000], "This file can&#x27;t be read as a picture."),
        (b"x" * (8 * 1024 * 1024 + 1), "This picture is too large: the limit is 8 MB."),
        (b"", "This file can&#x27;t be read as a picture."),
    ],
)
def test_a_refused_picture_changes_nothing_and_keeps_what_was_typed(
    browser: Client, alice: User, content: bytes, words: str
) -> None:
    give(alice, avatar=PICTURE)
    before = alice.avatar
    answer = send(
        browser, bio="Typed with care.", new_avatar=upload(content), new_header=upload(photo())
    )
    assert answer.status_code == 400
    page = answer.content.decode()
    assert words in page
    assert "Typed with care." in page
    alice.refresh_from_db()
    assert (alice.bio, alice.avatar, alice.header) == ("Down the rabbit hole.", before, "")
    assert stored(AVATAR, before) == [True] * 3
    assert not storage().exists("headers")


def test_visitors_change_nothing(client: Client, alice: User) -> None:
    answer = client.post(PAGE, {"name": "Mallory", "bio": "", "new_avatar": upload(photo())})
    assert answer["Location"] == f"/login/?next={PAGE}"
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert send(strict, new_avatar=upload(photo())).status_code == 403
    alice.refresh_from_db()
    assert alice.avatar == ""


def test_other_pages_take_no_files(browser: Client) -> None:
    answer = browser.post("/settings/privacy/", {"new_avatar": upload(photo())})
    assert answer.status_code == 400
    assert b"This page takes no files" in answer.content


def test_who_tries_too_many_pictures_has_to_wait(
    browser: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttling, "PICTURES_PER_HOUR", 2)
    assert send(browser, new_avatar=upload(photo())).status_code == 302
    assert send(browser, new_avatar=upload(b"text")).status_code == 400
    answer = send(browser, new_avatar=upload(photo()))
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 3_000
    assert send(browser, bio="Words are fine.").status_code == 302


def test_one_picture_at_a_time_for_each_person(browser: Client, alice: User) -> None:
    with throttling.one_picture(user_id=alice.pk):
        answer = send(browser, new_avatar=upload(photo()), bio="Not saved.")
        assert answer.status_code == 429
        assert int(answer["Retry-After"]) < 60
        bob = browser_of(make_user("bob"))
        assert send(bob, new_avatar=upload(photo())).status_code == 302
    alice.refresh_from_db()
    assert (alice.avatar, alice.bio) == ("", "Down the rabbit hole.")
    assert send(browser, new_avatar=upload(b"text")).status_code == 400
    assert send(browser, new_avatar=upload(photo())).status_code == 302


def test_a_picture_that_takes_too_long_is_refused_in_words(browser: Client, alice: User) -> None:
    answer = send(browser, new_avatar=upload(many_passes(halves(64, 64), 1_000)))
    assert answer.status_code == 400
    assert "takes too long to read" in answer.content.decode()
    alice.refresh_from_db()
    assert alice.avatar == ""


def test_of_two_uploads_at_once_one_picture_stays(alice: User) -> None:
    in_threads(4, lambda: give(User.objects.get(pk=alice.pk), avatar=PICTURE))
    alice.refresh_from_db()
    drain_everything()
    _, saved = storage().listdir(f"avatars/{alice.avatar[:2]}")
    everything = [
        name
        for folder in storage().listdir("avatars")[0]
        for name in storage().listdir(f"avatars/{folder}")[1]
    ]
    assert len(saved) == len(everything) == 3
    assert people([alice.pk])[alice.pk].avatar == alice.avatar


def test_files_of_an_upload_that_failed_go(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    token = "0123456789" * 2
    monkeypatch.setattr("users.pictures.changing.new_token", lambda: token)
    User.objects.filter(pk=alice.pk).delete()
    with pytest.raises(AccountGone):
        give(alice, avatar=PICTURE)
    assert stored(AVATAR, token) == [True] * 3
    drain_everything()
    assert stored(AVATAR, token) == [False] * 3


# Where they are shown ---------------------------------------------------------------------


def test_cards_profiles_and_people_show_the_avatar(
    client: Client, alice: User, carol: User
) -> None:
    post_status(author=alice, text="curiouser")
    follow(follower=alice, followee=carol)
    give(alice, avatar=PICTURE, header=WIDE_PICTURE)
    drain()
    small = f'src="/media/avatars/{alice.avatar[:2]}/{alice.avatar}-s.webp" alt=""'
    assert small in client.get("/@alice/").content.decode()
    assert f"{alice.avatar}.webp" in client.get("/@alice/").content.decode()
    assert f"{alice.header}.jpg" in client.get("/@alice/").content.decode()
    assert small in client.get("/@carol/followers/").content.decode()


def test_a_new_avatar_reaches_what_was_said_before(alice: User, client: Client) -> None:
    status = post_status(author=alice, text="curiouser")
    client.get("/@alice/")
    give(alice, avatar=PICTURE)
    drain()
    assert get_client().hget(keys.status(status.pk), "avatar") == alice.avatar
    assert find_statuses([status.pk])[status.pk].avatar == alice.avatar
    give(alice, avatar=None)
    drain()
    assert get_client().hget(keys.status(status.pk), "avatar") == ""
    assert "/media/" not in client.get("/@alice/").content.decode()


def test_streams_carry_the_address_of_the_avatar(alice: User, settings: Settings) -> None:
    settings.SITE_URL = "https://social.example"
    give(alice, avatar=PICTURE)
    status = post_status(author=alice, text="curiouser")
    stored_status = find_statuses([status.pk])[status.pk]
    user = twitter_status(stored_status)["user"]
    place = f"avatars/{alice.avatar[:2]}/{alice.avatar}.jpg"
    assert user["profile_image_url_https"] == f"https://social.example/media/{place}"
    plain = twitter_status(stored_status._replace(avatar=""))["user"]
    assert plain["profile_image_url_https"] is None


def test_of_a_suspended_account_no_page_shows_a_picture(
    client: Client, alice: User, carol: User
) -> None:
    give(alice, avatar=PICTURE)
    follow(follower=alice, followee=carol)
    suspend(user=alice)
    assert client.get("/@alice/").status_code == 404
    assert alice.avatar not in client.get("/@carol/followers/").content.decode()


# When they go -----------------------------------------------------------------------------


def test_a_deleted_account_leaves_no_files(alice: User) -> None:
    stale = User.objects.get(pk=alice.pk)
    give(alice, avatar=PICTURE, header=WIDE_PICTURE)
    delete_account(user=stale)
    drain()
    assert not any(stored(AVATAR, alice.avatar) + stored(HEADER, alice.header))


def test_an_export_holds_the_pictures(browser: Client, alice: User) -> None:
    give(alice, avatar=PICTURE)
    browser.post("/settings/export/")
    drain()
    answer = browser.get("/settings/export/download/")
    zipped = ZipFile(io.BytesIO(b"".join(answer.streaming_content)))  # type: ignore[attr-defined] # a file
    (account,) = json.loads(zipped.read("account.json"))
    assert (account["avatar"], account["header"]) == ("avatar.jpg", None)
    assert opened(zipped.read("avatar.jpg")).size == (400, 400)
    assert "header.jpg" not in zipped.namelist()


def test_moderators_remove_pictures(alice: User) -> None:
    give(alice, avatar=PICTURE, header=WIDE_PICTURE)
    former = alice.avatar
    mod = make_user("mod_ann", is_staff=True)
    with pytest.raises(Refusal, match="moderators"):
        take(MeasureKind.REMOVE_AVATAR, alice, by=mod, reason="ugly")
    mod.user_permissions.add(Permission.objects.get(codename="change_report"))
    take(MeasureKind.REMOVE_AVATAR, alice, by=User.objects.get(pk=mod.pk), reason="ugly")
    alice.refresh_from_db()
    assert (alice.avatar, bool(alice.header)) == ("", True)
    drain()
    assert not any(stored(AVATAR, former))
    assert people([alice.pk])[alice.pk].avatar == ""
    assert Measure.objects.get().kind == "remove_avatar"


def test_the_admin_shows_the_pictures(alice: User) -> None:
    give(alice, avatar=PICTURE, header=WIDE_PICTURE)
    boss = browser_of(User.objects.create_superuser("boss", "boss@example.com", "x"))
    page = boss.get(f"/admin/users/user/{alice.pk}/change/").content.decode()
    assert f"{alice.avatar}.webp" in page
    assert f"{alice.header}.jpg" in page


def test_removing_twice_does_nothing(alice: User) -> None:
    give(alice, header=WIDE_PICTURE)
    assert remove_picture(user=alice, kind=HEADER)
    assert not remove_picture(user=alice, kind=HEADER)
    assert HEADER.read("0" * 20) is None
